package structure_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
)

// TestEveryMigrationIsReversible checks that both directions of a migration contain statements. It also checks that the
// numbers have no gaps, so that two branches which add a migration cannot both be merged unnoticed.
func TestEveryMigrationIsReversible(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(postgres.MigrationFiles(), "migrations/*")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	named := regexp.MustCompile(`^\d{5}_[a-z0-9_]+\.sql$`)
	for i, name := range names {
		require.Regexp(t, named, path.Base(name))
		require.Equal(t, fmt.Sprintf("%05d", i+1), path.Base(name)[:5], "the numbers of migrations follow one another")
		raw, err := fs.ReadFile(postgres.MigrationFiles(), name)
		require.NoError(t, err)
		_, up, found := strings.Cut(string(raw), "-- +goose Up")
		require.True(t, found, "%s has no -- +goose Up", name)
		up, down, found := strings.Cut(up, "-- +goose Down")
		require.True(t, found, "%s has no -- +goose Down", name)
		require.True(t, hasStatement(up), "%s has nothing in Up", name)
		require.True(t, hasStatement(down), "%s has nothing in Down: migrations can be taken back", name)
	}
}

func hasStatement(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			return true
		}
	}
	return false
}
