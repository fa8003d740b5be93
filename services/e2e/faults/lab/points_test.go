package lab_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// named matches the declaration of a crash point's name in product code.
var named = regexp.MustCompile(`(?m)^\s*(?:const )?(?:Fail|point)\w+\s*=\s*"([a-z]+\.[a-z_]+)"`)

// TestEveryCrashPointHasScenario compares the crash points in the code with those in scenarios.
func TestEveryCrashPointHasScenario(t *testing.T) {
	t.Parallel()
	const root, suite = "../../../..", ".."
	var points []string
	for _, module := range []string{"shared", "activities", "workflows", "services"} {
		points = append(points, pointsIn(t, filepath.Join(root, module))...)
	}
	require.Greater(t, len(points), 15, "the pattern finds no crash points")
	scenarios := textOf(t, suite, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	missing := slices.DeleteFunc(points, func(point string) bool { return strings.Contains(scenarios, `"`+point) })
	require.Empty(t, missing, "no scenario kills a process at these crash points")
}

func pointsIn(t *testing.T, folder string) []string {
	t.Helper()
	text := textOf(t, folder, func(path string) bool {
		return strings.HasSuffix(path, ".go") &&
			!strings.HasSuffix(path, "_test.go")
	})
	var points []string
	for _, match := range named.FindAllStringSubmatch(text, -1) {
		points = append(points, match[1])
	}
	return points
}

// textOf returns the concatenated files of a folder.
func textOf(t *testing.T, folder string, wanted func(path string) bool) string {
	t.Helper()
	var all strings.Builder
	files := os.DirFS(folder)
	require.NoError(t, fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(path) {
			return err
		}
		raw, err := fs.ReadFile(files, path)
		all.Write(raw)
		return err
	}))
	return all.String()
}
