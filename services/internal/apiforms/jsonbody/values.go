package jsonbody

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/shared/kernel/plaintext"
)

func (w *walker) array(n *node) error {
	if err := w.open(); err != nil {
		return err
	}
	seen := uniqueness{on: n != nil && n.unique}
	length := 0
	for ; w.dec.PeekKind() != ']'; length++ {
		found := w.found
		var items *node
		if n != nil {
			items = n.items
		}
		if err := w.value(items); err != nil {
			return err
		}
		if w.found == found && seen.repeats(w.text) {
			w.fault("", "is in the list already")
		}
	}
	if err := w.token(); err != nil { // the closing bracket
		return err
	}
	switch {
	case n == nil:
	case length < n.minItems:
		w.fault("", "must have at least %d %s", n.minItems, plural(n.minItems, "item"))
	case n.maxItems != unbounded && length > n.maxItems:
		w.fault("", "must have at most %d %s, not %d", n.maxItems, plural(n.maxItems, "item"), length)
	}
	return nil
}

// only reads the only item of a list, which was sent instead of the list.
func (w *walker) only(n *node) error {
	at := w.dec.InputOffset()
	start := at + int64(len(w.body[at:])-len(bytes.TrimLeft(w.body[at:], " \t\r\n:,")))
	w.change(start, start, []byte("["))
	if err := w.value(n.items); err != nil {
		return err
	}
	end := w.dec.InputOffset()
	w.change(end, end, []byte("]"))
	return nil
}

// uniqueness detects duplicate strings in a list. It ignores case, because identifiers are case-insensitive.
type uniqueness struct {
	on    bool
	first string
	rest  map[string]struct{}
}

func (u *uniqueness) repeats(text []byte) bool {
	if !u.on {
		return false
	}
	key := strings.ToLower(string(text))
	if u.first == "" {
		u.first = key
		return false
	}
	if _, again := u.rest[key]; again || key == u.first {
		return true
	}
	if u.rest == nil {
		u.rest = make(map[string]struct{})
	}
	u.rest[key] = struct{}{}
	return false
}

func (w *walker) str(n *node) error {
	if err := w.unquoted(); err != nil {
		return err
	}
	if n == nil || n.enum == nil && n.format == nil {
		if err := w.normalize(); err != nil {
			return err
		}
	}
	if n == nil {
		return nil
	}
	switch length := utf8.RuneCount(w.text); {
	case length < n.minLength && n.minLength == 1:
		w.fault("", "must not be empty")
	case length < n.minLength:
		w.fault("", "must have at least %d characters", n.minLength)
	case n.maxLength != unbounded && length > n.maxLength:
		w.fault("", "must have at most %d characters, not %d", n.maxLength, length)
	case n.enum != nil && !slices.Contains(n.enum, string(w.text)):
		w.fault("", "must be one of %s", n.choices())
	case n.format != nil:
		if err := n.format(string(w.text)); err != nil {
			w.fault("", "%s", err)
		}
	}
	return nil
}

// normalize replaces the text that was just read with the text that is stored, so that lengths are those of the latter.
func (w *walker) normalize() error {
	if !bytes.ContainsFunc(w.text, unicode.IsControl) {
		return nil
	}
	text := plaintext.Normalize(string(w.text))
	if text == string(w.text) {
		return nil
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return err
	}
	w.text = append(w.text[:0], text...)
	w.change(w.dec.InputOffset()-int64(w.raw), w.dec.InputOffset(), quoted)
	return nil
}

// integer reads a number. A number with a zero fraction is an integer (docs/contract.md, Bodies).
func (w *walker) integer(n *node) error {
	token, err := w.dec.ReadToken()
	if err != nil {
		return err
	}
	text := token.String()
	if whole := integral(text); whole != text {
		end := w.dec.InputOffset()
		w.change(end-int64(len(text)), end, []byte(whole))
		text = whole
	}
	value, err := strconv.ParseInt(text, 10, 64)
	outside := errors.Is(err, strconv.ErrRange) || err == nil && (value < n.minimum || value > n.maximum)
	switch {
	case outside && n.minimum != math.MinInt64 && n.maximum != math.MaxInt64:
		w.fault("", "must be a whole number from %d to %d", n.minimum, n.maximum)
	case outside && strings.HasPrefix(text, "-"), outside && value < n.minimum:
		w.fault("", "must be at least %d", n.minimum)
	case outside:
		w.fault("", "must be at most %d", n.maximum)
	case err != nil:
		w.fault("", "must be a whole number")
	}
	return nil
}

// integral returns the integer that a number with a fraction or an exponent is, and any other number unchanged. Beyond
// 2^53 a client may have rounded a number with an exponent.
func integral(text string) string {
	if strings.ContainsAny(text, "eE") {
		const exact, digits = 1 << 53, 15
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || number != math.Trunc(number) || math.Abs(number) > exact || len(text) > digits {
			return text
		}
		return strconv.FormatInt(int64(number), 10)
	}
	if whole, fraction, ok := strings.Cut(text, "."); ok && strings.Trim(fraction, "0") == "" {
		return whole
	}
	return text
}

// unquoted reads a string, or the name of a member, into text.
func (w *walker) unquoted() error {
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	w.raw = len(raw)
	if w.text, err = jsontext.AppendUnquote(w.text[:0], raw); err != nil {
		return err
	}
	if bytes.IndexByte(w.text, 0) >= 0 {
		return w.limit(errNUL)
	}
	return nil
}

func kindOf(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return huma.TypeObject
	case '[':
		return huma.TypeArray
	case '"':
		return huma.TypeString
	case 't', 'f':
		return huma.TypeBoolean
	case '0':
		return huma.TypeInteger
	default: // null, or invalid JSON, which the next read reports
		return ""
	}
}

func nameOf(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case '0':
		return "a number"
	default:
		return "null"
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
