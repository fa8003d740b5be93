package trial

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"sync"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/shared/kernel/ident"
)

const (
	watchEvery = time.Second
	callEvery  = 50 * time.Millisecond
	writeEach  = 10 // one call in writeEach creates a draft
)

// depth is a snapshot of the open work.
type depth struct {
	at     time.Duration // after the first post was due
	posts  int           // scheduled, whether due or not
	line   int           // deliveries that wait in their endpoint's line
	outbox int           // messages to deliver to Temporal
	open   int           // pending deliveries, including those in line
}

// watcher records snapshots and each program's peak memory.
type watcher struct {
	mu     sync.Mutex
	depths []depth
	peaks  map[string]float64 // MB, by program
}

// watch takes a snapshot every second until the context ends.
func (r *rush) watch(ctx context.Context) error {
	r.watcher.peaks = make(map[string]float64)
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		d := depth{at: r.Clock.Now().Sub(r.first)}
		err := r.SQL.QueryRow(ctx,
			`SELECT (SELECT count(*) FROM post WHERE status = 'SCHEDULED'), (SELECT count(*) FROM delivery WHERE lane IS NOT NULL),
			(SELECT count(*) FROM outbox), (SELECT count(*) FROM delivery WHERE state = 'PENDING')`).Scan(&d.posts, &d.line,
			&d.outbox, &d.open)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		r.watcher.mu.Lock()
		r.watcher.depths = append(r.watcher.depths, d)
		r.watcher.mu.Unlock()
		r.measure()
	}
}

// measure updates each program's peak memory. A program that is down keeps its previous peak.
func (r *rush) measure() {
	for program, processes := range map[string][]*lab.Process{"worker": r.workers, "api": r.apis, "sandbox": {r.sandbox}} {
		for _, p := range processes {
			if mb, err := p.PeakRSS(); err == nil {
				r.watcher.mu.Lock()
				r.watcher.peaks[program] = max(r.watcher.peaks[program], mb)
				r.watcher.mu.Unlock()
			}
		}
	}
}

// memory returns the peak memory of one process of each program, in MB.
func (w *watcher) memory() map[string]float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.peaks)
}

// callCount holds the results of a client that calls the API throughout the restarts.
type callCount struct {
	made, failed int
	first        error
	took         []time.Duration
}

// call calls the API twenty times per second, as a client behind a load balancer, until the context ends.
func (r *rush) call(ctx context.Context) {
	ticks := time.NewTicker(callEvery)
	defer ticks.Stop()
	var (
		calls sync.WaitGroup
		mu    sync.Mutex
	)
	defer calls.Wait()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		calls.Go(func() {
			begin := r.Clock.Now()
			_, err := r.balancer.Do(context.WithoutCancel(ctx), r.someCall(i))
			mu.Lock()
			defer mu.Unlock()
			r.calls.made++
			r.calls.took = append(r.calls.took, r.Clock.Now().Sub(begin))
			if err != nil {
				r.calls.failed++
				if r.calls.first == nil {
					r.calls.first = err
					r.Say("rush: a call failed: %v", err)
				}
			}
		})
	}
}

func (r *rush) someCall(i int) load.Call {
	c := r.customers[i%len(r.customers)]
	if i%writeEach > 0 {
		return load.Call{Method: http.MethodGet, URL: "/v1/posts", Key: c.key, Want: http.StatusOK}
	}
	body, _ := json.Marshal(map[string]any{
		"channelIds": []string{c.Channels[0].ID.String()}, "content": "A draft in the rush.",
	}) //nolint:errchkjson // strings
	return load.Call{
		Method: http.MethodPost, URL: "/v1/posts", Key: c.key, Body: body, Want: http.StatusCreated,
		Idempotency: ident.New[ident.Post]().String(),
	}
}
