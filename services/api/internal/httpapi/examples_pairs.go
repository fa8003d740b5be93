package httpapi

import (
	stdjson "encoding/json"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/shared/domain/event"
)

// exampleAnswers documents the answer to each example of a request, under the same name. A member of the request that the answer
// repeats has the same value in both.
func (o operation) exampleAnswers() *huma.MediaType {
	if len(o.bodies) == 0 {
		return &huma.MediaType{Example: exampleOf(o.answer)}
	}
	examples := make(map[string]*huma.Example, len(o.bodies))
	for name, body := range o.bodies {
		answer, ok := o.answers[name]
		if !ok {
			answer = o.answer
		}
		examples[name] = &huma.Example{Summary: body.Summary, Value: o.repeated(parsed(exampleOf(answer)), parsed(exampleOf(body.Value)))}
	}
	return &huma.MediaType{Examples: examples}
}

func parsed(raw stdjson.RawMessage) any {
	var value any
	if err := stdjson.Unmarshal(raw, &value); err != nil {
		return nil // a test compares examples with their schemas
	}
	return value
}

// repeated puts the values of a request into the members of the answer that have the same names.
func (o operation) repeated(answer, request any) any {
	switch answer := answer.(type) {
	case []any:
		for i, item := range answer {
			answer[i] = o.repeated(item, request)
		}
	case object:
		sent, _ := request.(object)
		for name, value := range sent {
			if present, has := answer[name]; has && !slices.Contains(o.ownMembers, name) {
				answer[name] = o.merged(present, value)
			}
		}
	}
	return answer
}

// merged is a member of the answer that repeats a value: times in UTC, objects member by member.
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
