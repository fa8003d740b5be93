package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

func TestInsightsCollect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	channel := b.telegram(t, workspace)
	require.Equal(t, channel, b.one(t, "insights", "collect", "--workspace", workspace, channel)["id"])
	var enqueued []postgres.Message
	_, err := postgres.NewOutbox(b.db).Batch(t.Context(), postgres.LaneUrgent, 10,
		func(messages []postgres.Message) ([]int64, map[int64]postgres.Retry) {
			enqueued = messages
			return nil, nil
		})
	require.NoError(t, err)
	require.Len(t, enqueued, 1)
	require.JSONEq(t, `{"now":true}`, enqueued[0].Payload)
	require.Equal(t, channel, enqueued[0].Channel.ID.String())

	b.ok(t, "channel", "disconnect", "--workspace", workspace, channel)
	failed(t, b.run(t, "insights", "collect", "--workspace", workspace, channel), "is disconnected")
	failed(t, b.run(t, "insights", "collect", "--workspace", b.workspace(t), channel), "has no channel "+channel)
	failed(t, b.run(t, "insights", "collect", "--workspace", workspace, ident.New[ident.Channel]().String()),
		"has no channel")
	refused(t, b.run(t, "insights", "collect", "--workspace", workspace, "x"), "CHANNEL_ID")
}
