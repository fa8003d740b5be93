package ledger_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/ledger"
)

func open(t *testing.T, path string) (*ledger.Journal, []string) {
	t.Helper()
	var lines []string
	j, err := ledger.OpenJournal(config(path, func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	}))
	require.NoError(t, err)
	return j, lines
}

func config(path string, replay func([]byte) error) ledger.JournalConfig {
	return ledger.JournalConfig{Path: path, Logger: slog.New(slog.DiscardHandler), Replay: replay}
}

func TestRecordsSurviveRestart(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "new", "folder", "a.jsonl")
	j, lines := open(t, path)
	require.Empty(t, lines)
	const records = 200
	var group sync.WaitGroup
	for i := range records {
		group.Go(func() { require.NoError(t, j.Append(map[string]int{"n": i})) })
	}
	group.Wait()
	require.NoError(t, j.Close())
	require.ErrorIs(t, j.Append(1), ledger.ErrClosed)

	j, lines = open(t, path)
	require.NoError(t, j.Append("more"))
	require.NoError(t, j.Close())
	seen := make(map[int]bool)
	for _, line := range lines {
		var record struct{ N int }
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		seen[record.N] = true
	}
	require.Len(t, seen, records)
	_, lines = open(t, path)
	require.Len(t, lines, records+1)
	require.Equal(t, `"more"`, lines[records])
}

func TestIncompleteLastLineIsRemoved(t *testing.T) {
	t.Parallel()

	for name, tail := range map[string]string{
		"without its end": `{"n":2`, "of zeros": "\x00\x00\x00\x00\n", "half of it": "{\"n\":\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			path := filepath.Join(t.TempDir(), "a.jsonl")
			require.NoError(t, os.WriteFile(path, []byte("{\"n\":1}\n"+tail), 0o600))
			j, lines := open(t, path)
			require.Equal(t, []string{`{"n":1}`}, lines)
			require.NoError(t, j.Append(3))
			require.NoError(t, j.Close())
			content, err := os.ReadFile(filepath.Clean(path))
			require.NoError(t, err)
			require.Equal(t, "{\"n\":1}\n3\n", string(content))
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	damaged := filepath.Join(folder, "damaged")
	require.NoError(t, os.WriteFile(damaged, []byte("{\n1\n"), 0o600))
	_, err := ledger.OpenJournal(config(damaged, func([]byte) error { return nil }))
	require.ErrorContains(t, err, "line 1 is damaged")

	strange := filepath.Join(folder, "strange")
	require.NoError(t, os.WriteFile(strange, []byte("1\n"), 0o600))
	_, err = ledger.OpenJournal(config(strange, func([]byte) error { return errors.New("unknown") }))
	require.ErrorContains(t, err, "line 1: unknown")

	held := filepath.Join(folder, "held")
	j, _ := open(t, held)
	_, err = ledger.OpenJournal(config(held, func([]byte) error { return nil }))
	require.ErrorContains(t, err, "held by another process")
	require.NoError(t, j.Close())

	_, err = ledger.OpenJournal(ledger.JournalConfig{Path: held})
	require.Error(t, err)
	_, err = ledger.OpenJournal(config(filepath.Join(held, "below"), func([]byte) error { return nil }))
	require.Error(t, err)
}

func TestTruncate(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "a.jsonl")
	j, _ := open(t, path)
	require.NoError(t, j.Append(1))
	require.NoError(t, j.Truncate())
	require.NoError(t, j.Append(2))
	require.Error(t, j.Append(func() {}))
	require.NoError(t, j.Close())
	_, lines := open(t, path)
	require.Equal(t, []string{"2"}, lines)
}
