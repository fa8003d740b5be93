package stage

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"socialpub.internal/services/sandbox/internal/fault"
)

const (
	// hugeAnswer is how long an answer of fault.HugeAnswer is, in bytes.
	hugeAnswer = 50 << 20

	gatewayPage = "<!DOCTYPE html><html><head><title>One moment</title></head><body><h1>Checking your browser</h1></body></html>"
	hostileID   = "1\r\nSet-Cookie: evil=1\r\n\r\n<script>alert(1)</script>\x00"
	hostileURL  = "javascript:alert(document.domain)//https://example.com/"
)

// newHalf is the body of an answer that ends too early.
func newHalf(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// writeHuge writes JSON that is well formed and far too long.
func writeHuge(w io.Writer) error {
	filling := bytes.Repeat([]byte("a"), 1<<16)
	parts := io.MultiReader(strings.NewReader(`{"data":"`),
		io.LimitReader(repeating{filling}, hugeAnswer), strings.NewReader(`"}`))
	_, err := io.Copy(w, parts)
	return err
}

// repeating gives the same bytes over and over.
type repeating struct{ bytes []byte }

// Read fills p.
func (r repeating) Read(p []byte) (int, error) { return copy(p, r.bytes), nil }

// restliID is LinkedIn's header that names a new post.
const restliID = "X-Restli-Id"

// distorted is what a fault makes of a body; headers that name a post change with it.
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
		header.Set(restliID, "../../<script>"+strings.Repeat("9", 300)) // a header cannot hold an end of line
	}
	return rewrite(body, func(value any) any { return leaves("", value, hostile) })
}

func emptyLists(_ http.Header, body []byte) []byte { return rewrite(body, withoutElements) }

// rewrite puts another value in the place of the one that JSON has.
func rewrite(body []byte, other func(value any) any) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return body
	}
	changed, _ := json.Marshal(other(value)) // what was decoded can be encoded
	return changed
}

// leaves changes all that is neither an object nor a list, by the name of its member.
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

// withoutElements empties every list, and what counts its elements.
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

// otherType is a value of a type that the network does not use there.
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

// hostile is text that does harm where ids and addresses are believed.
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
