package relay_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// TestFollowupsAreStarted checks which plans start a workflow, and when its first task runs.
func TestFollowupsAreStarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var messages []postgres.Message
		planned := func(in flow.FollowupInput) string {
			in.LeadID, in.WorkspaceID = ident.New[ident.Lead](), ident.New[ident.Workspace]()
			messages = append(messages, queued(t, int64(len(messages)+1), flow.Message{Kind: flow.KindFollowup, Subject: in.LeadID, In: in}))
			return flow.FollowupID(in.LeadID)
		}
		soon := planned(flow.FollowupInput{At: time.Now().Add(time.Minute)})
		later := planned(flow.FollowupInput{At: time.Now().Add(10 * time.Hour)})
		beyond := planned(flow.FollowupInput{At: time.Now().Add(1000 * time.Hour), Beyond: true})
		cleared, moved := planned(flow.FollowupInput{}), planned(flow.FollowupInput{})
		b := setup(t, messages...)
		b.temporal.running[moved] = started{}
		b.runFor(t, time.Second)
		require.Equal(t, 2, b.temporal.starts)
		require.Zero(t, b.temporal.running[soon].options.StartDelay)
		delay := b.temporal.running[later].options.StartDelay
		require.Greater(t, delay, 9*time.Hour)
		require.Less(t, delay, 10*time.Hour)
		require.Equal(t, flow.QueueFollowups, b.temporal.running[later].options.TaskQueue)
		require.Len(t, b.temporal.signals[moved], 1, "a running workflow hears that the follow-up was cleared")
		require.Empty(t, b.temporal.signals[beyond])
		require.Empty(t, b.temporal.signals[cleared])
		require.Empty(t, b.outbox.ready)
	})
}
