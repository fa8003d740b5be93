package linkpage

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/rfc3339"
)

// object reads the fields of a JSON object one by one. Every fault is collected with a pointer to its field. Unknown
// fields are faults too, so that a typing mistake is never ignored.
type object struct {
	at      string // pointer to the object
	members map[string]json.RawMessage
	faults  *faults
}

func newObject(at string, raw []byte, f *faults) (object, bool) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		f.add(at, "must be an object")
		return object{}, false
	}
	return object{at: at, members: members, faults: f}, true
}

// take returns a field and removes it from the unread fields. It returns false if the field is absent or null.
func (o object) take(name string) (json.RawMessage, bool) {
	raw, found := o.members[name]
	delete(o.members, name)
	return raw, found && !bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// end reports unknown fields.
func (o object) end() {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		o.faults.add(o.pointer(name), "is an unknown field")
	}
}

// pointer returns the pointer to a field (RFC 6901).
func (o object) pointer(name string) string {
	return o.at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// read decodes a field. It returns false if the field is absent, or if it has the wrong type, which is a fault.
func read[T any](o object, name, kind string) (value T, ok bool) {
	raw, found := o.take(name)
	if !found {
		return value, false
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		o.faults.add(o.pointer(name), "must be %s", kind)
		return value, false
	}
	return value, true
}

const optional = false // a field that may be absent

// written reads a text and validates it with one of the rules of faults.
func (o object) written(name string, longest int, must bool, rule func(at, given string, longest int) string) string {
	before := len(*o.faults)
	given, _ := read[string](o, name, "text")
	text := rule(o.pointer(name), given, longest)
	if text == "" && must && len(*o.faults) == before {
		o.faults.add(o.pointer(name), "is required")
	}
	return text
}

func (o object) line(name string, longest int, must bool) string {
	return o.written(name, longest, must, o.faults.line)
}

func (o object) text(name string, longest int, must bool) string {
	return o.written(name, longest, must, o.faults.text)
}

func (o object) address(must bool) string {
	return o.written("url", 0, must, func(at, given string, _ int) string { return o.faults.address(at, given) })
}

func (o object) flag(name string) bool {
	given, _ := read[bool](o, name, "true or false")
	return given
}

func (o object) instant(name string, must bool) time.Time {
	before := len(*o.faults)
	given, _ := read[string](o, name, "a time")
	if given == "" {
		if must && len(*o.faults) == before {
			o.faults.add(o.pointer(name), "is required")
		}
		return time.Time{}
	}
	at, err := rfc3339.Parse(given)
	if err != nil {
		o.faults.add(o.pointer(name), "%s", err)
		return time.Time{}
	}
	return o.faults.instant(o.pointer(name), at)
}

// number reads an integer within bounds. It returns 0 if the field is absent.
func (o object) number(name string, low, high int) int {
	given, ok := read[int](o, name, "a whole number")
	if ok && (given < low || given > high) {
		o.faults.add(o.pointer(name), "must be between %d and %d", low, high)
		return 0
	}
	return given
}

// reference reads an ID. It returns the zero ID if the field is absent.
func reference[I ~[16]byte](o object, name string, must bool) I {
	before := len(*o.faults)
	given, _ := read[string](o, name, "an id")
	if given == "" {
		if must && len(*o.faults) == before {
			o.faults.add(o.pointer(name), "is required")
		}
		return I{}
	}
	id, err := ident.Parse[I](given)
	if err != nil {
		o.faults.add(o.pointer(name), "is not an id")
	}
	return id
}

// objects reads an array of objects and calls each for every element.
func (o object) objects(name string, most int, each func(object)) {
	before := len(*o.faults)
	given, _ := read[[]json.RawMessage](o, name, "an array of objects")
	switch {
	case len(given) == 0 && len(*o.faults) == before:
		o.faults.add(o.pointer(name), "must have at least one element")
	case len(given) > most:
		o.faults.add(o.pointer(name), "has %d elements; at most %d are allowed", len(given), most)
	default:
		for i, raw := range given {
			if element, ok := newObject(o.pointer(name)+"/"+strconv.Itoa(i), raw, o.faults); ok {
				each(element)
				element.end()
			}
		}
	}
}
