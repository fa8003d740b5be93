package postgres_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestRefreshLease checks which execution gets the lease, and which writes each owner may make.
func TestRefreshLease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owned := func(revision int) postgres.RefreshLease {
		return postgres.RefreshLease{Channel: b.ch.ID, Revision: revision, Owner: uuid.New()}
	}
	acquires := func(lease postgres.RefreshLease) bool {
		_, acquired, err := b.channels.AcquireRefresh(t.Context(), lease, time.Minute)
		require.NoError(t, err)
		return acquired
	}
	stores := func(lease postgres.RefreshLease) bool {
		stored, err := b.channels.StoreRefreshed(t.Context(), b.ch, lease, channel.Credentials{AccessToken: "fresh"})
		require.NoError(t, err)
		return stored
	}
	holders := func() []string {
		return postgrestest.Column(t, b.address, `SELECT COALESCE(CAST(refreshing_by AS text), '') FROM channel`)
	}
	ours, theirs := owned(0), owned(0)
	require.False(t, acquires(owned(1)), "another revision")
	require.False(t, acquires(postgres.RefreshLease{Channel: ident.New[ident.Channel](), Owner: uuid.New()}),
		"no such channel")
	require.True(t, acquires(ours))
	require.False(t, acquires(theirs), "held")
	require.False(t, acquires(ours), "an owner acquires once")
	require.False(t, stores(theirs), "held by another owner")
	require.NoError(t, b.channels.ReleaseRefresh(t.Context(), theirs))
	require.Equal(t, []string{ours.Owner.String()}, holders(), "only the owner releases")

	postgrestest.Exec(t, b.address, `UPDATE channel SET refreshing_until = now()`)
	require.True(t, acquires(theirs), "the lease has ended")
	require.False(t, stores(ours), "taken over")
	require.NoError(t, b.channels.ReleaseRefresh(t.Context(), theirs))
	require.Equal(t, []string{""}, holders())

	require.True(t, acquires(theirs))
	postgrestest.Exec(t, b.address, `UPDATE channel SET refreshing_until = now()`)
	require.True(t, stores(theirs), "ended, and not taken over")
	require.Equal(t, []string{""}, holders())
	stored, revision, err := b.channels.Credentials(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, "fresh", stored.AccessToken)
	require.Equal(t, 1, revision)
	require.False(t, stores(theirs), "another revision")

	require.NoError(t, b.channels.NeedsReconnect(t.Context(), b.ch.ID, 1))
	require.False(t, acquires(owned(1)), "only a user can restore the connection")
}

// TestRenewedCredentialsAreStoredWithTimelineEntry checks that a channel's timeline has an entry for each stored renewal, and
// none for one that was not stored.
func TestRenewedCredentialsAreStoredWithTimelineEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	note := channel.Note{At: time.Now(), Kind: channel.NoteRenewed, Detail: "Renewed."}
	store := func(revision int, note channel.Note) (bool, error) {
		lease := postgres.RefreshLease{Channel: b.ch.ID, Revision: revision, Owner: uuid.New()}
		return b.channels.StoreRefreshed(t.Context(), b.ch, lease, channel.Credentials{AccessToken: "fresh"}, note)
	}
	const invalid = "\x00" // PostgreSQL stores no such text
	stored, err := store(0, channel.Note{At: note.At, Kind: note.Kind, Detail: invalid})
	require.Error(t, err)
	require.False(t, stored)
	_, revision, err := b.channels.Credentials(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Zero(t, revision, "stored without their note")

	for _, want := range []bool{true, false} { // the second one has an old revision
		stored, err = store(0, note)
		require.NoError(t, err)
		require.Equal(t, want, stored)
	}
	timeline, err := b.channels.Timeline(t.Context(), b.ch.ID, 10)
	require.NoError(t, err)
	require.Len(t, timeline, 1)
	require.Equal(t, note.Kind, timeline[0].Kind)
	require.Equal(t, note.Detail, timeline[0].Detail)
}
