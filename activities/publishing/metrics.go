package publishing

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// Metrics counts the outcomes of posts.
type Metrics struct {
	publishedTotal *prometheus.CounterVec
	failedTotal    *prometheus.CounterVec
	refusedTotal   *prometheus.CounterVec
	lateness       *prometheus.HistogramVec
	steps          *prometheus.GaugeVec
}

// States of a step in this process.
const (
	stepHeld    = "held"    // until the post is due
	stepWaiting = "waiting" // for a place
	stepRunning = "running"
)

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		publishedTotal: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "posts_published_total", Help: "Posts that a network accepted.",
		}, []string{"network"}),
		failedTotal: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "posts_failed_total", Help: "Posts that ended FAILED, by error code.",
		}, []string{"network", "code"}),
		refusedTotal: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "publish_attempts_refused_total", Help: "Publish attempts without success, by failure class.",
		}, []string{"network", "class"}),
		lateness: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "post_lateness_seconds", Help: "Time from a post's publish time to the record of its publication.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 86400},
		}, []string{"network"}),
		steps: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "publish_steps", Help: "Steps of posts in this process: held for their time, waiting for a place, running.",
		}, []string{"network", "state"}),
	}
	reg.MustRegister(m.publishedTotal, m.failedTotal, m.refusedTotal, m.lateness, m.steps)
	return m
}

// Expect initializes the counters of a network at zero, so that alerts on their increase see the first failure. The codes
// are those of the network's connector; the protocol's own are added.
func (m *Metrics) Expect(n channel.Network, codes []string) {
	m.publishedTotal.WithLabelValues(string(n))
	for _, code := range append(Codes(), codes...) {
		m.failedTotal.WithLabelValues(string(n), code)
	}
	for _, class := range platform.Classes() {
		m.refusedTotal.WithLabelValues(string(n), string(class))
	}
	for _, state := range []string{stepHeld, stepWaiting, stepRunning} {
		m.steps.WithLabelValues(string(n), state)
	}
}

// Codes returns the error codes with which the publish protocol ends posts of every network.
func Codes() []string {
	return []string{
		post.ErrorMissedSchedule, post.ErrorOutcomeUnknown, post.ErrorNeedsReconnect, post.ErrorRateLimited,
		post.ErrorPlatformDown, post.ErrorContentInvalid, post.ErrorChannelUnsupported, post.ErrorProcessingTimeout,
		platform.CodeDuplicate, platform.CodeMediaUnreadable, platform.CodeMediaRefused, platform.CodeMediaNotUploaded,
		platform.CodeHeldBack, platform.CodeParentGone, platform.CodeParentNotShown,
		media.CodeGone, media.CodeDamaged,
		mediaactivity.CodeMediaUnavailable, mediaactivity.CodeMediaUnconvertible, mediaactivity.CodeConverterMissing,
	}
}

// step counts a step in a state until the returned function is called.
func (m *Metrics) step(n channel.Network, state string) (end func()) {
	gauge := m.steps.WithLabelValues(string(n), state)
	gauge.Inc()
	return gauge.Dec
}

func (m *Metrics) published(n channel.Network, late time.Duration) {
	m.publishedTotal.WithLabelValues(string(n)).Inc()
	m.lateness.WithLabelValues(string(n)).Observe(late.Seconds())
}

func (m *Metrics) failed(n channel.Network, code string) {
	m.failedTotal.WithLabelValues(string(n), code).Inc()
}

func (m *Metrics) refused(n channel.Network, class platform.Class) {
	m.refusedTotal.WithLabelValues(string(n), string(class)).Inc()
}
