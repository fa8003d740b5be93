package structure_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocumentsReferToExistingFiles checks the paths in code spans of the documents for maintainers.
func TestDocumentsReferToExistingFiles(t *testing.T) {
	t.Parallel()
	folder := root(t)
	span := regexp.MustCompile("`((?:shared|workflows|activities|services|deploy|tools|docs)/[a-z0-9_./-]+)`")
	for _, document := range []string{"README.md", "CONTRIBUTING.md", "docs/architecture.md"} {
		text, err := os.ReadFile(filepath.Join(folder, document))
		require.NoError(t, err)
		named := span.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, named, document)
		for _, match := range named {
			_, err := os.Stat(filepath.Join(folder, match[1]))
			require.NoError(t, err, "%s names %s", document, match[1])
		}
	}
}
