package idea

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/plaintext"
)

// faults collects validation errors, so that all are reported at once; each has a JSON Pointer into the body.
type faults []apperr.Field

func (f *faults) add(pointer, format string, args ...any) {
	*f = append(*f, apperr.Field{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// each reports the faults of a list: too many items, and repeated items.
func (f *faults) each(at string, length, most int, repeated []int) {
	if length > most {
		f.add(at, "must have at most %d items, not %d", most, length)
	}
	for _, i := range repeated {
		f.add(at+"/"+strconv.Itoa(i), "is in the list already")
	}
}

func (f *faults) title(given string) string {
	title := plaintext.Clean(given)
	if title == "" {
		f.add("/title", "must not be empty; describe the idea in a few words")
	}
	if !plaintext.OneLine(title) {
		f.add("/title", "contains line breaks or other control characters; send one line, and further text as content")
	}
	return f.written("/title", title, MaxTitle)
}

// text validates a text that may have several lines.
func (f *faults) text(at, given string, longest int) string {
	text := plaintext.Clean(given)
	if !plaintext.ManyLines(text) {
		f.add(at, "contains control characters; only line breaks and tabs are allowed")
	}
	return f.written(at, text, longest)
}

func (f *faults) written(at, text string, longest int) string {
	if !utf8.ValidString(text) {
		f.add(at, "is not UTF-8 text")
	}
	if length := utf8.RuneCountInString(text); length > longest {
		f.add(at, "must have at most %d characters, not %d", longest, length)
	}
	return text
}

// link validates a web address and returns its normalized form.
func (f *faults) link(given string) string {
	const at = "/link"
	text := strings.TrimSpace(given)
	if text == "" {
		return ""
	}
	parsed, err := plaintext.ParseURL(text)
	switch {
	case errors.Is(err, plaintext.ErrUser):
		f.add(at, "contains a user name or a password; remove them")
	case errors.Is(err, plaintext.ErrForeign):
		f.add(at, "contains a host name that is not ASCII; send its ASCII form, which begins with xn--")
	case err != nil:
		f.add(at, "must be an http or https URL, for example https://example.com/article")
	case len(parsed.String()) > MaxLink:
		f.add(at, "must have at most %d bytes, not %d", MaxLink, len(parsed.String()))
	default:
		return parsed.String()
	}
	return ""
}
