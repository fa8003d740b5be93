package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommandsOfPagesExist parses the command lines of the pages, without running them: the commands and their flags exist.
func TestCommandsOfPagesExist(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "guides", "*.md"))
	require.NoError(t, err)
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "docs", "reference", "cli.md"))
	blocks, lines := regexp.MustCompile("(?s)```sh.*?\n(.*?)```"), regexp.MustCompile(`(?m)^\s*(?:\$ )?fencepost ((?:'[^']*'|"[^"]*"|[^#|<>\n'"])+)`)
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
			for _, line := range lines.FindAllStringSubmatch(strings.ReplaceAll(block[1], "\\\n", " "), -1) {
				found++
				split, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\n' `+line[1]).Output()
				require.NoError(t, err, line[0])
				args := append(strings.Split(strings.TrimSpace(string(split)), "\n"), "--help")
				out, errs, code := newMachine(t, nil).run(t, "", args...)
				require.Zero(t, code, "%s: %s: %s", page, line[0], errs)
				require.Contains(t, out, "Usage", line[0])
			}
		}
	}
	require.Greater(t, found, 10)
}
