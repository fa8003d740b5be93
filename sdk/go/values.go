package fencepost

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"time"
)

// Optional is a member of a change, which is absent, null or a value. The zero value is absent: nothing changes.
type Optional[T any] struct {
	value T
	state state
}

type state uint8

const (
	absent state = iota
	null
	present
)

// Set returns a member with a value.
func Set[T any](value T) Optional[T] { return Optional[T]{value: value, state: present} }

// Clear returns a member that is null, which removes the value.
func Clear[T any]() Optional[T] { return Optional[T]{state: null} }

// Ptr returns a pointer to a value, for members that are numbers or booleans and may be absent.
func Ptr[T any](value T) *T { return &value }

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return o.state == absent }

// Get returns the value; false if the member is absent or null.
func (o Optional[T]) Get() (T, bool) { return o.value, o.state == present }

// MarshalJSON encodes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != present {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON decodes the value or null.
func (o *Optional[T]) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*o = Clear[T]()
		return nil
	}
	o.state = present
	return json.Unmarshal(raw, &o.value)
}

// discriminator returns the member that names the type of a document.
func discriminator(raw []byte, name string) string {
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(raw, &members) != nil || json.Unmarshal(members[name], &text) != nil {
		return ""
	}
	return text
}

func decodeAs[T any](raw []byte) (T, error) {
	var out T
	err := json.Unmarshal(raw, &out)
	return out, err
}

// add adds a parameter to a query, unless it is the zero value. Lists are repeated.
func add(query url.Values, name string, value any) {
	if moment, ok := value.(time.Time); ok {
		if !moment.IsZero() {
			query.Set(name, moment.Format(time.RFC3339Nano))
		}
		return
	}
	list := reflect.ValueOf(value)
	if list.Kind() == reflect.Slice {
		for i := range list.Len() {
			query.Add(name, fmt.Sprint(list.Index(i).Interface()))
		}
		return
	}
	if !list.IsZero() {
		query.Set(name, fmt.Sprint(value))
	}
}
