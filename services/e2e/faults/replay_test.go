package faults_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
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
	hooks, err := l.API.ListWebhooksWithResponse(t.Context())
	require.NoError(t, err)
	l.Arm("replay.after_page=kill#2")
	all := apiclient.StartReplayOnlyInputAll
	started, err := l.API.StartWebhookReplayWithResponse(t.Context(),
		harness.Response(t, hooks.JSON200, hooks.Body).Data[0].ID, nil,
		apiclient.StartReplayRequest{Since: began.Add(-time.Second), Only: &all})
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, started.StatusCode(), "%s", started.Body)
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
