package tools_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/mcp/internal/tools"
	"fencepost.internal/shared/kernel/clock"
)

func TestPrint(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.Zero(t, tools.Print(&out))
	require.Equal(t, 27, strings.Count(out.String(), "\n## "), "a section for each tool")
	require.Contains(t, out.String(),
		"\nScopes: `posts:write`, and `posts:publish` for all but drafts. Hints: destructive, open world.\n")
	require.Contains(t, out.String(), "\nScopes: `posts:write` or `posts:publish`. Hints: read-only, idempotent.\n")
	require.Contains(t, out.String(), "- `postId` (required): ")
	require.Equal(t, 1, tools.Print(full{}))
}

// full is a writer that always fails, like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

var _ io.Writer = full{}

func TestConfig(t *testing.T) {
	t.Parallel()
	_, err := tools.New(tools.Config{Clock: clock.System()})
	require.ErrorContains(t, err, "required")
}
