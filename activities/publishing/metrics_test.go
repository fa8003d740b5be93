package publishing_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/platform"
)

const (
	publishedOnce = `# HELP posts_published_total Posts that a network accepted.
# TYPE posts_published_total counter
posts_published_total{network="x"} 1
`
	failedOnce = `# HELP posts_failed_total Posts that ended FAILED, by error code.
# TYPE posts_failed_total counter
posts_failed_total{code="NO",network="x"} 1
`
	refusedOnce = `# HELP publish_attempts_refused_total Publish attempts without success, by failure class.
# TYPE publish_attempts_refused_total counter
publish_attempts_refused_total{class="CLASS",network="x"} 1
`
)

// TestResultsAreCounted checks the counters after one attempt, and that the end of a post pokes the relay: its event waits there.
func TestResultsAreCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response error
		metrics  string
		pokes    int32
	}{
		"published": {nil, publishedOnce, 1},
		"failed": {
			fails(platform.ClassRejected, "NO"), failedOnce + strings.Replace(refusedOnce, "CLASS", "rejected", 1), 1,
		},
		"tried again": {fails(platform.ClassTransient, "NO"), strings.Replace(refusedOnce, "CLASS", "transient", 1), 0},
		"in doubt":    {fails(platform.ClassUnknown, "NO"), strings.Replace(refusedOnce, "CLASS", "unknown", 1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pokes atomic.Int32
			registry := prometheus.NewRegistry()
			net := &network{
				strength: platform.ReconcileMatch,
				commit: func(context.Context, platform.Account) (platform.Publication, error) {
					return platform.Publication{ExternalID: "1"}, c.response
				},
			}
			b := setupWith(t, net, net, func(cfg *publishing.Config) {
				cfg.Metrics, cfg.Wake = publishing.NewMetrics(registry), func() { pokes.Add(1) }
			})
			b.publish(t, b.due(t, time.Second))
			require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(c.metrics),
				"posts_published_total", "posts_failed_total", "publish_attempts_refused_total"))
			require.Equal(t, c.pokes, pokes.Load())
		})
	}
}

// TestLatenessCountsFromPublishTime checks the histogram after a post was published two seconds late.
func TestLatenessCountsFromPublishTime(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	net := &network{}
	b := setupWith(t, net, net, func(cfg *publishing.Config) { cfg.Metrics = publishing.NewMetrics(registry) })
	p := b.due(t, 2*time.Second)
	b.follow(t, p)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != "post_lateness_seconds" {
			continue
		}
		lateness := family.GetMetric()[0].GetHistogram()
		require.EqualValues(t, 1, lateness.GetSampleCount())
		require.InDelta(t, b.reload(t, p).Post.PublishedAt.Sub(p.ScheduledAt).Seconds(), lateness.GetSampleSum(), 0.001)
		return
	}
	t.Fatal("the lateness was not observed")
}

// TestFailuresStartAtZero checks that a network's failures have series before the first one, so that an alert on their
// increase sees it.
func TestFailuresStartAtZero(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	publishing.NewMetrics(registry).Expect("x", []string{"SPENDING_CAP_REACHED"})
	families, err := registry.Gather()
	require.NoError(t, err)
	zeros := make(map[string][]string)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			require.Zero(t, metric.GetCounter().GetValue())
			for _, label := range metric.GetLabel() {
				zeros[family.GetName()] = append(zeros[family.GetName()], label.GetValue())
			}
		}
	}
	require.Subset(t, zeros["posts_failed_total"], []string{"SPENDING_CAP_REACHED", "OUTCOME_UNKNOWN", "MEDIA_GONE"})
	require.Subset(t, zeros["publish_attempts_refused_total"], []string{"transient", "unknown"})
	require.Contains(t, zeros["posts_published_total"], "x")
	require.Subset(t, zeros["publish_steps"], []string{"held", "waiting", "running"})
}
