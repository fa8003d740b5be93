package structure_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
)

// TestTextsReferToExistingPages checks that each text that sends people to the application means one of its known pages.
func TestTextsReferToExistingPages(t *testing.T) {
	t.Parallel()
	sends := regexp.MustCompile(`["` + "`" + `].*\b(?:in|settings of) the application\b`)
	known := map[*regexp.Regexp]app.AppPage{
		regexp.MustCompile(`(?i)reconnect|(?:queue|resume).* it in|Add time slots|add time slots|Resume the queue`): app.ChannelPage,
		regexp.MustCompile(`are connected in|connect accounts in|resume publishing in`):                             app.ChannelsPage,
		regexp.MustCompile(`API key, created|key is revoked`):                                                       app.KeysPage,
		regexp.MustCompile(`edit and publish it in`):                                                                app.LinkPage,
		regexp.MustCompile(`unarchive|decides in`):                                                                  app.PostPage,
	}
	found := 0
	for _, folder := range []string{"../../api", "../../mcp", "../../admin", "../../worker", "../../internal", "../../../activities", "../../../shared"} {
		files := os.DirFS(folder)
		require.NoError(t, fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := fs.ReadFile(files, path)
			// A text may go on in the next line.
			text := regexp.MustCompile(`"\s*\+\n\s*"`).ReplaceAllString(string(raw), "")
			for _, line := range strings.Split(text, "\n") {
				if !sends.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "//") {
					continue
				}
				found++
				means := false
				for pattern := range known {
					means = means || pattern.MatchString(line)
				}
				require.True(t, means, "%s/%s: %s", folder, path, strings.TrimSpace(line))
			}
			return err
		}))
	}
	require.Greater(t, found, 10)
}
