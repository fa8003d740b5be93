package partfile_test

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/partfile"
)

type upload struct {
	ID  string `json:"id"`
	Got int64  `json:"got"`
}

func (u upload) Key() string { return u.ID }

func open(t *testing.T, folder string) *partfile.Store[upload] {
	t.Helper()
	store, err := partfile.Open[upload](folder, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return store
}

func all(upload) bool { return true }

func TestRangesAreAssembled(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "uploads")
	store := open(t, folder)
	require.NoError(t, store.Keep(upload{ID: "a"}))
	require.NoError(t, store.Write("a", 0, 3, strings.NewReader("xyz")))
	require.NoError(t, store.Write("a", 0, 3, strings.NewReader("abc")), "again")
	require.NoError(t, store.Write("a", 3, 2, strings.NewReader("de")))
	require.ErrorIs(t, store.Write("a", 5, 3, strings.NewReader("fg")), partfile.ErrLength)
	require.ErrorIs(t, store.Write("a", 5, 1, strings.NewReader("fg")), partfile.ErrLength)
	require.NoError(t, store.Keep(upload{ID: "a", Got: 5}))
	require.NoError(t, store.Keep(upload{ID: "b"}))
	require.NoError(t, store.Close())

	store = open(t, folder)
	record, ok := store.Get("a")
	require.True(t, ok)
	require.Equal(t, upload{ID: "a", Got: 5}, record)
	require.Equal(t, []upload{{ID: "b"}, {ID: "a", Got: 5}}, store.List(all))
	file, err := store.Open("a", 5)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Equal(t, "abcde", string(content))
	require.NoError(t, file.Close())

	store.Drop("a")
	_, err = store.Open("a", 5)
	require.Error(t, err)
	require.NoError(t, store.Write("b", 0, 1, strings.NewReader("b")))
	require.NoError(t, store.Clear())
	require.Empty(t, store.List(all))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the journal")
	require.NoError(t, store.Close())
}

func TestParseRange(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]partfile.Range{
		"bytes 0-9/100":   {From: 0, To: 9, Total: 100},
		"bytes 90-99/100": {From: 90, To: 99, Total: 100},
		"bytes */100":     {Total: 100, Status: true},
	} {
		got, err := partfile.ParseRange(header)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Equal(t, int64(10), partfile.Range{From: 0, To: 9, Total: 100}.Length())
	for _, header := range []string{
		"", "bytes", "bytes 9-0/100", "bytes 0-100/100", "bytes 0-9/*", "bytes=0-9/100", "bytes -1-9/100",
		"bytes 0-9/99999999999999999999", "bytes */x",
	} {
		_, err := partfile.ParseRange(header)
		require.Error(t, err, header)
	}
}
