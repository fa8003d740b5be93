package plaintext

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Faults of an address. ParseURL returns the first one in this order.
var (
	ErrForm    = errors.New("is not an address of the web")
	ErrUser    = errors.New("has a user name or a password in it")
	ErrNoHost  = errors.New("has no host")
	ErrForeign = errors.New("names its host in another script")
)

// ParseURL parses an absolute http or https address. The String method of the result returns the normalized address:
// printable ASCII only, and ParseURL accepts it unchanged. Non-ASCII characters are percent-encoded (RFC 3986, section
// 2.5; UTF-8), except in a host, which has an ASCII form of its own that starts with xn--.
func ParseURL(text string) (*url.URL, error) {
	parsed, err := url.Parse(EncodeURL(text, ""))
	switch {
	case strings.ContainsFunc(text, NeverInURL), err != nil, parsed.Scheme != "https" &&
		parsed.Scheme != "http", !strings.HasPrefix(text[len(parsed.Scheme):], "://"):
		return nil, ErrForm
	case parsed.User != nil:
		return nil, ErrUser
	case parsed.Host == "":
		return nil, ErrNoHost
	case strings.ContainsFunc(parsed.Host, func(r rune) bool { return r > '~' || r == '%' }):
		return nil, ErrForeign
	}
	return parsed, nil
}

// NeverInURL reports whether a character may occur in an address only in its percent-encoded form, which the writer has to
// supply: spaces, control characters, characters that mark up text or end an address in it, and bytes that are not text
// (RFC 3986, appendix C).
func NeverInURL(r rune) bool {
	return r <= ' ' || r >= 0x7f && r < 0xa0 || unicode.IsSpace(r) || r == utf8.RuneError ||
		strings.ContainsRune("\"<>\\^`{|}", r)
}

// EncodeURL percent-encodes every byte beyond ASCII and the given ASCII characters, and leaves the other bytes unchanged.
// It must run before parsing: package url encodes nothing in a query, and in a path it would decode the writer's own
// %2F.
func EncodeURL(text, also string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for _, b := range []byte(text) {
		if b < utf8.RuneSelf && strings.IndexByte(also, b) < 0 {
			out.WriteByte(b)
			continue
		}
		out.Write([]byte{'%', hex[b>>4], hex[b&0xf]})
	}
	return out.String()
}
