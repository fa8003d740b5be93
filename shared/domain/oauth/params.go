package oauth

import (
	"net/url"
	"strings"
)

// one returns the value of a parameter that may be sent only once. A parameter without a value counts as not sent (RFC
// 6749, section 3.1).
func one(sent url.Values, name string) (string, *Error) {
	values := sent[name]
	if len(values) > 1 {
		return "", Refuse(InvalidRequest, "The parameter %s was sent %d times; send it once.", name, len(values))
	}
	return sent.Get(name), nil
}

// OnceEach returns an error for the first of the parameters that was sent more than once. The error is an *Error.
func OnceEach(sent url.Values, names ...string) error {
	for _, name := range names {
		if _, err := one(sent, name); err != nil {
			return err
		}
	}
	return nil
}

// reader reads several parameters and keeps the first error.
type reader struct {
	sent url.Values
	err  *Error
}

func (r *reader) one(name string) string {
	value, err := one(r.sent, name)
	if r.err == nil {
		r.err = err
	}
	return value
}

// visible reports whether a text contains only VSCHAR characters (RFC 6749, appendix A).
func visible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
