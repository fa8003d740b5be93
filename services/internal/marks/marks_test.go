package marks_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/marks"
	"fencepost.internal/shared/domain/channel"
)

func TestEveryNetworkHasItsMark(t *testing.T) {
	t.Parallel()
	for _, kind := range channel.Types() {
		body := marks.Body(string(kind.Network()))
		require.True(t, strings.HasPrefix(body, "<path") && strings.HasSuffix(body, "</svg>"), "%s: %s", kind, body)
		require.NotContains(t, body, "<title")
	}
	for _, name := range []string{"", "unknown", "../marks"} {
		require.Empty(t, marks.Body(name), name)
	}
}
