package apiforms

import (
	"bytes"
	"crypto/sha256"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxIdempotencyKey is the longest idempotency key, in bytes (docs/contract.md, Idempotency).
const MaxIdempotencyKey = 255

// IsIdempotencyKey reports whether a text is an idempotency key: 1 to MaxIdempotencyKey visible ASCII characters.
func IsIdempotencyKey(text string) bool {
	outside := func(r rune) bool { return r < 0x21 || r > 0x7E }
	return text != "" && len(text) <= MaxIdempotencyKey && !strings.ContainsFunc(text, outside)
}

// Fingerprint returns a hash of a request's content, so that an idempotency key cannot be reused for another request.
// White space and the order of members make no difference (RFC 8785). More holds other inputs of the response.
func Fingerprint(method, path string, body []byte, more ...string) ([sha256.Size]byte, error) {
	canonical := jsontext.Value(bytes.Clone(body))
	if len(body) == 0 { // an optional body
		canonical = jsontext.Value("{}")
	}
	if err := canonical.Canonicalize(); err != nil {
		return [sha256.Size]byte{}, err
	}
	text := method + " " + path + "\n"
	for _, line := range more {
		text += line + "\n"
	}
	return sha256.Sum256(append([]byte(text), canonical...)), nil
}

// Encode writes a response.
func Encode(w io.Writer, value any) error {
	// A path with invalid UTF-8 must not turn its 404 into a 500. Stored values keep their escapes.
	return json.MarshalWrite(w, value, jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
}
