package trial

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/event"
)

// verdict compares the service's records with those of the networks and the receivers. It fails if a post or an event is
// lost, doubled or wrong.
func (r *rush) verdict() []Row {
	lost, doubled := r.judgePosts()
	late, lastPublished := r.judgeLateness()
	missing, wrong, arrived, lastArrived := r.judgeEvents()
	r.Logf("rush: %d calls to the API, p50 %s, p99 %s; errors: %q", r.calls.Requests, r.calls.Latencies.P50,
		r.calls.Latencies.P99, r.calls.Errors)
	if lost+doubled+missing+wrong > 0 {
		r.Failf("%d posts lost, %d doubled; %d events missing, %d wrong", lost, doubled, missing, wrong)
	}
	rows := []Row{
		Plain("rush_posts", perSecond(len(late), lastPublished.Sub(r.first)), "posts/s"),
		Plain("rush_last", lastPublished.Sub(r.first).Seconds(), "s"),
		Plain("rush_lateness_p50", percentile(late, median).Seconds(), "s"),
		Plain("rush_lateness_p99", percentile(late, tail).Seconds(), "s"),
		Plain("rush_deliveries", perSecond(arrived, lastArrived.Sub(r.first)), "deliveries/s"),
		Plain("rush_calls_ok", 100*r.calls.Success, "%"),
		Plain("rush_calls_p99", r.calls.Latencies.P99.Seconds(), "s"),
	}
	for _, program := range slices.Sorted(maps.Keys(r.peaks)) {
		rows = append(rows, Plain("rush_rss_"+program, r.peaks[program], "MB"))
	}
	return rows
}

// judgePosts compares the accepted posts with those on the networks. A post is lost if it is neither on the network nor
// failed, or if it is on the network but not recorded as published.
func (r *rush) judgePosts() (lost, doubled int) {
	var network []struct {
		Text string `json:"text"`
	}
	r.Call(r.Request(http.MethodGet, r.SandboxURL+"/_sandbox/posts?limit=1000000", "", nil), &network)
	published := make(map[string]int, len(network))
	for _, entry := range network {
		published[entry.Text]++
	}
	status := make(map[string]string)
	for _, p := range lab.Rows[struct{ ID, Status string }](r.Run, `SELECT id::text, status FROM post`) {
		status[p.ID] = p.Status
	}
	ends := make(map[string]int)
	for _, p := range r.accepted {
		n, end := published[p.Content], status[p.ID]
		ends[end]++
		if n > 1 {
			doubled++
		}
		if (n > 0) != (end == "PUBLISHED") || end == "" || end == "SCHEDULED" {
			lost++
		}
	}
	r.Logf("rush: posts by status: %v", ends)
	return lost, doubled
}

// judgeLateness returns the lateness of the posts and when the last one was published.
func (r *rush) judgeLateness() (late []time.Duration, last time.Time) {
	for _, p := range lab.Rows[struct{ Due, Published time.Time }](r.Run,
		`SELECT scheduled_at, published_at FROM post WHERE status = 'PUBLISHED'`) {
		late = append(late, p.Published.Sub(p.Due))
		if p.Published.After(last) {
			last = p.Published
		}
	}
	if len(late) == 0 {
		r.Failf("nothing was published")
	}
	r.Logf("rush: lateness %s", spread(late))
	return late, last
}

// judgeEvents compares the events with the arrivals at each responding endpoint.
func (r *rush) judgeEvents() (missing, wrong, arrived int, last time.Time) {
	events := eventsSince(r.Run, r.first, string(event.PostPublished), string(event.PostFailed))
	elapsed := make(map[behavior][]time.Duration)
	for _, e := range r.endpoints {
		if e.behavior != healthy && e.behavior != slow {
			continue
		}
		arrivals, sent := r.target.Arrivals(e.name), events[e.customer.ID.String()]
		m, w := match(sent, arrivals)
		missing, wrong, arrived = missing+m, wrong+w, arrived+len(arrivals)
		for id, a := range arrivals {
			elapsed[e.behavior] = append(elapsed[e.behavior], a.At.Sub(sent[id].at))
			if a.At.After(last) {
				last = a.At
			}
		}
	}
	_, _, err := r.target.Total()
	r.Check(err)
	for b, all := range elapsed {
		r.Logf("rush: from event to %s endpoint %s", b, spread(all))
	}
	return missing, wrong, arrived, last
}
