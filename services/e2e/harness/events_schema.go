package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fencepost.internal/shared/domain/event"
)

const (
	address = "https://schemas.test/events.schema.json"
	// timePattern is the format of times (docs/contract.md, Times).
	timePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`
)

// EventValidator validates events. It is safe for concurrent use.
type EventValidator struct {
	types []event.Type // in the order of the schemas
	byTyp map[event.Type]*jsonschema.Schema
}

// NewEventValidator returns a validator for the published schemas.
func NewEventValidator(published []byte) (*EventValidator, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
	if err != nil {
		return nil, fmt.Errorf("event schemas: %w", err)
	}
	closeObjects(document)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(address, document); err != nil {
		return nil, fmt.Errorf("event schemas: %w", err)
	}
	var index struct {
		OneOf []struct {
			Ref string `json:"$ref"`
		} `json:"oneOf"`
		Definitions map[string]struct {
			Properties struct {
				Type struct {
					Enum []event.Type `json:"enum"`
				} `json:"type"`
			} `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(published, &index); err != nil {
		return nil, fmt.Errorf("event schemas: %w", err)
	}
	v := &EventValidator{byTyp: make(map[event.Type]*jsonschema.Schema)}
	for _, one := range index.OneOf {
		types := index.Definitions[strings.TrimPrefix(one.Ref, "#/$defs/")].Properties.Type.Enum
		if len(types) != 1 {
			return nil, fmt.Errorf("event schemas: %s is not the schema of one type", one.Ref)
		}
		schema, err := compiler.Compile(address + one.Ref)
		if err != nil {
			return nil, fmt.Errorf("event schemas: %w", err)
		}
		v.types, v.byTyp[types[0]] = append(v.types, types[0]), schema
	}
	return v, nil
}

// closeObjects forbids members that the schemas do not name and times in another format, at every depth.
func closeObjects(schema any) {
	switch schema := schema.(type) {
	case map[string]any:
		for _, inner := range schema {
			closeObjects(inner)
		}
		if schema["format"] == "date-time" {
			schema["pattern"] = timePattern
		}
		if _, isObject := schema["properties"].(map[string]any); isObject {
			schema["additionalProperties"] = false
		}
	case []any:
		for _, inner := range schema {
			closeObjects(inner)
		}
	}
}

// Types returns the types that have a schema, in the order of the schemas.
func (v *EventValidator) Types() []event.Type { return slices.Clone(v.types) }

// Check returns an error if an event, as sent or stored, is invalid.
func (v *EventValidator) Check(body []byte) error {
	switch {
	case len(body) > event.MaxBody:
		return fmt.Errorf("%d bytes: %w", len(body), event.ErrTooLarge)
	case bytes.ContainsAny(body, "\r\n"):
		return errors.New("line breaks in an event")
	}
	for _, escaped := range []string{`\u003c`, `\u003e`, `\u0026`} {
		if bytes.Contains(bytes.ReplaceAll(body, []byte(`\\`), nil), []byte(escaped)) {
			return fmt.Errorf("%s in an event: it is not escaped for HTML", escaped)
		}
	}
	if !json.Valid(body) {
		return errors.New("an event is not JSON")
	}
	var envelope struct {
		Type event.Type `json:"type"`
	}
	_ = json.Unmarshal(body, &envelope) // missing members are reported below
	schema := v.byTyp[envelope.Type]
	if schema == nil {
		return fmt.Errorf("no schema for events of type %q", envelope.Type)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("read %s: %w", envelope.Type, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s: %w\n%s", envelope.Type, err, body)
	}
	return nil
}
