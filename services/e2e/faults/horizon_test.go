package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestF53EverythingIsDownWhileTheHorizonPasses kills every program and server before scheduled posts come within the
// horizon, and starts them again when some of the posts are due and others are not.
func TestF53EverythingIsDownWhileTheHorizonPasses(t *testing.T) {
	const horizon = 5 * time.Second
	l := lab.Alone(t, lab.Fault{
		ID: "F53", Title: "Everything is down while posts come within the horizon",
		Expect: "I1 I2: each gets a workflow after the restart, and is published once, if possible on time",
	}, "POST_HORIZON="+horizon.String())
	l.Run(2)
	begun := time.Now()
	missed := l.Accept(9, begun.Add(20*time.Second), 100*time.Millisecond)
	later := l.Accept(9, begun.Add(55*time.Second), 100*time.Millisecond)
	moved := l.AcceptOne(begun.Add(time.Hour), channel.Threads)
	require.Len(t, l.Query(t, `SELECT id::text FROM post WHERE beyond_horizon`), len(missed)+len(later)+1)
	for _, p := range []lab.Accepted{missed[0], later[0], moved} {
		_, err := l.Workflow(p.ID)
		require.Error(t, err, "a post beyond the horizon has a workflow")
	}
	require.Less(t, time.Since(begun), 15*time.Second, "the machine is too slow: posts came within the horizon before the fault")
	for _, p := range append(l.Workers, l.APIProcess) {
		p.Stop()
	}
	for _, what := range []string{"temporal", "postgres"} {
		t.Cleanup(func() { harness.Infrastructure(t, what+"/start") })
		harness.Infrastructure(t, what+"/kill")
	}
	l.Injected("every program, Temporal and PostgreSQL stopped until %s after the first posts were due", 10*time.Second)
	<-time.After(time.Until(begun.Add(30 * time.Second)))
	for _, what := range []string{"postgres", "temporal"} {
		harness.Infrastructure(t, what+"/start")
	}
	l.APIProcess = l.Start("api", l.APIProcess.OpsURL()[len("http://"):])
	l.Workers = []*harness.Process{l.Start("worker", ""), l.Start("worker", "")}
	for _, p := range append(l.Workers, l.APIProcess) {
		p.Ready()
	}
	l.Healed()
	l.Publish(moved.ID)
	l.Settle(2 * time.Minute)
	for _, p := range missed {
		require.True(t, l.Get(p.ID).PublishedAt.After(begun.Add(30*time.Second)))
	}
	for _, p := range later {
		require.Less(t, l.Get(p.ID).PublishedAt.Sub(p.At), 5*time.Second, "due after the restart")
	}
	l.Check(lab.AllPublished())
}

// TestF54RelaysDieInTheMiddleOfABatch kills the relays of two programs while they deliver a backlog: before a call to
// Temporal, and after it, before the message is deleted.
func TestF54RelaysDieInTheMiddleOfABatch(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F54", Title: "Two relays die in the middle of their batches, with a backlog",
		Expect: "I1 I2 I3: their messages are free at once and are sent again; one workflow per post; published once",
	})
	l.Run(1)
	const posts, kills = 300, 3 // enough messages for the kills in every delivery mode
	t.Cleanup(func() { harness.Infrastructure(t, "temporal/start") })
	harness.Infrastructure(t, "temporal/kill")
	l.Accept(posts, time.Now().Add(10*time.Second), 50*time.Millisecond)
	starts := l.APIProcess.Starts() + l.Workers[0].Starts()
	l.Arm(append(lab.Kills("relay.before_start", kills), lab.Kills("relay.before_delete", kills)...)...)
	harness.Infrastructure(t, "temporal/start")
	l.WaitFiredTimes("relay.before_start", kills, reached)
	l.WaitFiredTimes("relay.before_delete", kills, reached)
	l.Healed()
	l.Settle(recovery)
	require.GreaterOrEqual(t, l.APIProcess.Starts()+l.Workers[0].Starts()-starts, 2*kills)
	l.Check(lab.AllPublished())
}
