package httpapi

import (
	stdjson "encoding/json"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/domain/event"
)

// exampleResponses documents the response to each request example under the same name. Properties that the response
// repeats have the request's values.
func (o operation) exampleResponses() *huma.MediaType {
	if len(o.bodies) == 0 {
		return &huma.MediaType{Example: exampleOf(o.response)}
	}
	examples := make(map[string]*huma.Example, len(o.bodies))
	for name, body := range o.bodies {
		response, ok := o.responses[name]
		if !ok {
			response = o.response
		}
		examples[name] = &huma.Example{
			Summary: body.Summary, Value: o.repeated(parsed(exampleOf(response)), parsed(exampleOf(body.Value))),
		}
	}
	return &huma.MediaType{Examples: examples}
}

func parsed(raw stdjson.RawMessage) any {
	var value any
	if err := stdjson.Unmarshal(raw, &value); err != nil {
		return nil // a test validates the examples
	}
	return value
}

// repeated copies the values of a request into the properties of the response with the same names.
func (o operation) repeated(response, request any) any {
	switch response := response.(type) {
	case []any:
		for i, item := range response {
			response[i] = o.repeated(item, request)
		}
	case object:
		sent, _ := request.(object)
		for name, value := range sent {
			if present, has := response[name]; has && !slices.Contains(o.ownMembers, name) {
				response[name] = o.merged(present, value)
			}
		}
	}
	return response
}

// merged returns a property of the response that repeats a value: times in UTC, objects property by property.
func (o operation) merged(present, value any) any {
	switch value := value.(type) {
	case object:
		return o.repeated(present, value)
	case string:
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return event.FormatTime(at)
		}
	}
	return value
}
