package trial

import (
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	burstSamples  = 50
	burstEvery    = 2 * time.Second        // between two samples
	quietEvery    = 150 * time.Millisecond // between two samples without a burst
	burstNowEvery = 5 * time.Second        // between two posts with schedule "now"
	burstLead     = 10 * time.Second       // until the first sample
	tomorrow      = 24 * time.Hour
)

// measureBurst measures how late posts are while one workspace schedules thousands of posts for tomorrow over the API:
// posts of another workspace that are due one after another, and posts of the same workspace with schedule "now".
func measureBurst(r *lab.Run) []Row {
	r.Start("sandbox")
	r.Start("worker")
	r.Start("api")
	quiet, first := dueSamples(r, quietEvery)
	r.Pause(time.Until(first))
	allPublished(r, quiet, limit)
	quietLate := lateness(r, quiet, burstSamples)

	b := &burst{Run: r, tenant: r.Tenant("Scheduling a burst"), now: make(map[string]time.Time)}
	requests := b.requests()
	samples, first := dueSamples(r, burstEvery)
	r.OutboxEmpty(limit)
	r.Pause(time.Until(first))
	r.Together(func() { b.schedule(requests) }, b.publishNow)
	allPublished(r, samples, longLimit)

	late, now := lateness(r, samples, burstSamples), b.latencies()
	r.Logf("burst: lateness %s; before it %s", spread(late), spread(quietLate))
	r.Logf(`burst: from the request with schedule "now" to the publication %s`, spread(now))
	return []Row{
		Against("burst", percentile(late, tail).Seconds(), "s", percentile(quietLate, tail).Seconds()).MaxValue(2),
		Against("burst_p50", percentile(late, median).Seconds(), "s", percentile(quietLate, median).Seconds()),
		Plain("burst_posts", perSecond(len(requests), b.accepted), "posts/s"),
		Plain("now_in_burst", percentile(now, tail).Seconds(), "s").MaxValue(2),
	}
}

// dueSamples creates a workspace with posts that are due one after another, and returns when the first is due.
func dueSamples(r *lab.Run, every time.Duration) (t lab.Tenant, first time.Time) {
	t, first = r.Tenant("Due one after another"), time.Now().Add(burstLead).Truncate(time.Millisecond)
	r.Posts(t, burstSamples, func(i int) time.Time { return first.Add(time.Duration(i) * every) })
	return t, first
}

type burst struct {
	*lab.Run

	tenant   lab.Tenant
	accepted time.Duration        // until the last request had its response
	now      map[string]time.Time // times of the requests with schedule "now", by post
}

// requests returns the requests of the burst.
func (b *burst) requests() []vegeta.Target {
	first := time.Now().Add(tomorrow).Truncate(time.Second)
	requests := make([]vegeta.Target, b.Backlog)
	for i := range requests {
		due := first.Add(time.Duration(i) * time.Second)
		requests[i] = newPost(b.Run, b.tenant, lab.UniqueContent(i), due.Format(time.RFC3339), i)
	}
	return requests
}

// schedule makes the requests of the burst, and waits until Temporal has their messages.
func (b *burst) schedule(requests []vegeta.Target) {
	before, begin := b.CPU(), time.Now()
	b.CallAll(requests)
	b.accepted = time.Since(begin)
	b.OutboxEmpty(longLimit)
	b.Logf("burst: %d posts accepted in %.1f s; Temporal had all of them after %.1f s, %s", len(requests),
		b.accepted.Seconds(), time.Since(begin).Seconds(), b.PerItem(before, len(requests)))
}

// publishNow publishes single posts at once while the samples are due.
func (b *burst) publishNow() {
	for range burstSamples * burstEvery / burstNowEvery {
		i, begin := len(b.now), time.Now()
		var created []createdPost
		b.Call(newPost(b.Run, b.tenant, lab.UniqueContent(i), "now", i), &created)
		if len(created) != 1 {
			b.Failf("%d posts instead of one", len(created))
		}
		b.now[created[0].ID] = begin
		b.Pause(burstNowEvery - time.Since(begin))
	}
}

// createdPost is a post in a response of the API.
type createdPost struct {
	ID      string `json:"id"`
	Content string `json:"content"`
}

// latencies waits for the posts with schedule "now" and returns the time from request to publication of each.
func (b *burst) latencies() []time.Duration {
	var elapsed []time.Duration
	for id, requested := range b.now {
		b.UntilNone(longLimit, `posts with schedule "now" are published`,
			`SELECT count(*) FROM post WHERE id = $1::uuid AND status = 'SCHEDULED'`, id)
		published := lab.Value[*time.Time](b.Run, `SELECT published_at FROM post WHERE id = $1::uuid`, id)
		if published == nil {
			b.Failf(`post %s with schedule "now" was not published`, id)
		}
		elapsed = append(elapsed, published.Sub(requested))
	}
	return elapsed
}
