// Package webaddress reads addresses of the web that people write, where others will follow them.
package webaddress

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What can be wrong with an address, the first of it in this order.
var (
	ErrForm    = errors.New("is not an address of the web")
	ErrUser    = errors.New("has a user name or a password in it")
	ErrNoHost  = errors.New("names no host")
	ErrForeign = errors.New("names its host in another script")
)

// Parse reads an absolute http or https address. Its String is the address as it is kept: visible ASCII alone, and Parse takes
// it again as it is. Letters of other scripts are percent-encoded for the writer (RFC 3986, section 2.5; UTF-8), but in a host:
// that has an ASCII form of its own, which begins with xn--.
func Parse(text string) (*url.URL, error) {
	parsed, err := url.Parse(encode(text))
	switch {
	case strings.ContainsFunc(text, Never), err != nil, parsed.Scheme != "https" && parsed.Scheme != "http", !strings.HasPrefix(text[len(parsed.Scheme):], "://"):
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

// Never reports whether an address has the character in its percent-encoded form only, and the writer has to see to that: spaces,
// control characters, what marks up text or ends an address in it, and bytes that are no text (RFC 3986, appendix C).
func Never(r rune) bool {
	return r <= ' ' || r >= 0x7f && r < 0xa0 || unicode.IsSpace(r) || r == utf8.RuneError || strings.ContainsRune("\"<>\\^`{|}", r)
}

// encode writes every byte beyond ASCII in its percent-encoded form, and leaves all else as it is. It comes before any parsing:
// package url encodes nothing in a query, and in a path it would decode the writer's own %2F on the way.
func encode(text string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for _, b := range []byte(text) {
		if b < utf8.RuneSelf {
			out.WriteByte(b)
			continue
		}
		out.Write([]byte{'%', hex[b>>4], hex[b&0xf]})
	}
	return out.String()
}
