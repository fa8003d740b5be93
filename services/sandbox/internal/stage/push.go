package stage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"fencepost.internal/shared/domain/channel"
)

// Event is one thing that a network reports to an application.
type Event struct {
	ID      int64
	Account string // to which faults apply; empty: none
	Kind    string // the network's word
	Body    json.RawMessage
	Until   time.Time // until when the network keeps it

	lost     bool // is not pushed
	repeated bool
}

// Hook is an address to which a network pushes events.
type Hook struct {
	URL, Secret string
	// Encode returns the body of a request with events: one, or up to Batch.
	Encode func(events []Event) []byte
	Batch  int
	// Sign returns the header that proves the origin of a body, with its value; empty: none.
	Sign func(body []byte, secret string) (name, value string)
	// Pause returns the time until the next try after a number of failures.
	Pause func(failures int) time.Duration
}

// Delivery is a report with all tries to push it.
type Delivery struct {
	Platform channel.Network `json:"platform"`
	Account  string          `json:"account"`
	ID       int64           `json:"id"`
	Kind     string          `json:"kind"`
	URL      string          `json:"url"`
	Tries    []Try           `json:"tries"`
}

// Try is one request.
type Try struct {
	At     time.Time `json:"at"`
	Status int       `json:"status"` // zero: no response
	Error  string    `json:"error,omitempty"`
	Fault  FaultKind `json:"fault,omitempty"`
	after  time.Duration
}

// Accepted reports whether the application has the report.
func (t Try) Accepted() bool {
	return t.Status >= http.StatusOK && t.Status < http.StatusMultipleChoices
}

// pushes are the pushes of all networks.
type pushes struct {
	scale  float64
	client *http.Client
	list   *shared[Delivery]
}

func newPushes(scale float64) pushes {
	const timeout, idle = 30 * time.Second, 32
	return pushes{scale: cmp.Or(scale, 1), list: &shared[Delivery]{}, client: &http.Client{
		Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: idle},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Deliveries lists the reports that were pushed, oldest first.
func (s *Stage) Deliveries() []Delivery { return s.pushes.list.List() }

// DeleteDeliveries deletes the list.
func (s *Stage) DeleteDeliveries() { s.pushes.list.Clear() }

// Stopping is closed when the process stops.
func (s *Stage) Stopping() <-chan struct{} { return s.stopping.Done() }

// Queue holds the events for one application in order, until it has them. It is safe for concurrent use.
type Queue struct {
	stage   *Stage
	network channel.Network

	mu      sync.Mutex
	events  []Event
	changed chan struct{} // closed by the next change
	stop    context.CancelFunc
	failed  Try // the last try that failed
	running sync.WaitGroup
}

// NewQueue returns an empty queue.
func (s *Stage) NewQueue(network channel.Network) *Queue {
	return &Queue{stage: s, network: network, changed: make(chan struct{}), stop: func() {}}
}

// Add appends events.
func (q *Queue) Add(events ...Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events = append(q.events, events...)
	close(q.changed)
	q.changed = make(chan struct{})
}

// Clear deletes all events.
func (q *Queue) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events = nil
}

// Close stops pushing, and waits for a request in progress.
func (q *Queue) Close() {
	q.Push(nil)
	q.running.Wait()
}

// Len returns the number of events, and the last try that failed.
func (q *Queue) Len() (int, Try) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.events), q.failed
}

// Push pushes all events to an address, in place of the earlier one; nil: nowhere.
func (q *Queue) Push(to *Hook) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stop()
	q.failed = Try{}
	ctx, stop := context.WithCancel(q.stage.stopping)
	if q.stop = stop; to != nil {
		q.running.Go(func() { q.run(ctx, *to) })
	}
}

// Pull deletes the events before an ID, and returns up to most of the others. The channel is closed when there are more.
func (q *Queue) Pull(from int64, most int) (found []Event, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire()
	var kept []Event
	for _, e := range q.events {
		if e.ID < from {
			if e.repeated || q.fault(e, FaultDuplicate) == "" {
				continue
			}
			e.repeated = true
		}
		kept = append(kept, e)
	}
	q.events = kept
	found = slices.Clone(kept[:min(most, len(kept))])
	if len(found) > 1 && q.fault(found[0], FaultShuffle) != "" {
		slices.Reverse(found)
	}
	return found, q.changed
}

// expire deletes the events that the network no longer keeps.
func (q *Queue) expire() {
	now := q.stage.Clock.Now()
	q.events = slices.DeleteFunc(q.events, func(e Event) bool { return now.After(e.Until) })
}

// fault takes a fault of the event's account.
func (q *Queue) fault(e Event, kinds ...FaultKind) FaultKind {
	if e.Account == "" {
		return ""
	}
	return q.stage.Faults.TakeInbound(q.network, e.Account, kinds...)
}

