package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
)

// TestFFiguresAreCollectedThroughDeaths collects a channel's metrics while workers are killed after they read or after
// they record.
func TestFFiguresAreCollectedThroughDeaths(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "FIGURES", Title: "Workers die while they collect a channel's figures: after reading, and after recording",
		Expect: "every day is recorded once, with the figures of an undisturbed collection",
	})
	l.Run(2)
	id := l.Channels[channel.Threads].ID.String()
	l.Accept(1, time.Now().Add(time.Second), 0, channel.Threads)
	l.Settle(recovery)
	l.Arm("insights.after_read=kill#1", "insights.after_record=kill#1")
	collect(t, l, id)
	l.Injected("kill at insights.after_read; kill at insights.after_record")
	l.Disarm()
	disturbed := figures(t, l, id)
	require.GreaterOrEqual(t, len(disturbed), 29, "the last thirty days, but for today")
	collect(t, l, id)
	require.Equal(t, disturbed, figures(t, l, id))
	require.Equal(t, []string{
		"1",
	}, l.Query(t, `SELECT count(*)::text FROM post_insight i JOIN post p ON p.id = i.post_id WHERE p.channel_id = $1`, id))
	l.Settle(recovery)
	l.Check()
}

// collect starts a collection of the channel's metrics and waits for its end.
func collect(t *testing.T, l *lab.Lab, id string) {
	t.Helper()
	const ended = `SELECT COALESCE(max(collected_at)::text, '') FROM insight_progress WHERE channel_id = $1`
	before := l.Query(t, ended, id)
	l.Admin("insights", "collect", id)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.NotEqual(c, before, l.Query(c, ended, id))
	}, 2*time.Minute, 200*time.Millisecond)
}

// figures returns the channel's metrics, without today's, which still change.
func figures(t *testing.T, l *lab.Lab, id string) []string {
	t.Helper()
	return l.Query(t,
		`SELECT day || ' ' || row(followers, impressions, reach, engagements, profile_views, website_clicks)::text
		FROM channel_insight WHERE channel_id = $1 AND day < CAST(now() AT TIME ZONE 'UTC' AS date) ORDER BY 1`, id)
}
