package faults_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// quoted returns a text as a JSON string.
func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	require.NoError(t, err)
	return string(raw)
}
