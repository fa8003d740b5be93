package stage

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
)

const (
	// hugeAnswer is the length of a response with fault.HugeAnswer, in bytes.
	hugeAnswer = 50 << 20

	gatewayPage = "<!DOCTYPE html><html><head><title>One moment</title></head><body><h1>Checking your " +
		"browser</h1></body></html>"
	hostileID  = "1\r\nSet-Cookie: evil=1\r\n\r\n<script>alert(1)</script>\x00"
	hostileURL = "javascript:alert(document.domain)//https://example.com/"
)

// newHalf returns the body of a response that ends too early.
func newHalf(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// writeHuge writes valid JSON of excessive length.
func writeHuge(w io.Writer) error {
	filling := bytes.Repeat([]byte("a"), 1<<16)
	parts := io.MultiReader(strings.NewReader(`{"data":"`),
		io.LimitReader(repeating{filling}, hugeAnswer), strings.NewReader(`"}`))
	_, err := io.Copy(w, parts)
	return err
}

// repeating returns the same bytes endlessly.
type repeating struct{ bytes []byte }

// Read copies the bytes into p.
func (r repeating) Read(p []byte) (int, error) { return copy(p, r.bytes), nil }

// restliID is LinkedIn's header with the id of a new post.
const restliID = "X-Restli-Id"

// distorted returns the body as changed by the fault. It also changes headers that identify a post.
func distorted(kind fault.Kind, header http.Header, body []byte) []byte {
	distort, known := map[fault.Kind]func(http.Header, []byte) []byte{
		fault.EmptyAnswer: empty, fault.MalformedAnswer: malformed, fault.HTMLAnswer: page, fault.WrongTypes: otherTypes,
		fault.HostileAnswer: hostileWords, fault.EmptyList: emptyLists,
	}[kind]
	if !known {
		return body
	}
	return distort(header, body)
}

func empty(header http.Header, _ []byte) []byte {
	header.Del(restliID)
	return nil
}

func malformed(_ http.Header, body []byte) []byte {
	if len(body) == 0 {
		return []byte(`{"id":`)
	}
	return body[:len(body)-len(body)/3]
}

func page(header http.Header, _ []byte) []byte {
	header.Del(restliID)
	header.Set("Content-Type", "text/html; charset=utf-8")
	return []byte(gatewayPage)
}

func otherTypes(_ http.Header, body []byte) []byte {
	return rewrite(body, func(value any) any { return leaves("", value, otherType) })
}

func hostileWords(header http.Header, body []byte) []byte {
	if header.Get(restliID) != "" {
		header.Set(restliID, "../../<script>"+strings.Repeat("9", 300)) // a header cannot contain a line break
	}
	return rewrite(body, func(value any) any { return leaves("", value, hostile) })
}

func emptyLists(_ http.Header, body []byte) []byte { return rewrite(body, withoutElements) }

// rewrite replaces the JSON value of the body.
func rewrite(body []byte, other func(value any) any) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return body
	}
	changed, _ := json.Marshal(other(value)) // a decoded value can be encoded
	return changed
}

// leaves replaces every value that is neither an object nor a list. The function gets the name of the member.
func leaves(name string, value any, other func(name string, value any) any) any {
	switch v := value.(type) {
	case map[string]any:
		for member := range v {
			v[member] = leaves(member, v[member], other)
		}
		return v
	case []any:
		for i := range v {
			v[i] = leaves(name, v[i], other)
		}
		return v
	default:
		return other(name, value)
	}
}

// withoutElements empties every list and sets its counts to zero.
func withoutElements(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for member := range v {
			v[member] = withoutElements(v[member])
		}
		if _, counted := v["result_count"]; counted {
			v["result_count"] = 0
		}
		return v
	case []any:
		return []any{}
	default:
		return value
	}
}

// otherType returns a value of a type that the network does not use there.
func otherType(_ string, value any) any {
	switch value.(type) {
	case string:
		return []any{map[string]any{"value": 7}}
	case json.Number:
		return "seven"
	case bool:
		return map[string]any{}
	default:
		return true
	}
}

// hostile returns text that is harmful if an id or an address is trusted.
func hostile(name string, value any) any {
	if _, isText := value.(string); !isText {
		return value
	}
	switch name = strings.ToLower(name); {
	case strings.Contains(name, "url"), strings.Contains(name, "link"):
		return hostileURL
	case strings.HasSuffix(name, "id"), name == "name", name == "username":
		return hostileID
	default:
		return value
	}
}
