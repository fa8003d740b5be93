package journal_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/journal"
)

type parcel struct {
	ID    string
	Stamp int
}

func records(t *testing.T, path string) *journal.Records[parcel] {
	t.Helper()
	r, err := journal.OpenRecords(path, slog.New(slog.DiscardHandler), func(p parcel) string { return p.ID })
	require.NoError(t, err)
	return r
}

func TestLatestStateOfRecordIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parcels.jsonl")
	r := records(t, path)
	require.NoError(t, r.Keep(parcel{"a", 1}))
	require.NoError(t, r.Keep(parcel{"b", 1}))
	require.NoError(t, r.Keep(parcel{"a", 2}))
	stamp := func(p parcel) parcel { return parcel{p.ID, p.Stamp + 10} }
	require.NoError(t, r.Change("a", stamp))
	require.NoError(t, r.Change("c", func(p parcel) parcel {
		require.Zero(t, p)
		return parcel{"c", 3}
	}))
	for range 2 {
		got, ok := r.Of("a")
		require.True(t, ok)
		require.Equal(t, parcel{"a", 12}, got)
		_, ok = r.Of("d")
		require.False(t, ok)
		require.ElementsMatch(t, []parcel{{"a", 12}, {"b", 1}, {"c", 3}}, slices.Collect(r.All()))
		require.NoError(t, r.Close())
		r = records(t, path) // also after a restart
	}
	require.NoError(t, r.Clear())
	require.Empty(t, slices.Collect(r.All()))
	require.NoError(t, r.Close())
	r = records(t, path)
	require.Empty(t, slices.Collect(r.All()))
	require.NoError(t, r.Close())

	require.ErrorIs(t, r.Keep(parcel{"e", 1}), journal.ErrClosed)
	require.ErrorIs(t, r.Change("e", stamp), journal.ErrClosed)
	require.ErrorIs(t, r.Clear(), journal.ErrClosed)
	_, ok := r.Of("e")
	require.False(t, ok, "not on disk")
}

func TestUnreadableRecordsAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parcels.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"ID\":7}\n{}\n"), 0o600))
	_, err := journal.OpenRecords(path, slog.New(slog.DiscardHandler), func(p parcel) string { return p.ID })
	require.Error(t, err)
	require.NotErrorIs(t, err, journal.ErrClosed)
}
