package delivering

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// Thresholds for detecting an outage of our own DNS or network, during which every endpoint seems to be down. Failures
// during an outage do not count against any endpoint.
const (
	outageWindow     = time.Minute
	outageEndpoints  = 10 // minimum sample size
	outageWorkspaces = 2  // the endpoints of one tenant may fail together for their own reasons
)

// outage detects outages on our side: most of the endpoints that this process tried within a minute, of several
// workspaces, could not be connected to. Only the last attempt of each endpoint counts. It is safe for concurrent use.
type outage struct {
	clock clock.Clock
	log   *slog.Logger

	mu      sync.Mutex
	tried   map[ident.Webhook]lastTry
	recent  []recentTry             // ordered by time; one entry per attempt within the window
	missed  map[ident.Workspace]int // unreached endpoints per workspace
	failing int                     // the sum of missed
	is      bool
}

type lastTry struct {
	at        time.Time
	workspace ident.Workspace
	unreached bool
}

type recentTry struct {
	at       time.Time
	endpoint ident.Webhook
}

func newOutage(c clock.Clock, log *slog.Logger, m *Metrics) *outage {
	o := &outage{
		clock: c, log: log, tried: make(map[ident.Webhook]lastTry), missed: make(map[ident.Workspace]int),
	}
	m.outage.Store(o)
	return o
}

// unreached reports whether an attempt failed before it had a connection, as it would if our DNS or network were down.
func unreached(err error) bool {
	failure, ok := errors.AsType[*egress.Error](err)
	if !ok {
		return false
	}
	early := failure.Stage == egress.StageResolve || failure.Stage == egress.StageDial
	return failure.Class == egress.ClassDNS || failure.Class == egress.ClassConnectionRefused ||
		failure.Class == egress.ClassTimeout && early
}

// note records the result of an attempt. It reports whether the failure is on our side: the attempt could not connect,
// and most others could not either.
func (o *outage) note(ctx context.Context, workspace ident.Workspace, endpoint ident.Webhook, err error) bool {
	now, failed := o.clock.Now(), unreached(err)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.prune(now.Add(-outageWindow))
	o.remove(endpoint)
	o.tried[endpoint] = lastTry{at: now, workspace: workspace, unreached: failed}
	o.recent = append(o.recent, recentTry{at: now, endpoint: endpoint})
	if failed {
		o.missed[workspace]++
		o.failing++
	}
	o.judge(ctx)
	return failed && o.is
}

// prune removes attempts older than the window.
func (o *outage) prune(before time.Time) {
	old := 0
	for ; old < len(o.recent) && o.recent[old].at.Before(before); old++ {
		if r := o.recent[old]; o.tried[r.endpoint].at.Equal(r.at) { // otherwise a later attempt replaced it
			o.remove(r.endpoint)
		}
	}
	if o.recent = o.recent[old:]; len(o.recent) == 0 {
		o.recent = nil
	}
}

func (o *outage) remove(endpoint ident.Webhook) {
	last, known := o.tried[endpoint]
	if !known {
		return
	}
	delete(o.tried, endpoint)
	if !last.unreached {
		return
	}
	o.failing--
	if o.missed[last.workspace]--; o.missed[last.workspace] == 0 {
		delete(o.missed, last.workspace)
	}
}

// lasts reports whether the attempts of the last minute show an outage. A worker that makes no attempts has none.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.prune(o.clock.Now().Add(-outageWindow))
	return o.shown()
}

// shown reports whether the attempts in tried show an outage.
func (o *outage) shown() bool {
	return len(o.tried) >= outageEndpoints && 2*o.failing > len(o.tried) && len(o.missed) >= outageWorkspaces
}

// judge logs the start and the end of an outage, each once.
func (o *outage) judge(ctx context.Context) {
	is := o.shown()
	if is == o.is {
		return
	}
	o.is = is
	if is {
		o.log.ErrorContext(ctx,
			"connections to most endpoints fail, probably because of local DNS or network; failures do not count towards "+
				"disabling endpoints",
			slog.Int("endpoints", len(o.tried)), slog.Int("unreached", o.failing), slog.Int("workspaces", len(o.missed)))
		return
	}
	o.log.InfoContext(ctx, "connections to endpoints recovered", slog.Int("endpoints", len(o.tried)),
		slog.Int("unreached", o.failing))
}
