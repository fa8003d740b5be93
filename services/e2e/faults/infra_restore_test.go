package faults_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/faults/lab"
	"socialpub.internal/services/e2e/faults/ownpg"
	"socialpub.internal/shared/domain/channel"
)

// TestF51TheDatabaseIsRestored puts PostgreSQL back to a backup after posts went out that the backup has as open.
func TestF51TheDatabaseIsRestored(t *testing.T) {
	restored(t, 40*time.Second, channel.Twitter, channel.TelegramChannel)
}

// TestNightF51TheDatabaseIsRestored has posts on Threads wait too: its lists show a post only after two minutes.
func TestNightF51TheDatabaseIsRestored(t *testing.T) {
	restored(t, 4*time.Minute, channel.Twitter, channel.Threads, channel.LinkedInPage, channel.FacebookPage, channel.TelegramChannel)
}

// restored takes a backup, lets posts go out, restores, and lets the rest go out. Waiting are the types of posts that did not
// go out in the gap.
func restored(t *testing.T, within time.Duration, waiting ...channel.Type) {
	t.Helper()
	server := ownpg.Start(t, ownpg.Options{})
	l := lab.Alone(t, lab.Fault{
		ID: "F51", Title: "PostgreSQL is restored from a base backup; posts went out since",
		Expect: "I1 I4: after `worker recover` no post of the gap goes out again; what did not go out does; what cannot be asked is OUTCOME_UNKNOWN",
	})
	l.Run(1)
	types := slices.Compact(append(slices.Clone(three()), waiting...))
	soon, later := time.Now().Add(6*time.Second), time.Now().Add(25*time.Second)
	var out, due, brought []lab.Accepted
	for _, typ := range types { // go out in the gap, fall due while all is down, are brought forward in the gap
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
	l.System.Create(channel.Twitter, "made in the gap", "now") // the backup knows nothing of it
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Len(c, l.Query(c, `SELECT id FROM post WHERE status = 'PUBLISHED'`), len(out)+len(brought)+2)
	}, 30*time.Second, 100*time.Millisecond)
	require.Less(t, time.Now(), later, "nothing else went out in the gap")
	l.APIProcess.Stop()
	l.Workers[0].Stop()
	server.Restore(backup)
	l.Injected("PostgreSQL restored; %d posts had gone out since", len(l.Sandbox.Ledger()))
	<-time.After(time.Until(later)) // some fall due meanwhile
	l.System.Run("worker", "recover")
	l.System.Run("worker", "recover") // an operator who is not sure runs it again
	l.APIProcess, l.Workers[0] = l.Start("api", "").Ready(), l.Start("worker", "").Ready()
	l.Healed()

	for _, p := range append(brought, lab.Accepted{ID: draft.ID}) { // somebody does again what was done in the gap
		l.Publish(p.ID)
	}
	l.Settle(within)
	for _, p := range append(append(out, brought...), due...) {
		requireRestored(t, l, p, slices.Contains(due, p))
	}
	require.Equal(t, apiclient.PostStatusPUBLISHED, l.Get(draft.ID).Status)
	// What was made in the gap nobody knows of any more, and what somebody did again has the time of that.
	l.Check(lab.Without("I7", "I10"))
}

// requireRestored checks that a post is out once, or, where nobody can know, that it says so.
func requireRestored(t *testing.T, l *lab.Lab, p lab.Accepted, wasDue bool) {
	t.Helper()
	got, onNetwork := l.Get(p.ID), l.Sandbox.Count(p.Text)
	if p.Type != channel.TelegramChannel {
		require.Equal(t, apiclient.PostStatusPUBLISHED, got.Status, "%s on %s: %+v", p.Text, p.Type, got.Error)
		require.Equal(t, 1, onNetwork, "%s on %s", p.Text, p.Type)
		return
	}
	if wasDue && got.Status == apiclient.PostStatusPUBLISHED { // its time came after the recovery
		require.Equal(t, 1, onNetwork)
		return
	}
	require.Equal(t, "OUTCOME_UNKNOWN", got.Error.MustGet().Code)
	require.LessOrEqual(t, onNetwork, 1)
}
