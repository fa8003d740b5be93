package publishing

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

func TestReconcileDetailsNameTryNextCheckAndDeadline(t *testing.T) {
	t.Parallel()
	in := postflow.Input{Network: channel.NetworkX, ChannelName: "Acme News"}
	at := time.Date(2026, time.March, 1, 9, 0, 3, 0, time.UTC)
	p := pause{
		why: "The service looks for the post of attempt 1 on X.", until: at, deadline: at.Add(30 * time.Minute),
		next: postflow.ActivityReconcile, try: 4,
	}
	require.Equal(t, "X, channel Acme News: look 4 at 09:00:03 UTC, gives up at 09:30:03 UTC. "+
		"The service looks for the post of attempt 1 on X.", p.summary(in))
	require.Equal(t, `**SCHEDULED**. The service looks for the post of attempt 1 on X.

- Goes to: X, channel Acme News
- Next: look 4 at 2026-03-01 09:00:03 UTC
- Gives up at: 2026-03-01 09:30:03 UTC`, p.details(in, post.Scheduled))
	waiting := pause{why: "Waits for its time.", until: at}
	require.Equal(t, "X, channel Acme News: Waits for its time.", waiting.summary(in))
	require.Equal(t,
		"**SCHEDULED**. Waits for its time.\n\n- Goes to: X, channel Acme News\n- Until: 2026-03-01 09:00:03 UTC",
		waiting.details(in, post.Scheduled))
}

func TestPauseDetailsWithoutDeadline(t *testing.T) {
	t.Parallel()
	in := postflow.Input{Network: channel.NetworkX, ChannelName: "Acme News"}
	at := time.Date(2026, time.March, 1, 9, 0, 3, 0, time.UTC)
	p := pause{why: "X limits calls.", until: at, next: postflow.ActivityPublish, try: 2}
	require.Equal(t, "X, channel Acme News: try 2 at 09:00:03 UTC. X limits calls.", p.summary(in))
	require.Equal(t, "**SCHEDULED**. X limits calls.\n\n- Goes to: X, channel Acme News\n"+
		"- Next: try 2 at 2026-03-01 09:00:03 UTC", p.details(in, post.Scheduled))
	approval := pause{why: "Waits for an approver's decision."}
	require.Equal(t, "**PENDING_APPROVAL**. Waits for an approver's decision.\n\n- Goes to: X, channel Acme News",
		approval.details(in, post.PendingApproval))
}

// TestHoldDetailsNameEndDate covers the wait for a channel, which may be longer than a day.
func TestHoldDetailsNameEndDate(t *testing.T) {
	t.Parallel()
	in := postflow.Input{Network: channel.NetworkX, ChannelName: "Acme News"}
	at := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	p := pause{why: "The post waits.", until: at, deadline: at, next: postflow.ActivityPublish, try: 2}
	require.Equal(t, "X, channel Acme News: gives up at 2026-03-02 09:00:00 UTC. The post waits.", p.summary(in))
	require.Equal(t, "**SCHEDULED**. The post waits.\n\n- Goes to: X, channel Acme News\n"+
		"- Gives up at: 2026-03-02 09:00:00 UTC", p.details(in, post.Scheduled))
}

func TestEndDetailsNameStatusChannelURLAndCode(t *testing.T) {
	t.Parallel()
	in := postflow.Input{Network: channel.NetworkX, ChannelName: "Acme News"}
	require.Equal(t, `**PUBLISHED**. It is out.

- Goes to: X, channel Acme News
- URL: https://x.example/1`, endDetails(in, postflow.Result{
		Status: post.Published, URL: "https://x.example/1", Note: "It is out.",
	}, ""))
	require.Equal(t,
		"**FAILED**. X refused the post.\n\n- Goes to: X, channel Acme News\n- Error code: `PLATFORM_REJECTED`",
		endDetails(in, postflow.Result{Status: post.Failed, Note: "X refused the post."}, "PLATFORM_REJECTED"))
}

func TestStepSummaries(t *testing.T) {
	t.Parallel()
	for activity, want := range map[string]string{
		postflow.ActivityPublish:         "Publish to X, channel Acme (try 2)",
		postflow.ActivityCheckProcessing: "Check whether the post is ready to be published to X, channel Acme (check 2)",
		postflow.ActivityReconcile:       "Look for the post on X, channel Acme (look 2)",
	} {
		require.Equal(t, want, stepWords(activity, "X, channel Acme", 2))
	}
}

// TestSummaryLengthIsLimited checks the length of summaries. Temporal refuses a workflow task whose summary has more than 400
// bytes.
func TestSummaryLengthIsLimited(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("a", summaryLimit)
	require.Equal(t, longest, clip(longest))
	in := postflow.Input{Network: channel.NetworkGoogleBusiness, ChannelName: strings.Repeat("ä", 200)}
	for _, why := range []string{strings.Repeat("a", 500), strings.Repeat("ä", 500), "a" + strings.Repeat("🎈", 500)} {
		line := pause{why: why}.summary(in)
		require.LessOrEqual(t, len(line), 400)
		require.True(t, utf8.ValidString(line))
		require.True(t, strings.HasSuffix(line, "…"))
	}
}
