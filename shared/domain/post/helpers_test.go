package post_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
)

// field returns one field of an event's data.
func field(t *testing.T, e *event.Event, name string) string {
	t.Helper()
	var envelope struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(e.Body, &envelope))
	require.Contains(t, envelope.Data, name)
	return string(envelope.Data[name])
}
