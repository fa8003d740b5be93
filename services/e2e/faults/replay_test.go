package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

func TestF44TheWorkerDiesInTheMidstOfAReplay(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F44", Title: "The worker dies between the pages of a replay",
		Expect: "I3: every event is delivered once more, none omitted or queued twice",
	})
	l.Run(1)
	const events = 420 // three pages
	began := time.Now()
	for range events {
		l.Create(channel.Threads, l.Text(), "draft")
	}
	l.Settle(recovery)
	hooks, err := l.API.Webhooks.List(t.Context())
	require.NoError(t, err)
	l.Arm("replay.after_page=kill#2")
	require.NoError(t, harness.Failure(l.API.Webhooks.StartReplay(t.Context(), hooks[0].ID,
		fencepost.StartReplayRequest{Since: began.Add(-time.Second), Only: fencepost.StartReplayOnlyAll})))
	l.WaitFired("replay.after_page", reached)
	l.Settle(recovery)
	l.Check()
	require.Equal(t, []string{"COMPLETED 420"}, l.Query(t, `SELECT state || ' ' || queued FROM webhook_replay`))
	arrived := make(map[string]int)
	for _, r := range l.Receiver.All() {
		arrived[r.ID]++
	}
	require.Len(t, arrived, events)
	for id, times := range arrived {
		require.GreaterOrEqual(t, times, 2, "%s did not arrive again", id)
	}
}
