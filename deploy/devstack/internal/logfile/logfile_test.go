package logfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/devstack/internal/logfile"
)

func TestALogIsBounded(t *testing.T) {
	t.Parallel()
	const mebibyte = 1 << 20
	path := filepath.Join(t.TempDir(), "server.log")
	log := logfile.New(path)
	line := append(bytes.Repeat([]byte("x"), mebibyte-1), '\n')
	for range 3 * logfile.Size {
		_, err := log.Write(line)
		require.NoError(t, err)
	}
	require.NoError(t, log.Close())

	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "server*.log"))
	require.NoError(t, err)
	require.Contains(t, files, path)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(logfile.Size*mebibyte))
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}
	require.Eventually(t, func() bool {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "server*.log"))
		return assert.NoError(t, err) && len(files) == 2
	}, 10*time.Second, 10*time.Millisecond, "older files are deleted")
}

func TestALogGoesOnAfterClose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "server.log")
	log := logfile.New(path)
	for _, line := range []string{"one\n", "two\n"} {
		_, err := log.Write([]byte(line))
		require.NoError(t, err)
		require.NoError(t, log.Close())
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(raw))
}
