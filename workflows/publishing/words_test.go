package publishing

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/flow/postflow"
)

func TestAReconciliationNamesTryNextLookAndDeadline(t *testing.T) {
	t.Parallel()
	in := postflow.Input{Network: channel.NetworkX, ChannelName: "Acme News"}
	at := time.Date(2026, time.March, 1, 9, 0, 3, 0, time.UTC)
	p := pause{
		why: "The service looks for the post of attempt 1 on X.", until: at, deadline: at.Add(30 * time.Minute),
		next: postflow.ActivityReconcile, try: 4,
	}
	require.Equal(t, "X, channel Acme News: The service looks for the post of attempt 1 on X. "+
		"Look 4 at 2026-03-01T09:00:03Z, gives up at 2026-03-01T09:30:03Z", p.summary(in))
	require.Equal(t, `The service looks for the post of attempt 1 on X.

- Goes to: X, channel Acme News
- Next: look 4 at 2026-03-01T09:00:03Z
- Gives up at: 2026-03-01T09:30:03Z`, p.details(in))
	require.Equal(t, "Waits for its time.\n\n- Goes to: X, channel Acme News\n- Until: 2026-03-01T09:00:03Z",
		pause{why: "Waits for its time.", until: at}.details(in))
}

func TestStepsAreNamed(t *testing.T) {
	t.Parallel()
	for activity, want := range map[string]string{
		postflow.ActivityPublish:         "Publish to X, channel Acme (try 2)",
		postflow.ActivityCheckProcessing: "Check whether the post is ready to be published to X, channel Acme (check 2)",
		postflow.ActivityReconcile:       "Look for the post on X, channel Acme (look 2)",
	} {
		require.Equal(t, want, stepWords(activity, "X, channel Acme", 2))
	}
}

// TestASummaryFits: Temporal refuses a workflow task whose summary has more than 400 bytes.
func TestASummaryFits(t *testing.T) {
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
