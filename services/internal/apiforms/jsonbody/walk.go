package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

// walker validates a body against its schema in one pass, token by token. It allocates almost nothing for a valid body.
type walker struct {
	dec     *jsontext.Decoder
	input   bytes.Buffer
	body    []byte
	values  int
	text    []byte // the string just read, unquoted
	raw     int    // its length in the body, in bytes
	faults  []apperr.Field
	found   int    // number of faults, of which MaxFaults are kept
	changes []edit // that the body needs before it is decoded
	patch   bool   // null and "" have a meaning as the value of an optional member
}

// walk returns the body as the decoder may read it: without faulty and absent top-level members, with normalized texts.
func (w *walker) walk(body []byte, root *node) ([]byte, []apperr.Field, error) {
	w.input = *bytes.NewBuffer(body) // the decoder reads it without a copy
	w.dec.Reset(&w.input)
	w.body, w.values, w.faults, w.found, w.changes = body, 0, nil, 0, w.changes[:0]
	defer w.release()
	switch kind := w.dec.PeekKind(); {
	case kind == 0 && len(bytes.TrimSpace(body)) == 0:
		return nil, nil, &limitError{cause: errEmpty}
	case kind != '{':
		if err := w.mismatch(root, kind); err != nil {
			return nil, nil, err
		}
		w.changes = append(w.changes[:0], edit{end: int64(len(body)), with: []byte("{}")})
	default:
		if err := w.object(root); err != nil {
			return nil, nil, err
		}
	}
	if _, err := w.dec.ReadToken(); err == nil {
		return nil, nil, w.limit(errTrailer)
	} else if !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	return w.changed(), w.faults, nil
}

// release drops the references to the body, which belongs to the connection.
func (w *walker) release() {
	w.dec.Reset(strings.NewReader(""))
	w.input, w.body, w.faults = bytes.Buffer{}, nil, nil
	clear(w.changes[:cap(w.changes)])
}

func (w *walker) limit(cause error) error {
	return &limitError{offset: w.dec.InputOffset(), cause: cause}
}

// fault records a fault of the value that was just read, or of a member of it.
func (w *walker) fault(member, format string, args ...any) {
	if w.found++; w.found > MaxFaults {
		return
	}
	pointer := w.dec.StackPointer()
	if member != "" {
		pointer = pointer.AppendToken(member)
	}
	w.faults = append(w.faults, apperr.Field{Pointer: shortened(string(pointer)), Message: fmt.Sprintf(format, args...)})
}

// shortened limits the size of the response, because clients choose the names in a pointer.
func shortened(pointer string) string {
	if len(pointer) <= maxPointer {
		return pointer
	}
	return strings.ToValidUTF8(pointer[:maxPointer], "") + "…"
}

// value reads any value. Without a node it checks only the grammar and the limits.
func (w *walker) value(n *node) error {
	if w.values++; w.values > MaxValues {
		return w.limit(errValues)
	}
	kind := w.dec.PeekKind()
	if n != nil && n.orOne && kind != '[' && kind != 'n' {
		return w.only(n)
	}
	if n != nil && kindOf(kind) != n.kind {
		return w.mismatch(n, kind)
	}
	switch kind {
	case '{':
		if n != nil && n.apart {
			n = nil
		}
		return w.object(n)
	case '[':
		return w.array(n)
	case '"':
		return w.str(n)
	case '0':
		if n != nil {
			return w.integer(n)
		}
		return w.token()
	default:
		return w.token()
	}
}

// mismatch reads a value of another type than the schema's. A null is valid if the schema is nullable.
func (w *walker) mismatch(n *node, kind jsontext.Kind) error {
	if err := w.value(nil); err != nil {
		return err
	}
	if kind != 'n' || !n.nullable {
		w.fault("", "must be %s, not %s", n.wanted(), nameOf(kind))
	}
	return nil
}

// token reads one token: a literal, a number, or a closing bracket.
func (w *walker) token() error {
	_, err := w.dec.ReadToken()
	return err
}

// open reads the start of an object or an array, and checks the depth.
func (w *walker) open() error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	if w.dec.StackDepth() > MaxDepth {
		return w.limit(errDepth)
	}
	return nil
}

func (w *walker) object(n *node) error {
	if err := w.open(); err != nil {
		return err
	}
	if n != nil && n.values != nil {
		return w.entries(n)
	}
	var seen uint64 // one bit per required member
	var kept cuts
	for w.dec.PeekKind() != '}' {
		start := w.dec.InputOffset()
		required, drop, err := w.member(n)
		if err != nil {
			return err
		}
		w.leave(&kept, start, drop)
		seen |= required
	}
	if err := w.token(); err != nil { // the closing brace
		return err
	}
	if n != nil {
		for i, name := range n.required {
			if seen&(1<<i) == 0 {
				w.fault(name, "is missing")
			}
		}
	}
	return nil
}

// entries reads the members of an object with values of one type, after its opening brace.
func (w *walker) entries(n *node) error {
	names := uniqueness{on: true}
	var kept cuts
	for w.dec.PeekKind() != '}' {
		start := w.dec.InputOffset()
		if err := w.unquoted(); err != nil {
			return err
		}
		name, again := string(w.text), names.repeats(w.text)
		absent := w.absent(n.values)
		if err := w.value(n.values.unless(absent)); err != nil {
			return err
		}
		w.leave(&kept, start, absent)
		if n.nameForm == nil {
			continue
		}
		if err := n.nameForm(name); err != nil {
			w.fault("", "has a name that %s", err)
		} else if again {
			w.fault("", "is in the object already")
		}
	}
	return w.token() // the closing brace
}

// member reads one member of an object. It returns its bit if it is required, and whether the decoder must not see it,
// because it is absent, or faulty at the top level.
func (w *walker) member(n *node) (required uint64, drop bool, err error) {
	found := w.found
	if err := w.unquoted(); err != nil {
		return 0, false, err
	}
	if n == nil {
		return 0, false, w.value(nil)
	}
	schema, known := n.members[string(w.text)]
	unknown := ""
	if !known {
		unknown = string(w.text)
	}
	if i := slices.Index(n.required, string(w.text)); i >= 0 {
		required = 1 << i
	}
	absent := known && required == 0 && w.absent(schema)
	if err := w.value(schema.unless(absent)); err != nil {
		return 0, false, err
	}
	if !known {
		w.fault("", "%s", problem.UnknownName(unknown, "field of this object", n.names, nil))
	}
	return required, absent || w.dec.StackDepth() == 1 && w.found > found, nil
}
