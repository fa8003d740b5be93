package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/services/bench/internal/result"
)

const (
	rushTenants = 20
	rushWindow  = time.Minute // all posts are due in this window
	rushRestart = 20 * time.Second
	rushPairs   = 2 // of APIs and workers
	rushLimit   = 30 * time.Minute
	// rushRetryScale shortens the retries: the last of six attempts is half a minute after the first, so that endpoints
	// fail permanently during the run.
	rushRetryScale = "RETRY_SCALE=0.01"
)

// Rush publishes thousands of posts that are due within one minute, in many workspaces with healthy, slow and dead
// endpoints, and meanwhile restarts every API and worker process in turn. It fails if a post is lost or published
// twice, or if an event is missing at an endpoint that responds.
func Rush(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	r := &rush{Lab: l}
	defer r.close()
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	if err := r.populate(ctx); err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	watched := make(chan error, 1)
	go func() { watched <- r.watch(watching) }()
	err := r.run(ctx)
	stop()
	if err = errors.Join(err, <-watched); err != nil {
		return nil, err
	}
	verdict, err := r.judge(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.report(verdict); err != nil {
		return nil, err
	}
	return verdict.rows(r), verdict.err()
}

type rush struct {
	*lab.Lab

	target    *receiver.Receiver
	sandbox   *lab.Process
	workers   []*lab.Process
	apis      []*lab.Process
	balancer  *load.Balancer
	customers []customer
	endpoints []rushEndpoint
	accepted  []rushPost
	first     time.Time // when the first post is due
	made      time.Duration
	watcher   watcher
	restarts  []restart
	calls     callCount
	published time.Time // when every post was published or failed
	delivered time.Time // when every responding endpoint had all its events
}

// restart is one program that was stopped gracefully and started again.
type restart struct {
	name    string
	at      time.Duration // after the first post was due
	stopped time.Duration // until the process ended
	ready   time.Duration // from then until it was ready again
}

func (r *rush) start(ctx context.Context) (err error) {
	if r.target, err = receiver.New(ctx, r.Clock); err != nil {
		return err
	}
	if r.sandbox, err = r.Start(ctx, "sandbox"); err != nil {
		return err
	}
	var bases []string
	for range rushPairs {
		worker, err := r.Start(ctx, "worker", rushRetryScale)
		if err != nil {
			return err
		}
		address, err := lab.FreeAddress(ctx)
		if err != nil {
			return err
		}
		api, err := r.Start(ctx, "api", "API_ADDR="+address)
		if err != nil {
			return err
		}
		r.workers, r.apis, bases = append(r.workers, worker), append(r.apis, api), append(bases, "http://"+address)
	}
	r.balancer = load.NewBalancer(bases...)
	return nil
}

func (r *rush) close() {
	for _, p := range append(append([]*lab.Process{}, r.apis...), r.workers...) {
		p.Stop()
	}
	if r.sandbox != nil {
		r.sandbox.Stop()
	}
	if r.balancer != nil {
		r.balancer.Close()
	}
	if r.target != nil {
		_ = r.target.Close()
	}
}

// run waits until the posts are due, restarts the processes meanwhile, and waits until all work is settled.
func (r *rush) run(ctx context.Context) error {
	if err := lab.Pause(ctx, r.first.Sub(r.Clock.Now())); err != nil {
		return err
	}
	if err := r.serve(ctx); err != nil {
		return err
	}
	r.Say("rush: the responding endpoints have all events after %.0f s; waiting until the dead ones are disabled",
		r.delivered.Sub(r.first).Seconds())
	err := lab.Until(ctx, r.RushPatience, "no delivery is open",
		r.none(`SELECT (SELECT count(*) FROM delivery WHERE state = 'PENDING') + (SELECT count(*) FROM outbox)`))
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.Say("rush: some dead endpoints are not disabled")
		return nil
	}
	return err
}

// serve runs while a client calls the API. It restarts the processes and waits for posts and events.
func (r *rush) serve(ctx context.Context) error {
	calling, stop := context.WithCancel(ctx)
	called := make(chan struct{})
	go func() { defer close(called); r.call(calling) }()
	defer func() { stop(); <-called }()
	profiled := r.Profile(ctx, "rush", rushRestart-2*time.Second, r.workers[0], r.apis[0],
		r.sandbox) //nolint:mnd // ends before the restarts
	if err := lab.Pause(ctx, rushRestart); err != nil {
		return err
	}
	profiled()
	if err := r.restartAll(ctx); err != nil {
		return err
	}
	return r.settle(ctx)
}

// restartAll restarts the workers and the APIs one at a time, each after the previous one is ready.
func (r *rush) restartAll(ctx context.Context) error {
	for _, group := range [][]*lab.Process{r.workers, r.apis} {
		for i, p := range group {
			begin := r.Clock.Now()
			p.Stop()
			ended := r.Clock.Now()
			again, err := r.Again(ctx, p)
			if err != nil {
				return err
			}
			group[i] = again
			done := restart{
				name: fmt.Sprintf("%s %d", p.Name, i+1), at: begin.Sub(r.first), stopped: ended.Sub(begin),
				ready: r.Clock.Now().Sub(ended),
			}
			r.restarts = append(r.restarts, done)
			r.Say("rush: %s restarted at %+.1f s: ended in %.1f s, ready %.1f s later", done.name, done.at.Seconds(),
				done.stopped.Seconds(), done.ready.Seconds())
		}
	}
	return nil
}

// settle waits until every post is published or failed, and then until the responding endpoints have all their events.
func (r *rush) settle(ctx context.Context) error {
	if err := lab.Until(ctx, rushLimit, "every post has ended",
		r.none(`SELECT count(*) FROM post WHERE status = 'SCHEDULED'`)); err != nil {
		return err
	}
	r.published = r.Clock.Now()
	r.Say("rush: every post ended %.0f s after the first was due", r.published.Sub(r.first).Seconds())
	err := lab.Until(ctx, rushLimit, "the responding endpoints have all events",
		r.none(`SELECT (SELECT count(*) FROM event WHERE seq IS NULL)
		+ (SELECT count(*) FROM delivery d JOIN webhook w ON w.id = d.webhook_id WHERE d.state = 'PENDING' AND w.url = ANY ($1))`, r.urls(healthy, slow)))
	r.delivered = r.Clock.Now()
	return err
}

// none returns a condition that holds when the query counts zero.
func (r *rush) none(query string, args ...any) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		open, err := r.Count(ctx, query, args...)
		return open == 0, err
	}
}
