package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

const (
	rushTenants = 20
	rushWindow  = time.Minute // all posts are due in this window
	rushRestart = 20 * time.Second
	// rushRetryScale shortens the retries: the last of six attempts is half a minute after the first, so that endpoints
	// fail permanently during the run.
	rushRetryScale = "RETRY_SCALE=0.01"
	bulkItems      = 50 // the limit of one request
	// The first post is due after this estimate of the time until all posts are accepted and Temporal has their
	// workflows.
	rushLead     = 25 * time.Second
	rushLeadEach = 40 * time.Millisecond
	slowest      = 5 * time.Second
	fastest      = time.Second
	rushCallers  = 1000 // enough that the client's pace does not depend on the responses
	rushDrafts   = 10   // one call in rushDrafts creates a draft
)

// behavior is the behavior of an endpoint.
type behavior string

const (
	healthy behavior = "healthy"
	slow    behavior = "slow"    // responds after 1 to 5 s
	refused behavior = "refused" // no process listens
	hanging behavior = "hanging" // accepts the request and never responds
	failing behavior = "500"
)

// behaviors returns combinations of three endpoints for the workspaces, used in turn.
func behaviors() [][]behavior {
	return [][]behavior{
		{healthy, healthy, healthy},
		{healthy, slow, healthy},
		{healthy, healthy, refused},
		{healthy, slow, hanging},
		{healthy, healthy, failing},
	}
}

type rushEndpoint struct {
	name, url string
	behavior  behavior
	customer  lab.Tenant
}

type rush struct {
	*lab.Run

	target    *lab.Receiver
	sandbox   *lab.Process
	workers   []*lab.Process
	apis      []*lab.Process
	customers []lab.Tenant
	endpoints []rushEndpoint
	accepted  []createdPost
	first     time.Time // when the first post is due

	calls vegeta.Metrics // of the client that calls the API meanwhile
	peaks map[string]float64
}

// measureRush publishes thousands of posts that are due within one minute, in many workspaces with healthy, slow and dead
// endpoints, and meanwhile restarts every API and worker process in turn. It fails if a post is lost or published
// twice, or if an event is missing at an endpoint that responds.
func measureRush(run *lab.Run) []Row {
	r := &rush{Run: run, target: newReceiver(run), sandbox: run.Start("sandbox"), peaks: make(map[string]float64)}
	var addresses []string
	for range 2 {
		r.workers = append(r.workers, r.Start("worker", rushRetryScale))
		address := r.Address()
		r.apis, addresses = append(r.apis, r.Start("api", "API_ADDR="+address)), append(addresses, address)
	}
	r.Balance(addresses...)
	for i := range rushTenants {
		r.join(behaviors()[i%len(behaviors())])
	}
	r.populate()
	r.Pause(time.Until(r.first))
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	r.Together(func() { r.call(ctx) }, func() {
		defer stop()
		r.serve()
	})
	return r.verdict()
}

// join creates a workspace with endpoints for events of published and failed posts.
func (r *rush) join(endpoints []behavior) {
	t := r.Tenant("In the rush")
	for _, b := range endpoints {
		e := rushEndpoint{name: fmt.Sprintf("endpoint-%d", len(r.endpoints)), behavior: b, customer: t}
		e.url = r.target.URL(e.name)
		if b == refused {
			e.url = "http://" + r.Address() + "/" + e.name
		}
		r.target.Serve(e.name, behave(b, r.Endpoint(t, e.url, string(event.PostPublished), string(event.PostFailed))))
		r.endpoints = append(r.endpoints, e)
	}
	r.customers = append(r.customers, t)
}

func behave(b behavior, secret string) lab.Endpoint {
	e := lab.Endpoint{Secret: secret, Hangs: b == hanging}
	if b == slow {
		e.Delay = func() time.Duration { return fastest + rand.N(slowest-fastest) } //nolint:gosec // G404: not a secret
	}
	if b == failing {
		e.Status = http.StatusInternalServerError
	}
	return e
}

