package post_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
)

// field returns one field of an event's data.
func field(t *testing.T, e event.Event, name string) string {
	t.Helper()
	var envelope struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(e.Body, &envelope))
	require.Contains(t, envelope.Data, name)
	return string(envelope.Data[name])
}

// emitted returns the types of the change's events, with spaces between.
func emitted(change post.Change) string {
	types := make([]string, len(change.Events))
	for i, e := range change.Events {
		types[i] = string(e.Type)
	}
	return strings.Join(types, " ")
}
