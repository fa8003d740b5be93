package problem_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/problem"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"channelId", "cursor", "limit", "scheduledFrom", "scheduledTo", "sort", "status"}
	synonyms := map[string]string{"page": "cursor", "size": "absent"}
	for name, want := range map[string]string{
		"stauts": "status", "Status": "status", "channel_id": "channelId", "channelID": "channelId", "channel": "channelId",
		"channelIds": "channelId", "limits": "limit", "lmit": "limit", "page": "cursor", "PAGE": "cursor",
		"scheduled-from": "scheduledFrom",
		"scheduledForm":  "scheduledFrom", "sorts": "sort", "corsor": "cursor",
		"": "", "x": "", "so": "", "state": "", "colour": "", "size": "", "secret": "", "password": "",
		strings.Repeat("limit", 1000): "",
	} {
		require.Equal(t, want, problem.Nearest(name, known, synonyms), name)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	known := []string{"cursor", "limit"}
	require.Equal(t, "is not a parameter, which has cursor, limit; did you mean limit?",
		problem.UnknownName("limt", "parameter", known, nil))
	require.Equal(t, "is not a parameter, which has cursor, limit", problem.UnknownName("colour", "parameter", known, nil))
	require.Equal(t, "is not a parameter, which has none", problem.UnknownName("limit", "parameter", nil, nil))
}
