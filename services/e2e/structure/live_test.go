package structure_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOnlyPeopleChangePublishedPosts checks that neither the API nor the tools reach the use cases that change
// published posts, which they may not change (docs/contract.md, Published posts).
func TestOnlyPeopleChangePublishedPosts(t *testing.T) {
	t.Parallel()
	read := 0
	for _, folder := range []string{"../../api", "../../mcp", "../../internal/apiforms", "../../internal/compose"} {
		files := os.DirFS(folder)
		require.NoError(t, fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			raw, err := fs.ReadFile(files, path)
			require.NotContains(t, string(raw), "app.NewLive(", path)
			require.NotContains(t, string(raw), "app.Live)", path)
			read++
			return err
		}))
	}
	require.Greater(t, read, 50)
}
