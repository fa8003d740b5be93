package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/retry"
)

// TestClaimingMessageFiles checks that each file has one execution, and that files wait after failed requests to their network.
func TestClaimingMessageFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.inboxOf(t, b.ws, "9", "7")
	of := &reports{}
	of.add("9", "u/1", b.now, inbox.Change{Connection: &inbox.Connection{ID: "c", ExternalID: "9:7", Enabled: true, At: b.now}})
	of.add("9", "u/2", b.now, inbox.Change{Message: &inbox.Written{
		Connection: "c", Thread: "21", ExternalID: "1", Direction: inbox.In, Person: inbox.Identity{ID: "21"}, SentAt: b.now,
		Files: []inbox.File{{Reference: "a", Name: "a.pdf", Type: "application/pdf", Size: 9}, {Reference: "b", Name: "b.pdf"}},
	}})
	b.reported(t, of.events...)
	b.processed(t, of, 10)
	require.Equal(t, []string{"a.pdf"}, postgrestest.Column(t, b.address, `SELECT preview FROM conversation`))
	s := postgres.NewMessageFiles(b.db, keyring(t))
	turn := retry.Turn{Limit: 10, Share: 10}
	claim := func() []postgres.WaitingFile {
		t.Helper()
		claimed, err := s.Claim(t.Context(), turn, time.Minute)
		require.NoError(t, err)
		return claimed
	}
	again := func() {
		t.Helper()
		postgrestest.Exec(t, b.address, `UPDATE message_file SET next_at = now()`)
	}
	claimed := claim()
	require.Len(t, claimed, 2)
	require.Equal(t, c.ID, claimed[0].Channel.ID)
	require.Empty(t, claim(), "they are leased")
	require.NoError(t, s.NotLoaded(t.Context(), claimed[0], inbox.Waiting, "Down.", 0))
	require.Len(t, claim(), 1)

	for range 3 {
		require.NoError(t, s.Failed(t.Context(), c, 5))
	}
	again()
	fresh := claim()
	require.Len(t, fresh, 1, "the last requests of an hour are left to new files")
	require.Zero(t, fresh[0].Tries)
	for range 2 {
		require.NoError(t, s.Failed(t.Context(), c, 5))
	}
	again()
	require.Empty(t, claim())
	postgrestest.Exec(t, b.address, `UPDATE message_file_failures SET since = now() - interval '61 minutes'`)
	require.Len(t, claim(), 2)
	require.NoError(t, s.Failed(t.Context(), c, 5))
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address, `SELECT failed FROM message_file_failures`))

	postgrestest.Exec(t, b.address, `UPDATE message_file SET network_ref = 'other'`)
	require.ErrorIs(t, s.Loaded(t.Context(), claimed[0]), postgres.ErrStale)
	require.ErrorIs(t, s.NotLoaded(t.Context(), claimed[0], inbox.Refused, "", 0), postgres.ErrStale)
}
