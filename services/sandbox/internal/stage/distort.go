package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

const (
	// hugeResponse is the length of a response with FaultHugeResponse, in bytes.
	hugeResponse = 50 << 20

	gatewayPage = "<!DOCTYPE html><html><head><title>One moment</title></head><body><h1>Checking your " +
		"browser</h1></body></html>"
	hostileID  = "1\r\nSet-Cookie: evil=1\r\n\r\n<script>alert(1)</script>\x00"
	hostileURL = "javascript:alert(document.domain)//https://example.com/"
	// restliID is LinkedIn's header with the id of a new post.
	restliID = "X-Restli-Id"
)

// write writes a response as changed by the fault. An error response stays unchanged, because the call had no effect that a
// wrong response could hide.
func (r Response) write(w http.ResponseWriter, kind FaultKind, words Words) {
	switch body := r.encode(w); {
	case kind == FaultRejectWith200:
		Response{Status: http.StatusOK, Body: r.Body, Header: r.Header}.Write(w)
	case r.Status >= http.StatusMultipleChoices:
		r.Write(w)
	case kind == FaultErrorAfterAccept:
		words.Unavailable.Write(w)
	case kind == FaultTruncatedResponse:
		truncate(w, r.Status, body)
	case kind == FaultHugeResponse:
		w.WriteHeader(r.Status)
		filling := strings.Repeat("a", hugeResponse)
		_, _ = io.WriteString(w, `{"data":"`+filling+`"}`) // the client may have disconnected
	default:
		body = distorted(kind, w.Header(), body)
		w.WriteHeader(r.Status)
		_, _ = w.Write(body)
	}
}

// truncate announces the length of the whole response, sends half of it and closes the connection.
func truncate(w http.ResponseWriter, status int, whole []byte) {
	const least = 64
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	head := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: w.Header().Clone(),
		ContentLength: int64(max(len(whole), least)), Body: io.NopCloser(bytes.NewReader(whole[:len(whole)/2])),
	}
	// The body ends before the announced length. Write reports that as an error after it wrote everything else.
	_ = errors.Join(head.Write(buffered), buffered.Flush(), conn.Close())
}

// distorted returns the body as changed by the fault. It also changes headers that identify a post.
func distorted(kind FaultKind, header http.Header, body []byte) []byte {
	switch kind { //nolint:exhaustive // the others do not change the body
	case FaultEmptyResponse:
		header.Del(restliID)
		return nil
	case FaultMalformedResponse:
		if len(body) == 0 {
			return []byte(`{"id":`)
		}
		return body[:len(body)-len(body)/3]
	case FaultHTMLResponse:
		header.Del(restliID)
		header.Set("Content-Type", "text/html; charset=utf-8")
		return []byte(gatewayPage)
	case FaultWrongTypes:
		return rewrite(body, func(value any) any { return leaves("", value, otherType) })
	case FaultHostileResponse:
		if header.Get(restliID) != "" {
			header.Set(restliID, "../../<script>"+strings.Repeat("9", 300)) // a header cannot contain a line break
		}
		return rewrite(body, func(value any) any { return leaves("", value, hostile) })
	case FaultEmptyList:
		return rewrite(body, withoutElements)
	default:
		return body
	}
}

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