// populate creates the posts over the API.
func (r *rush) populate() {
	r.first = time.Now().Add(rushLead + time.Duration(r.RushPosts)*rushLeadEach).Truncate(time.Second)
	items := max(1, min(bulkItems, r.RushPosts/rushTenants))
	for i := 0; len(r.accepted) < r.RushPosts; i++ {
		r.bulk(r.customers[i%len(r.customers)], min(items, r.RushPosts-len(r.accepted)))
	}
	r.OutboxEmpty(limit)
	remaining := time.Until(r.first)
	r.Logf("rush: the outbox was empty %.1f s before the first of %d posts is due", remaining.Seconds(), len(r.accepted))
	if remaining < 0 {
		r.Failf("the posts were due before the outbox was empty; the machine is too busy to measure")
	}
}

// bulk creates posts of one workspace at random times within the minute.
func (r *rush) bulk(c lab.Tenant, n int) {
	items := make([]map[string]any, n)
	for k := range items {
		due := r.first.Add(rand.N(rushWindow)).Truncate(time.Millisecond) //nolint:gosec // G404: not a secret
		items[k] = map[string]any{
			"channelIds": []string{c.Channels[k%len(c.Channels)].ID.String()}, "schedule": due.Format(time.RFC3339Nano),
			"content": lab.UniqueContent(k),
		}
	}
	var results []struct {
		Posts []createdPost `json:"posts"`
		Error string        `json:"error"`
	}
	r.Call(once(r.Request(http.MethodPost, r.APIURL+"/v1/posts/bulk", c.Key, map[string]any{"posts": items})), &results)
	for _, item := range results {
		if len(item.Posts) != 1 {
			r.Failf("an item was rejected: %s", item.Error)
		}
		r.accepted = append(r.accepted, item.Posts...)
	}
}

// once returns the request with an Idempotency-Key, so that it can be repeated.
func once(request vegeta.Target) vegeta.Target {
	request.Header = request.Header.Clone()
	request.Header.Set("Idempotency-Key", ident.New[ident.Post]().String())
	return request
}

// serve restarts the processes and waits for posts and events.
func (r *rush) serve() {
	r.Pause(rushRestart)
	r.recordPeaks()
	r.restart(r.workers)
	r.restart(r.apis)
	r.UntilNone(longLimit, "every post has ended", `SELECT count(*) FROM post WHERE status = 'SCHEDULED'`)
	r.Logf("rush: every post ended %.0f s after the first was due", time.Since(r.first).Seconds())
	var responding []string
	for _, e := range r.endpoints {
		if e.behavior == healthy || e.behavior == slow {
			responding = append(responding, e.url)
		}
	}
	r.UntilNone(longLimit, "the responding endpoints have all events", `SELECT (SELECT count(*) FROM event WHERE seq IS NULL)
		+ (SELECT count(*) FROM delivery d JOIN webhook w ON w.id = d.webhook_id WHERE d.state = 'PENDING' AND w.url = ANY ($1))`,
		responding)
	r.recordPeaks()
}

// restart restarts processes one at a time, each after the previous one is ready.
func (r *rush) restart(processes []*lab.Process) {
	for i, p := range processes {
		begin := time.Now()
		p.Stop()
		ended := time.Now()
		processes[i] = r.StartProgram(p.Program)
		r.Logf("rush: %s %d restarted at %.1f s: ended in %.1f s, ready %.1f s later", p.Name, i+1,
			begin.Sub(r.first).Seconds(), ended.Sub(begin).Seconds(), time.Since(ended).Seconds())
	}
}

// recordPeaks updates the peak memory of one process of each program.
func (r *rush) recordPeaks() {
	for _, p := range slices.Concat(r.workers, r.apis, []*lab.Process{r.sandbox}) {
		mb, err := p.PeakRSS()
		r.Check(err)
		r.peaks[p.Name] = max(r.peaks[p.Name], mb)
	}
}

// call calls the API twenty times per second, as a client behind a load balancer, until the context ends.
func (r *rush) call(ctx context.Context) {
	var mu sync.Mutex // workers call the function concurrently
	i := 0
	requests := func(target *vegeta.Target) error {
		mu.Lock()
		defer mu.Unlock()
		i++
		c := r.customers[i%len(r.customers)]
		*target = r.Request(http.MethodGet, r.APIURL+"/v1/posts", c.Key, nil)
		if i%rushDrafts == 0 {
			*target = once(newPost(r.Run, c, "A draft in the rush.", "draft", 0))
		}
		return nil
	}
	pace := vegeta.ConstantPacer{Freq: 20, Per: time.Second}
	r.Attack(ctx, requests, pace, rushCallers, 0, r.calls.Add)
	r.calls.Close()
}
