package postgres_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestStatementsHaveComments checks the form of the embedded statements: each begins with a comment that says why
// it is one statement. GORM reads an apostrophe, a question mark or an at sign in a comment as part of the parameters.
func TestStatementsHaveComments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("sql/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	variables, err := os.ReadFile("sql.go")
	require.NoError(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(variables), "//go:embed "+file+"\n", "%s is not embedded", file)
		require.True(t, strings.HasPrefix(string(raw), "-- "), "%s has no comment", file)
		comment := ""
		for line := range strings.Lines(string(raw)) {
			if _, after, found := strings.Cut(line, "--"); found {
				require.NotContains(t, after, "'", file)
				require.NotContains(t, after, "?", file)
				require.NotContains(t, after, "@", file)
				comment += " " + strings.TrimSpace(after)
			}
		}
		explained := strings.Contains(comment, "one statement") || strings.Contains(comment, "Ends ")
		require.True(t, explained, "%s does not say why it is one statement", file)
	}
}

// TestFenceIndexMatchesDomain checks that the index, which is the fence, covers the states that the domain calls fenced.
// Statements name these states literally, because only then the planner uses the index.
func TestFenceIndexMatchesDomain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	index := postgrestest.Column(t, b.address, `SELECT indexdef FROM pg_indexes WHERE indexname = 'publish_attempt_fence'`)
	require.Len(t, index, 1)
	var fenced []string
	for _, state := range post.AttemptStates() {
		require.Equal(t, state.Fenced(), strings.Contains(index[0], "'"+string(state)+"'"), state)
		if state.Fenced() {
			fenced = append(fenced, "'"+string(state)+"'")
		}
	}
	literal := "IN (" + strings.Join(fenced, ", ") + ")"
	for _, file := range []string{"post_change.sql", "recovery_fence.sql"} {
		raw, err := os.ReadFile(filepath.Join("sql", file))
		require.NoError(t, err)
		require.Contains(t, string(raw), "f.state "+literal, file)
	}
}
