package process_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
)

// logs returns the current and the renamed files of the log at path.
func logs(t *testing.T, path string) []string {
	t.Helper()
	files, err := filepath.Glob(strings.TrimSuffix(path, ".log") + "*.log")
	require.NoError(t, err)
	return files
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	const mebibyte = 1 << 20
	path := filepath.Join(t.TempDir(), "server.log")
	log := process.NewLog(path)
	line := append(bytes.Repeat([]byte("x"), mebibyte-1), '\n')
	for range 3 * process.LogSize {
		_, err := log.Write(line)
		require.NoError(t, err)
	}
	require.NoError(t, log.Close())

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Len(c, logs(t, path), 2)
	}, 10*time.Second, 10*time.Millisecond, "older files are deleted")
	for _, file := range logs(t, path) {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(process.LogSize*mebibyte))
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}
	require.FileExists(t, path)
}

func TestLogReopensAfterClose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "server.log")
	log := process.NewLog(path)
	for _, line := range []string{"one\n", "two\n"} {
		_, err := log.Write([]byte(line))
		require.NoError(t, err)
		require.NoError(t, log.Close())
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(raw))
}
