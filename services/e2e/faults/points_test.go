package faults_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// named is how a crash point gets its name in product code.
var named = regexp.MustCompile(`(?m)^\s*(?:const )?(?:Fail|point)\w+\s*=\s*"([a-z]+\.[a-z_]+)"`)

// TestFEveryCrashPointHasAScenario holds the crash points of the code against those that scenarios of this folder name.
func TestFEveryCrashPointHasAScenario(t *testing.T) {
	const root = "../../.."
	var points []string
	for _, module := range []string{"shared", "activities", "workflows", "services"} {
		points = append(points, pointsIn(t, filepath.Join(root, module))...)
	}
	require.Greater(t, len(points), 15, "the pattern finds no crash points any more")
	scenarios := textOf(t, ".", func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	for _, point := range points {
		require.True(t, strings.Contains(scenarios, `"`+point), "no scenario kills a process at the crash point %s", point) //nolint:testifylint // Contains would print every scenario
	}
}

func pointsIn(t *testing.T, folder string) []string {
	t.Helper()
	text := textOf(t, folder, func(path string) bool { return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") })
	var points []string
	for _, match := range named.FindAllStringSubmatch(text, -1) {
		points = append(points, match[1])
	}
	return points
}

// textOf is the files of a folder, one behind the other.
func textOf(t *testing.T, folder string, wanted func(path string) bool) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(path) {
			return err
		}
		raw, err := os.ReadFile(path)
		all.Write(raw)
		return err
	}))
	return all.String()
}
