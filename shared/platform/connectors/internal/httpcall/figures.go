package httpcall

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// mostCounted is far above anything that is counted, and small enough that sums of counts stay numbers.
const mostCounted = 1_000_000_000_000_000

// Figure is a count in an answer: a number, or a number in quotes. Reading one never fails: what is no count, or makes no
// sense as one, is not known, so that one odd figure does not cost the others.
type Figure struct {
	value int64
	known bool
}

// Count is a figure that is known.
func Count(value int64) Figure { return Figure{value: value, known: true} }

// UnmarshalJSON reads a count; anything else leaves the figure unknown.
func (f *Figure) UnmarshalJSON(data []byte) error {
	*f = Figure{}
	text := string(bytes.TrimSpace(data))
	var quoted string
	if json.Unmarshal(data, &quoted) == nil {
		text = quoted
	}
	if value, ok := count(text); ok {
		*f = Count(value)
	}
	return nil
}

// count reads a whole number that makes sense as a count, also one that is written as a fraction. A float is exact up to
// mostCounted.
func count(text string) (int64, bool) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number != math.Trunc(number) || number < 0 || number > mostCounted {
		return 0, false
	}
	return int64(number), true
}

// Value is the count; nil when it is not known.
func (f Figure) Value() *int64 {
	if !f.known {
		return nil
	}
	value := f.value
	return &value
}

// Or is the figure, or else the other when it is not known.
func (f Figure) Or(other Figure) Figure {
	if f.known {
		return f
	}
	return other
}

// Sum adds up the figures that are known; it is unknown when none is.
func Sum(figures ...Figure) Figure {
	var sum Figure
	for _, f := range figures {
		if f.known {
			sum = Count(sum.value + f.value)
		}
	}
	return sum
}

// Some is a list in an answer of which elements that cannot be read are left out. It is nil when the answer has none.
type Some[T any] []T

// UnmarshalJSON reads a list; a value that is none is an error.
func (s *Some[T]) UnmarshalJSON(data []byte) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(data, &elements); err != nil {
		return err
	}
	if elements == nil {
		*s = nil
		return nil
	}
	*s = make(Some[T], 0, len(elements))
	for _, element := range elements {
		var one T
		if json.Unmarshal(element, &one) == nil {
			*s = append(*s, one)
		}
	}
	return nil
}

// Maybe is a member of an answer that is left at its zero value when it cannot be read.
type Maybe[T any] struct{ Value T }

// UnmarshalJSON never fails.
func (m *Maybe[T]) UnmarshalJSON(data []byte) error {
	var value T
	if json.Unmarshal(data, &value) == nil {
		m.Value = value
	}
	return nil
}
