package mediastore_test

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
)

type video struct {
	ID  string `json:"id"`
	Got int64  `json:"got"`
}

func (v video) Key() string { return v.ID }

func openUploads(t *testing.T, folder string) *mediastore.Uploads[video] {
	t.Helper()
	store, err := mediastore.OpenUploads[video](folder, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return store
}

func all(video) bool { return true }

func content(t *testing.T, store *mediastore.Uploads[video], key string, size int64) string {
	t.Helper()
	file := store.Reader(key, size)
	read, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return string(read)
}

func TestRangesAreAssembled(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "uploads")
	store := openUploads(t, folder)
	require.NoError(t, store.Keep(video{ID: "a"}))
	require.NoError(t, store.Write("a", 0, 3, strings.NewReader("xyz")))
	require.NoError(t, store.Write("a", 0, 3, strings.NewReader("abc")), "again")
	require.NoError(t, store.Write("a", 3, 2, strings.NewReader("de")))
	require.ErrorIs(t, store.Write("a", 5, 3, strings.NewReader("fg")), mediastore.ErrLength)
	require.ErrorIs(t, store.Write("a", 5, 1, strings.NewReader("fg")), mediastore.ErrLength)
	require.NoError(t, store.Keep(video{ID: "a", Got: 5}))
	require.NoError(t, store.Keep(video{ID: "b"}))
	require.NoError(t, store.Close())

	store = openUploads(t, folder)
	record, ok := store.Get("a")
	require.True(t, ok)
	require.Equal(t, video{ID: "a", Got: 5}, record)
	require.Equal(t, []video{{ID: "b"}, {ID: "a", Got: 5}}, store.List(all))
	require.Equal(t, "abcde", content(t, store, "a", 5))

	require.NoError(t, store.Drop("a"))
	require.Empty(t, content(t, store, "a", 5))
	require.NoError(t, store.Write("b", 0, 1, strings.NewReader("b")))
	require.NoError(t, store.Clear())
	require.Empty(t, store.List(all))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the journal")
	require.NoError(t, store.Close())
}

func TestPiecesAreJoined(t *testing.T) {
	t.Parallel()
	store := openUploads(t, t.TempDir())
	require.NoError(t, store.Add("a", 1, []byte("cd")))
	require.NoError(t, store.Add("a", 3, []byte("gap")))
	require.Zero(t, store.Size("a"), "the first piece is missing")
	require.NoError(t, store.Add("a", 0, []byte("x")))
	require.NoError(t, store.Add("a", 0, []byte("ab")), "again")
	require.NoError(t, store.Add("ab", 0, []byte("of another file")))
	require.Equal(t, int64(4), store.Size("a"))
	require.Equal(t, "abcd", content(t, store, "a", 100))
	require.NoError(t, store.Drop("a"))
	require.Zero(t, store.Size("a"))
	require.Equal(t, int64(15), store.Size("ab"))
	require.NoError(t, store.Close())
}

func TestLatestStateOfRecordIsKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	store := openUploads(t, folder)
	require.Equal(t, "100", store.Next(100))
	require.Equal(t, "101", store.Next(50))
	require.NoError(t, store.Keep(video{ID: "300", Got: 1}))
	more := func(v *video) { v.ID, v.Got = "300", v.Got+10 }
	require.NoError(t, store.Change("300", more))
	require.NoError(t, store.Change("none", func(v *video) {
		require.Zero(t, *v)
		*v = video{ID: "none"}
	}))
	require.NoError(t, store.Close())

	store = openUploads(t, folder) // also after a restart
	require.Equal(t, "301", store.Next(100))
	require.Equal(t, []video{{ID: "none"}, {ID: "300", Got: 11}}, store.List(all))
	_, ok := store.Get("other")
	require.False(t, ok)
	require.NoError(t, store.Close())
	require.ErrorIs(t, store.Keep(video{ID: "e"}), ledger.ErrClosed)
	require.ErrorIs(t, store.Change("e", more), ledger.ErrClosed)
	require.ErrorIs(t, store.Clear(), ledger.ErrClosed)
	_, ok = store.Get("e")
	require.False(t, ok, "not on disk")
}

func TestUnreadableRecordsAreRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "records.jsonl"), []byte("[]\n"), 0o600))
	_, err := mediastore.OpenUploads[video](folder, slog.New(slog.DiscardHandler))
	require.Error(t, err)
}

func TestProgress(t *testing.T) {
	t.Parallel()
	words := mediastore.Progress{Waiting: "waiting", Processing: "processing", Failed: "failed", Done: "done", Time: time.Second}
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	require.Equal(t, "waiting", words.State(time.Time{}, now, false))
	require.Equal(t, "processing", words.State(now, now.Add(time.Second-1), true))
	require.Equal(t, "failed", words.State(now, now.Add(time.Second), true))
	require.Equal(t, "done", words.State(now, now.Add(time.Second), false))
}

func TestParseRange(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]mediastore.Range{
		"bytes 0-9/100":   {From: 0, To: 9, Total: 100},
		"bytes 90-99/100": {From: 90, To: 99, Total: 100},
		"bytes */100":     {Total: 100, Status: true},
	} {
		got, err := mediastore.ParseRange(header)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Equal(t, int64(10), mediastore.Range{From: 0, To: 9, Total: 100}.Length())
	for _, header := range []string{
		"", "bytes", "bytes 9-0/100", "bytes 0-100/100", "bytes 0-9/*", "bytes=0-9/100", "bytes -1-9/100",
		"bytes 0-9/99999999999999999999", "bytes */x",
	} {
		_, err := mediastore.ParseRange(header)
		require.Error(t, err, header)
	}
}
