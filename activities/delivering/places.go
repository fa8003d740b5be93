package delivering

import (
	"context"
	"sync"
	"time"

	"socialpub.internal/shared/ident"
)

const (
	// maxInFlight is how many requests one endpoint gets at a time from this process (decisions, section 7).
	maxInFlight = 4
	// turnPatience is how long an attempt waits for its place before it gives the worker's slot to another endpoint.
	turnPatience = time.Second
	turnWait     = 2 * time.Second
)

// places bounds the requests in flight per endpoint, so that a slow receiver holds up nobody but itself.
type places struct {
	mu    sync.Mutex
	taken map[ident.Webhook]*queue
}

type queue struct {
	slots chan struct{}
	users int // holders and those who wait; the queue goes with the last one
}

func newPlaces() *places { return &places{taken: make(map[ident.Webhook]*queue)} }

// take waits for a place at the endpoint; false when none became free in time.
func (p *places) take(ctx context.Context, id ident.Webhook) bool {
	p.mu.Lock()
	q := p.taken[id]
	if q == nil {
		q = &queue{slots: make(chan struct{}, maxInFlight)}
		p.taken[id] = q
	}
	q.users++
	p.mu.Unlock()
	patience := time.NewTimer(turnPatience)
	defer patience.Stop()
	select {
	case q.slots <- struct{}{}:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	p.leave(id)
	return false
}

// giveBack frees a place that take gave.
func (p *places) giveBack(id ident.Webhook) {
	p.mu.Lock()
	q := p.taken[id]
	p.mu.Unlock()
	<-q.slots
	p.leave(id)
}

func (p *places) leave(id ident.Webhook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.taken[id]; q != nil {
		if q.users--; q.users == 0 {
			delete(p.taken, id)
		}
	}
}
