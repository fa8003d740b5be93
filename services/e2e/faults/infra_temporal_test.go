package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestF22TemporalIsDown kills Temporal with kill -9, first before the workers have connected and then under load.
func TestF22TemporalIsDown(t *testing.T) { withoutTemporal(t, 5*time.Second) }

// TestNightF22TemporalIsDownForLong keeps Temporal down for minutes.
func TestNightF22TemporalIsDownForLong(t *testing.T) { withoutTemporal(t, 3*time.Minute) }

func withoutTemporal(t *testing.T, outage time.Duration) {
	t.Helper()
	l := lab.Alone(t, lab.Fault{
		ID: "F22", Title: "Temporal is killed and unavailable for " + outage.String(),
		Expect: "I1 I2: creates return 201 in the meantime; due posts are published late, once each; workers need no restart",
	})
	down, up := func() { harness.Infrastructure(t, "temporal/kill") }, func() {
		harness.Infrastructure(t,
			"temporal/start")
	}
	t.Cleanup(up)
	down()
	l.Injected("Temporal unavailable while the programs start")
	l.APIProcess = l.Start("api", "").Ready()
	worker := l.Start("worker", "")
	l.Workers = append(l.Workers, worker)
	l.Subscribe()
	l.Watch()
	l.Accept(6, time.Now().Add(time.Second), 100*time.Millisecond)
	ahead := l.AcceptOne(time.Now().Add(12*time.Second), channel.Threads)
	<-time.After(3 * time.Second) // duration of the outage
	up()
	worker.Ready()
	l.Accept(30, time.Now().Add(time.Second), 50*time.Millisecond)
	down()
	l.Injected("Temporal killed under load")
	begin := time.Now()
	l.Accept(20, begin.Add(time.Second), 50*time.Millisecond)
	require.Less(t, time.Since(begin), 10*time.Second, "posts are accepted without Temporal")
	<-time.After(outage - time.Since(begin))
	up()
	l.Healed()
	l.Settle(2 * time.Minute)
	require.Equal(t, fencepost.PostStatusPublished, l.Get(ahead.ID).Status)
	requireAlive(t, l)
	l.Check()
}

// TestF23TemporalLosesItsStore deletes Temporal's databases. Every open workflow is started again from the service's
// database.
func TestF23TemporalLosesItsStore(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F23", Title: "Temporal restarts with an empty store",
		Expect: "I1 I2: every open post gets a new workflow from the database; posts are published once, and nearly on time",
	})
	l.Run(2)
	at := time.Now().Add(25 * time.Second)
	ahead := l.Accept(12, at, 0)
	l.Accept(20, time.Now().Add(time.Second), 100*time.Millisecond) // some are being published when it happens
	pending := l.Create(channel.Threads, l.Text(), "draft")
	l.RequestApproval(pending.ID)
	harness.Infrastructure(t, "temporal/wipe")
	l.Injected("Temporal's databases recreated")
	_, err := l.Workflow(ahead[0].ID)
	require.Error(t, err, "Temporal still has the post's workflow")
	l.Migrate()
	l.Healed()
	l.Settle(90 * time.Second)
	for _, p := range ahead {
		got := l.Get(p.ID)
		require.Less(t, got.PublishedAt.Sub(p.At), 10*time.Second)
	}
	require.Equal(t, fencepost.PostStatusDraft, l.Approve(pending.ID, "").Status)
	l.Settle(30 * time.Second)
	requireAlive(t, l)
	l.Check()
}

// TestF24TemporalIsSlow delays every call to Temporal by two seconds, with more posts due than can be published at
// once.
func TestF24TemporalIsSlow(t *testing.T) { slowTemporal(t, 60, 40*time.Second) }

// TestNightF24ABacklog has thousands of posts due at the same time.
func TestNightF24ABacklog(t *testing.T) { slowTemporal(t, 3000, 10*time.Minute) }

func slowTemporal(t *testing.T, posts int, within time.Duration) {
	t.Helper()
	behavior := infra.NewProxy(t, "")
	behavior.To(temporalAddress(t))
	l := lab.Alone(t, lab.Fault{
		ID: "F24", Title: "every call to Temporal takes 2 s; a backlog of due posts",
		Expect: "I1 I2: late, never twice; one workflow for each post",
	}, "TEMPORAL_ADDRESS="+behavior.Address())
	l.Run(2)
	due := time.Now().Add(time.Duration(posts) * 30 * time.Millisecond).Add(2 * time.Second)
	created := l.Accept(posts, due, 0)
	behavior.Break(infra.Fault{Delay: time.Second}) // per direction
	l.Injected("1 s to and 1 s from Temporal, %d posts due at once", posts)
	<-time.After(time.Until(due.Add(5 * time.Second)))
	require.Positive(t, behavior.Passed(), "no request was sent to Temporal")
	behavior.Heal()
	l.Healed()
	l.Settle(within)
	for _, p := range created[:min(len(created), 20)] { // a workflow ends after its post is settled
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			status, err := l.Workflow(p.ID)
			require.NoError(c, err)
			require.Equal(c, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, status)
		}, 30*time.Second, 100*time.Millisecond)
	}
	requireAlive(t, l)
	l.Check()
}
