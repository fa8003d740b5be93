// Package trial contains the measurements. Each returns rows of the result, with their ceilings and goals. The ceilings are
// those of the infrastructure without the service's work: of the baseline, a program with minimal HTTP handlers, and of
// workflows with one empty activity.
package trial

import (
	"fmt"
	"slices"
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

// Trial is a measurement.
type Trial struct {
	Name    string
	Measure func(*lab.Run) []Row
	Only    bool // runs only if requested by name
}

// All returns the measurements in execution order: those with many sleeping posts last.
func All() []Trial {
	return []Trial{
		{Name: "publish", Measure: publish},
		{Name: "deliver", Measure: deliver},
		{Name: "webhooks_api", Measure: measureWebhooksAPI},
		{Name: "outpost", Measure: compareOutpost, Only: true},
		{Name: "create", Measure: create},
		{Name: "list", Measure: list},
		{Name: "search", Measure: search, Only: true},
		{Name: "pages", Measure: measurePages},
		{Name: "inbox", Measure: measureInbox},
		{Name: "inbox_pages", Measure: measureInboxPages, Only: true},
		{Name: "neighbour", Measure: measureNeighbour},
		{Name: "burst", Measure: measureBurst},
		{Name: "relays", Measure: relays},
		{Name: "disk", Measure: disk},
		{Name: "rush", Measure: measureRush, Only: true},
	}
}

// Maximum durations of a wait: for most, and for thousands of posts. A longer one fails the measurement.
const (
	limit     = 4 * time.Minute
	longLimit = 30 * time.Minute
)

const (
	median = 50
	tail   = 99
)

// perSecond returns the rate of n items in the duration.
func perSecond(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }

func mean(values ...float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// percentile returns the nearest-rank percentile.
func percentile(values []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	rank := (len(sorted)*p + 99) / 100 // rounded up
	return sorted[max(rank, 1)-1]
}

// spread formats the median, the 99th percentile and the maximum.
func spread(values []time.Duration) string {
	return fmt.Sprintf("p50 %.3f s, p99 %.3f s, at most %.3f s", percentile(values, median).Seconds(),
		percentile(values, tail).Seconds(), slices.Max(values).Seconds())
}

// compare measures the ceiling before and after the service, so that a machine that becomes slower or faster meanwhile
// favors neither.
func compare(r *lab.Run, name, unit string, ceiling, service func() float64) Row {
	before := ceiling()
	rate := service()
	after := ceiling()
	r.Logf("%s: %.0f %s; ceiling before %.0f, after %.0f", name, rate, unit, before, after)
	return Against(name, rate, unit, mean(before, after))
}

// allPublished waits until the tenant's posts are published or failed.
func allPublished(r *lab.Run, t lab.Tenant, within time.Duration) {
	r.UntilNone(within, "all posts are published", `SELECT count(*) FROM post WHERE workspace_id = $1 AND status = 'SCHEDULED'`,
		t.ID.String())
}

// lateness returns the lateness of each of the tenant's n posts. It fails unless all are published.
func lateness(r *lab.Run, t lab.Tenant, n int) []time.Duration {
	var late []time.Duration
	for _, p := range lab.Rows[struct{ Due, Published time.Time }](r,
		`SELECT scheduled_at, published_at FROM post WHERE workspace_id = $1 AND status = 'PUBLISHED'`, t.ID.String()) {
		late = append(late, p.Published.Sub(p.Due))
	}
	if len(late) != n {
		r.Failf("%d of %d posts were published", len(late), n)
	}
	return late
}
