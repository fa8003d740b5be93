package apiforms

import (
	"fmt"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/rfc3339"
)

// Optional is a field of a change: omitted it changes nothing, and null sets the zero value.
type Optional[T any] struct {
	Set   bool
	Value T

	null bool
}

// UnmarshalJSONFrom reads the field.
func (o *Optional[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	o.Set, o.null = true, dec.PeekKind() == 'n'
	return json.UnmarshalDecode(dec, &o.Value)
}

// Schema returns the schema of the value.
func (Optional[T]) Schema(registry huma.Registry) *huma.Schema {
	of := reflect.TypeFor[T]()
	if provider, ok := any(*new(T)).(huma.SchemaProvider); ok {
		return provider.Schema(registry)
	}
	return huma.SchemaFromType(registry, of)
}

// pointer returns nil for an omitted field.
func (o Optional[T]) pointer() *T {
	if !o.Set {
		return nil
	}
	return &o.Value
}

// existing returns NOT_FOUND if a client sent the nil UUID, which no resource has. The message is a format for the ID.
func existing[I interface {
	~[16]byte
	IsZero() bool
}](o Optional[I], message string) error {
	if o.Set && !o.null && o.Value.IsZero() {
		return apperr.New(apperr.NotFound, message, o.Value)
	}
	return nil
}

// OptionalTime parses a time; an empty text is the zero time.
func OptionalTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := rfc3339.Parse(text)
	return stored(at), err
}

// stored returns a time in milliseconds, the precision of stored times. The first instant of year 1 must not become the
// zero time, which means none.
func stored(at time.Time) time.Time {
	if at = at.Truncate(time.Millisecond); at.IsZero() {
		return at.Add(time.Millisecond)
	}
	return at
}

// optionsPatch is a merge patch (RFC 7396) of a post's options.
type optionsPatch struct{ raw jsontext.Value } //nolint:recvcheck // Schema needs a value, decoding a pointer

// UnmarshalJSONFrom stores the patch, which the schema has validated.
func (p *optionsPatch) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	p.raw = raw.Clone()
	return err
}

// Schema documents the patch: every option of every platform, each nullable.
func (optionsPatch) Schema(registry huma.Registry) *huma.Schema {
	s := huma.SchemaFromType(registry, reflect.TypeFor[PostOptions]())
	s.Nullable, s.Required = true, nil
	for _, member := range s.Properties {
		member.Nullable = true
	}
	return s
}

// apply returns the options after the patch.
func (p optionsPatch) apply(before post.Options) (post.Options, error) {
	var after post.Options
	if p.raw == nil || p.raw.Kind() == 'n' {
		return after, nil
	}
	kept, err := json.Marshal(before)
	if err != nil {
		return after, fmt.Errorf("encode options: %w", err)
	}
	members := map[string]jsontext.Value{}
	for _, raw := range [][]byte{kept, p.raw} { // the patch overrides
		if err := json.Unmarshal(raw, &members); err != nil {
			return after, fmt.Errorf("merge options: %w", err)
		}
	}
	merged, err := json.Marshal(members)
	if err != nil {
		return after, fmt.Errorf("encode options: %w", err)
	}
	if err := json.Unmarshal(merged, &after); err != nil { // a null leaves the zero value
		return after, fmt.Errorf("decode options: %w", err)
	}
	return after, nil
}
