package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// figures returns the snapshots of a channel and its posts, without today's, which still change.
func figures(t *testing.T, s *harness.System, id string) []string {
	t.Helper()
	return postgrestest.Column(t, s.Database(), `
		SELECT day || ' ' || row(followers, impressions, reach, engagements, profile_views, website_clicks)::text
		FROM channel_insight WHERE channel_id = $1 AND day < CAST(now() AT TIME ZONE 'UTC' AS date) ORDER BY 1`, id)
}

// snapshots counts the snapshots of a channel and its posts.
func snapshots(t *testing.T, s *harness.System, id string) []string {
	t.Helper()
	return postgrestest.Column(t, s.Database(),
		`SELECT (SELECT count(*) FROM channel_insight WHERE channel_id = $1) || ' ' ||
		(SELECT count(*) FROM post_insight i JOIN post p ON p.id = i.post_id WHERE p.channel_id = $1)`, id)
}

// collectedAt returns when the channel's last complete collection ended. It is empty if there was none.
func collectedAt(t *testing.T, s *harness.System, id string) string {
	t.Helper()
	return strings.Join(postgrestest.Column(t, s.Database(),
		`SELECT COALESCE(collected_at::text, '') FROM insight_progress WHERE channel_id = $1`, id), "")
}

// collected starts a collection of the channel's metrics and waits for its end.
func collected(t *testing.T, s *harness.System, id string) {
	t.Helper()
	before := collectedAt(t, s, id)
	s.Admin("insights", "collect", id)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.NotEqual(c, before, collectedAt(t, s, id))
	}, 2*soon, 200*time.Millisecond)
}

// TestCollectionRequestedDuringAnotherFollows checks that a request is not lost although the running collection may
// have read before it.
func TestCollectionRequestedDuringAnotherFollows(t *testing.T) {
	t.Parallel()
	s := running(t)
	id := s.Channels[channel.Threads].ID.String()
	collections := func(c *assert.CollectT, status string) int {
		found, err := s.FindWorkflows(fmt.Sprintf("WorkflowType = '%s' AND ChannelId = '%s' AND ExecutionStatus = '%s'",
			flow.WorkflowInsights, id, status))
		require.NoError(c, err)
		return len(found)
	}
	s.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "status", Kind: "slow", Times: 1, DelayMs: 5000})
	s.Admin("insights", "collect", id)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, 1, collections(c, "Running")) }, soon,
		100*time.Millisecond)
	s.Admin("insights", "collect", id)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, 2, collections(c, "Completed")) }, soon,
		100*time.Millisecond)
}

// TestFiguresAreCollected checks that every channel automatically gets a schedule and a first collection, that a
// repeated collection changes nothing, that a gap is filled, and that a removed channel loses its schedule.
func TestFiguresAreCollected(t *testing.T) {
	t.Parallel()
	s := running(t, "INSIGHTS_SCHEDULES=true", "SWEEP_INTERVAL=1s")
	measured := 0
	for _, ch := range s.Channels {
		if !ch.Type.Capabilities().Analytics {
			continue
		}
		measured++
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.NotEmpty(c, collectedAt(t, s, ch.ID.String()), "%s", ch.Type)
		}, 2*soon, 200*time.Millisecond)
		require.NotEmpty(t, snapshots(t, s, ch.ID.String()), "%s", ch.Type)
	}
	id := s.Channels[channel.Threads].ID.String()
	p := s.Create(channel.Threads, "Counted", "now")
	settled(t, s, p.ID, soon)
	collected(t, s, id)
	first, rows := figures(t, s, id), snapshots(t, s, id)
	require.GreaterOrEqual(t, len(first), 29)
	collected(t, s, id)
	require.Equal(t, first, figures(t, s, id), "twice is once")
	require.Equal(t, rows, snapshots(t, s, id))

	// An outage of three days without collections.
	postgrestest.Exec(t, s.Database(),
		`DELETE FROM channel_insight WHERE channel_id = $1 AND day > CAST(now() AT TIME ZONE 'UTC' AS date) - 3`, id)
	postgrestest.Exec(t, s.Database(),
		`UPDATE insight_progress SET collected_until = CAST(now() AT TIME ZONE 'UTC' AS date) - 3 WHERE channel_id = $1`, id)
	require.Less(t, len(figures(t, s, id)), len(first))
	collected(t, s, id)
	require.Equal(t, first, figures(t, s, id), "the days of the outage are there as well")

	s.Admin("channel", "disconnect", id)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		collections := slices.DeleteFunc(s.Schedules(), func(id string) bool { return !strings.HasPrefix(id, "insights/") })
		require.NotContains(c, collections, "insights/"+id)
		require.Len(c, collections, measured-1)
	}, soon, 200*time.Millisecond)
}
