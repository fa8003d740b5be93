package framing

import (
	"bytes"
	"strings"
)

// head holds the framing information of a request header.
type head struct {
	old       bool   // HTTP/1.0
	authority string // of a target in absolute form
	hosted    bool   // has Host
	sized     bool   // has Content-Length
	length    int64
	codings   codings
}

// codings holds the content of Transfer-Encoding.
type codings struct {
	named   bool // the header is present
	unknown bool // names a coding other than chunked
}

// requestLine checks a request line (RFC 9112, section 3).
func (h *head) requestLine(line []byte) *Violation {
	method, rest, spaced := bytes.Cut(line, []byte(" "))
	target, version, spacedAgain := bytes.Cut(rest, []byte(" "))
	if !spaced || !spacedAgain || !isToken(method) {
		return badRequestLine
	}
	if v := h.version(version); v != nil {
		return v
	}
	return h.target(string(method), target)
}

func (h *head) version(version []byte) *Violation {
	digits, named := bytes.CutPrefix(version, []byte("HTTP/"))
	if !named || len(digits) != len("1.1") || !isDigit(digits[0]) || digits[1] != '.' || !isDigit(digits[2]) {
		return badRequestLine
	}
	h.old = digits[2] == '0'
	return unless(digits[0] == '1', badVersion)
}

// target checks the target (RFC 9112, section 3.2) and keeps the authority of an absolute-form target.
func (h *head) target(method string, target []byte) *Violation {
	if !isVisible(target) {
		return badRequestLine
	}
	switch {
	case len(target) == 0:
		return badRequestLine
	case target[0] == '/':
		return nil
	case string(target) == "*":
		return unless(method == "OPTIONS", badRequestLine)
	case method == "CONNECT":
		return unless(isAuthority(target), badRequestLine)
	}
	scheme, rest, absolute := bytes.Cut(target, []byte("://"))
	if end := bytes.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if !absolute || !isHTTP(scheme) || !isAuthority(rest) {
		return badRequestLine
	}
	h.authority = string(rest)
	return nil
}

func isHTTP(scheme []byte) bool {
	return strings.EqualFold(string(scheme), "http") || strings.EqualFold(string(scheme), "https")
}

// field checks a header field (RFC 9112, section 5) and keeps its framing information.
func (h *head) field(line []byte) *Violation {
	name, value, v := splitField(line)
	if v != nil {
		return v
	}
	switch framingField(name) {
	case fieldHost:
		return h.host(value)
	case fieldLength:
		return h.contentLength(value)
	case fieldCoding:
		return h.transferEncoding(value)
	default:
		return nil
	}
}

func splitField(line []byte) (name, value []byte, v *Violation) {
	name, value, found := bytes.Cut(line, []byte(":"))
	switch {
	case line[0] == ' ' || line[0] == '\t':
		return nil, nil, badFold
	case !found || !isToken(name):
		return nil, nil, badFieldName
	case !isFieldValue(value):
		return nil, nil, badFieldValue
	}
	return name, bytes.Trim(value, " \t"), nil
}

const (
	fieldHost   = "host"
	fieldLength = "content-length"
	fieldCoding = "transfer-encoding"
)

// framingField returns the name in lower case if the field affects the framing, and "" otherwise.
func framingField(name []byte) string {
	for _, known := range [...]string{fieldHost, fieldLength, fieldCoding} {
		if len(name) == len(known) && strings.EqualFold(string(name), known) {
			return known
		}
	}
	return ""
}

// host checks Host (RFC 9112, section 3.2). Host and an absolute-form target both name the host. They must agree,
// because a program on the path may use either.
func (h *head) host(value []byte) *Violation {
	if h.hosted || !isAuthority(value) || h.authority != "" && !strings.EqualFold(h.authority, string(value)) {
		return badHost
	}
	h.hosted = true
	return nil
}

// contentLength reads Content-Length. A repeated header is refused even if the values agree (RFC 9112, section 6.3).
func (h *head) contentLength(value []byte) *Violation {
	length, valid := decimal(value)
	if h.sized || !valid {
		return badLength
	}
	h.sized, h.length = true, length
	return nil
}

// transferEncoding reads Transfer-Encoding. Chunked must be the last coding, and must occur once (RFC 9112, section
// 6.1).
func (h *head) transferEncoding(value []byte) *Violation {
	if h.codings.named || h.old {
		return badCoding
	}
	h.codings.named = true
	list := strings.Split(string(value), ",")
	for i, coding := range list {
		coding = strings.Trim(coding, " \t")
		last, chunked := i == len(list)-1, strings.EqualFold(coding, "chunked")
		if coding == "" || chunked != last {
			return badCoding
		}
		h.codings.unknown = h.codings.unknown || !chunked
	}
	return nil
}

// end checks the complete header.
func (h *head) end() *Violation {
	switch {
	case !h.hosted && !h.old:
		return badHost
	case h.codings.named && h.sized:
		return badBodyFraming
	case h.codings.unknown:
		return unknownCoding
	default:
		return nil
	}
}

// trailer checks a trailer field (RFC 9110, section 6.5.1).
func trailer(line []byte) *Violation {
	name, _, v := splitField(line)
	if v != nil {
		return v
	}
	return unless(framingField(name) == "", badTrailer)
}
