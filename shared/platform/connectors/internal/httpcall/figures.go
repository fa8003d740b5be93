package httpcall

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// mostCounted is far above any real count, and small enough that sums of counts do not overflow.
const mostCounted = 1_000_000_000_000_000

// Figure is a count in a response: a number, or a number in quotes. Decoding never fails. An invalid value is unknown,
// so that one invalid figure does not affect the others.
type Figure struct {
	value int64
	known bool
}

// Count returns a known figure.
func Count(value int64) Figure { return Figure{value: value, known: true} }

// UnmarshalJSON decodes a count. Any other value leaves the figure unknown.
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

// count parses a non-negative integer up to mostCounted, in any floating-point notation. A float64 is exact up to
// mostCounted.
func count(text string) (int64, bool) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number != math.Trunc(number) || number < 0 || number > mostCounted {
		return 0, false
	}
	return int64(number), true
}

// Value returns the count, or nil if it is not known.
func (f Figure) Value() *int64 {
	if !f.known {
		return nil
	}
	value := f.value
	return &value
}

// Or returns the figure if it is known, and the other one otherwise.
func (f Figure) Or(other Figure) Figure {
	if f.known {
		return f
	}
	return other
}

// Sum adds the known figures. The result is unknown if none is known.
func Sum(figures ...Figure) Figure {
	var sum Figure
	for _, f := range figures {
		if f.known {
			sum = Count(sum.value + f.value)
		}
	}
	return sum
}

// Some is a list in a response. Elements that cannot be decoded are omitted. It is nil if the response has no list.
type Some[T any] []T

// UnmarshalJSON decodes a list. A value that is not a list is an error.
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

// Maybe is a member of a response that keeps its zero value if it cannot be decoded.
type Maybe[T any] struct{ Value T }

// UnmarshalJSON never fails.
func (m *Maybe[T]) UnmarshalJSON(data []byte) error {
	var value T
	if json.Unmarshal(data, &value) == nil {
		m.Value = value
	}
	return nil
}
