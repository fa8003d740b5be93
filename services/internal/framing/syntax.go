package framing

import (
	"bytes"
	"strings"
)

// class is a set of byte properties.
type class uint8

const (
	classToken   class = 1 << iota // RFC 9110, section 5.6.2
	classValue                     // in a field value: visible, space, tab, or beyond ASCII
	classVisible                   // in a target: visible, or beyond ASCII, which servers decode
	classHost                      // in an authority (RFC 3986, section 3.2), without user information
	classDigit
	classHex
)

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// classes holds the properties of every byte.
var classes = func() (table [256]class) {
	mark := func(c class, bytes string) {
		for i := range len(bytes) {
			table[bytes[i]] |= c
		}
	}
	mark(classToken, "!#$%&'*+-.^_`|~"+digits+letters)
	mark(classHost, "-._~%!$&'()*+,;=:[]"+digits+letters)
	mark(classDigit|classHex, digits)
	mark(classHex, "abcdefABCDEF")
	mark(classValue, "\t ")
	for b := int('!'); b < len(table); b++ {
		table[b] |= classValue | classVisible
	}
	const del = 0x7f
	table[del] = 0
	return table
}()

func consistsOf(text []byte, c class) bool {
	for _, b := range text {
		if classes[b]&c == 0 {
			return false
		}
	}
	return true
}

func isToken(text []byte) bool      { return len(text) > 0 && consistsOf(text, classToken) }
func isVisible(text []byte) bool    { return consistsOf(text, classVisible) }
func isFieldValue(text []byte) bool { return consistsOf(text, classValue) }
func isDigit(b byte) bool           { return classes[b]&classDigit != 0 }

// isAuthority reports whether the text is a host with an optional port. The host is a name, an IPv4 address, or an IPv6
// address in brackets.
func isAuthority(text []byte) bool {
	if !consistsOf(text, classHost) {
		return false
	}
	host, port := text, []byte(nil)
	if end := bytes.LastIndexByte(text, ']'); end >= 0 {
		host, port = text[:end+1], text[end+1:]
	} else if colon := bytes.IndexByte(text, ':'); colon >= 0 {
		host, port = text[:colon], text[colon:]
	}
	return isHost(string(host)) && isPort(port)
}

func isHost(host string) bool {
	address, bracketed := strings.CutPrefix(host, "[")
	if bracketed {
		address = strings.TrimSuffix(address, "]")
		return strings.Contains(address, ":") && !strings.ContainsAny(address, "[]")
	}
	return host != "" && !strings.ContainsAny(host, "[]:")
}

func isPort(text []byte) bool {
	const longest = len(":65535")
	return len(text) == 0 || text[0] == ':' && len(text) <= longest && consistsOf(text[1:], classDigit)
}

// The digit limits keep numbers within 63 bits in both notations.
const (
	maxDecimalDigits = 18
	maxHexDigits     = 15
)

func decimal(text []byte) (n int64, valid bool) {
	if len(text) == 0 || len(text) > maxDecimalDigits || !consistsOf(text, classDigit) {
		return 0, false
	}
	for _, b := range text {
		n = n*10 + int64(b-'0')
	}
	return n, true
}

func hexadecimal(text []byte) (n int64, valid bool) {
	if len(text) == 0 || len(text) > maxHexDigits || !consistsOf(text, classHex) {
		return 0, false
	}
	for _, b := range text {
		n = n<<4 | int64(hexValue(b))
	}
	return n, true
}

func hexValue(b byte) byte {
	const lower = 'a' - 'A'
	if isDigit(b) {
		return b - '0'
	}
	return (b | lower) - 'a' + 10
}