// run pushes the events in order. An event that the application does not accept is tried again before all others.
func (q *Queue) run(ctx context.Context, to Hook) {
	failures := 0
	for ctx.Err() == nil {
		events, changed := q.next(to)
		if len(events) == 0 {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		try := q.deliver(ctx, to, events)
		if ctx.Err() != nil {
			return
		}
		if try.Accepted() {
			failures = 0
			continue
		}
		failures++
		pause := cmp.Or(try.after, to.Pause(failures))
		q.stage.wait(ctx, time.Duration(float64(pause)*q.stage.pushes.scale))
	}
}

// next returns the events of the next request: the first one unless a fault says otherwise.
func (q *Queue) next(to Hook) ([]Event, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire()
	var waiting []Event
	for i, e := range q.events {
		if len(waiting) == 0 && !e.lost && q.fault(e, FaultLostPush) != "" {
			q.events[i].lost = true
		}
		if !q.events[i].lost {
			waiting = append(waiting, e)
		}
	}
	if len(waiting) < 2 { //nolint:mnd // one has no order
		return waiting, q.changed
	}
	if to.Batch > 1 && q.fault(waiting[0], FaultBatch) != "" {
		return waiting[:min(to.Batch, len(waiting))], q.changed
	}
	at := 0
	if q.fault(waiting[0], FaultShuffle) != "" {
		at = 1 + rand.IntN(len(waiting)-1) //nolint:gosec // G404: an order
	}
	return waiting[at : at+1], q.changed
}

// deliver sends a request with the events, and copies of it at the same time that a fault demands. The events are deleted if
// one of them is accepted.
func (q *Queue) deliver(ctx context.Context, to Hook, events []Event) Try {
	const most = 20
	first := events[0]
	forged := q.fault(first, FaultUnsigned, FaultForeignSecret, FaultChangedBody)
	kinds := []FaultKind{forged}
	for forged == "" && len(kinds) <= most && q.fault(first, FaultDuplicate) != "" {
		kinds = append(kinds, FaultDuplicate)
	}
	tries := make([]Try, len(kinds))
	var sending sync.WaitGroup
	for i, kind := range kinds {
		sending.Go(func() {
			tries[i] = q.post(ctx, to, events, kind)
			q.record(to, events, tries[i])
		})
	}
	sending.Wait()
	accepted := slices.IndexFunc(tries, Try.Accepted)
	q.mu.Lock()
	defer q.mu.Unlock()
	if accepted < 0 {
		q.failed = tries[0]
		return tries[0]
	}
	q.events = slices.DeleteFunc(q.events, func(e Event) bool {
		return slices.ContainsFunc(events, func(sent Event) bool { return sent.ID == e.ID })
	})
	return tries[accepted]
}

// post sends one request, as changed by the fault.
func (q *Queue) post(ctx context.Context, to Hook, events []Event, kind FaultKind) Try {
	body, secret := to.Encode(events), to.Secret
	if kind == FaultForeignSecret {
		secret += "-other" //nolint:gosec // G101: not of any application
	}
	name, value := to.Sign(body, secret)
	if kind == FaultChangedBody {
		body = body[:len(body)-2]
	}
	try := Try{At: q.stage.Clock.Now(), Fault: kind}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		try.Error = "invalid address"
		return try
	}
	request.Header.Set("Content-Type", "application/json")
	if value != "" && kind != FaultUnsigned {
		request.Header.Set(name, value)
	}
	response, err := q.stage.pushes.client.Do(request)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		try.Error = "Connection refused"
	case errors.Is(err, context.DeadlineExceeded):
		try.Error = "Read timeout expired"
	case err != nil:
		try.Error = "Connection closed"
	default:
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxBody)) // only the status counts
		_ = response.Body.Close()
		const longest = 3600
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		try.Status, try.after = response.StatusCode, time.Duration(min(max(seconds, 0), longest))*time.Second
	}
	return try
}

// record adds the try to the list of deliveries.
func (q *Queue) record(to Hook, events []Event, try Try) {
	q.stage.pushes.list.change(func(all []Delivery) []Delivery {
		if len(all) >= callsKept {
			all = slices.Clone(all[callsKept/2:])
		}
		for _, e := range events {
			at := len(all) - 1
			for at >= 0 && (all[at].ID != e.ID || all[at].Platform != q.network || all[at].URL != to.URL) {
				at--
			}
			if at < 0 {
				at = len(all)
				all = append(all, Delivery{Platform: q.network, Account: e.Account, ID: e.ID, Kind: e.Kind, URL: to.URL})
			}
			all[at].Tries = append(slices.Clip(all[at].Tries), try) // the lists that were returned do not change
		}
		return all
	})
}
