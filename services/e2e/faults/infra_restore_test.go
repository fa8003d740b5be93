package faults_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
)

// TestF51TheDatabaseIsRestored restores PostgreSQL from a backup after posts were published that are open in the
// backup.
func TestF51TheDatabaseIsRestored(t *testing.T) {
	restored(t, 40*time.Second, channel.Twitter, channel.TelegramChannel)
}

// TestNightF51TheDatabaseIsRestored includes waiting posts on Threads, whose lists show a post only after two minutes.
func TestNightF51TheDatabaseIsRestored(t *testing.T) {
	restored(t, 4*time.Minute, channel.Twitter, channel.Threads, channel.LinkedInPage, channel.FacebookPage,
		channel.TelegramChannel)
}

// restored takes a backup, publishes posts, restores the backup, and publishes the rest. waiting contains the types of
// the posts that were not published between backup and restore.
func restored(t *testing.T, within time.Duration, waiting ...channel.Type) {
	t.Helper()
	server := infra.StartPostgres(t, infra.PostgresOptions{})
	l := lab.Alone(t, lab.Fault{
		ID: "F51", Title: "PostgreSQL is restored from a base backup that lacks published posts",
		Expect: "I1 I4: after `worker recover` no post is published again, unpublished ones are; " +
			"OUTCOME_UNKNOWN on networks that cannot be read",
	})
	l.Run(1)
	types := slices.Compact(append(slices.Clone(three()), waiting...))
	soon, later := time.Now().Add(6*time.Second), time.Now().Add(25*time.Second)
	var out, due, brought []lab.Accepted
	for _, typ := range types { // published in the gap; due while everything is down; published early in the gap
		out = append(out, l.AcceptOne(soon, typ))
		brought = append(brought, l.AcceptOne(time.Now().Add(time.Hour), typ))
	}
	for _, typ := range waiting {
		due = append(due, l.AcceptOne(later, typ), l.AcceptOne(later.Add(20*time.Second), typ))
	}
	draft := l.Create(channel.Twitter, l.Text(), "draft")

	backup := server.Backup()
	for _, p := range brought {
		l.Publish(p.ID)
	}
	l.Publish(draft.ID)
	l.System.Create(channel.Twitter, "made in the gap", "now") // not in the backup
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Len(c, l.Query(c, `SELECT id FROM post WHERE status = 'PUBLISHED'`), len(out)+len(brought)+2)
	}, 30*time.Second, 100*time.Millisecond)
	require.Less(t, time.Now(), later, "no other post was published in the gap")
	l.APIProcess.Stop()
	l.Workers[0].Stop()
	server.Restore(backup)
	l.Injected("PostgreSQL restored; %d posts were published since the backup", len(l.Sandbox.Ledger()))
	<-time.After(time.Until(later)) // some become due meanwhile
	l.System.Run("worker", "recover")
	l.System.Run("worker", "recover") // repeated, as by an operator who is not sure
	l.APIProcess, l.Workers[0] = l.Start("api", "").Ready(), l.Start("worker", "").Ready()
	l.Healed()

	for _, p := range append(brought, lab.Accepted{ID: draft.ID}) { // a user repeats the actions of the gap
		l.Publish(p.ID)
	}
	l.Settle(within)
	for _, p := range append(append(out, brought...), due...) {
		requireRestored(t, l, p, slices.Contains(due, p))
	}
	require.Equal(t, fencepost.PostStatusPublished, l.Get(draft.ID).Status)
	// Posts created in the gap no longer exist (I7), and repeated posts have the time of the repetition (I10).
	l.Check(lab.Without("I7", "I10"))
}

// requireRestored checks that a post is published once. On a network that cannot be queried, its outcome may be
// recorded as unknown instead.
func requireRestored(t *testing.T, l *lab.Lab, p lab.Accepted, wasDue bool) {
	t.Helper()
	got, onNetwork := l.Get(p.ID), l.Sandbox.Count(p.Text)
	if p.Type != channel.TelegramChannel {
		require.Equal(t, fencepost.PostStatusPublished, got.Status, "%s on %s: %+v", p.Text, p.Type, got.Error)
		require.Equal(t, 1, onNetwork, "%s on %s", p.Text, p.Type)
		return
	}
	if wasDue && got.Status == fencepost.PostStatusPublished { // it became due after the recovery
		require.Equal(t, 1, onNetwork)
		return
	}
	require.Equal(t, "OUTCOME_UNKNOWN", got.Error.Code)
	require.LessOrEqual(t, onNetwork, 1)
}
