package listen

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"

	"fencepost.internal/shared/kernel/clock"
)

const (
	// maxBody is far larger than the largest envelope, 64 KiB.
	maxBody = 1 << 20
	// remembered bounds the events that are stored to detect duplicates.
	remembered = 100_000
)

// Plan configures the responses to genuine deliveries. Others get 401.
type Plan struct {
	Status    int           // of the response
	Delay     time.Duration // before the response
	FailFirst int           // number of first attempts of each event that get 500
}

// Printer prints deliveries. The listener does not call it concurrently.
type Printer interface {
	Print(d Delivery) error
}

// Config holds the settings and dependencies of a Listener.
type Config struct {
	Secret  string
	Plan    Plan
	Clock   clock.Clock
	Printer Printer
}

// Counts holds the totals of a Listener.
type Counts struct {
	Deliveries int // requests that were verified
	Events     int // distinct events among the genuine deliveries
	Refused    int // requests that were not genuine
	Duplicates int // deliveries of events that were acknowledged before
}

// Listener responds to deliveries. It is safe for concurrent use.
type Listener struct {
	secret  string
	plan    Plan
	clock   clock.Clock
	printer Printer
	broken  chan error
	stopped chan struct{}
	stop    sync.Once

	mu     sync.Mutex
	events *expirable.LRU[string, *history]
	counts Counts
}

// history holds the results of an event's earlier attempts.
type history struct {
	seen, responded int
	accepted        bool
}

// New returns a listener.
func New(c Config) (*Listener, error) {
	if c.Secret == "" || c.Clock == nil || c.Printer == nil || c.Plan.Status == 0 {
		return nil, errors.New("listen: every member of the configuration is required")
	}
	return &Listener{
		secret: c.Secret, plan: c.Plan, clock: c.Clock, printer: c.Printer,
		events: expirable.NewLRU[string, *history](remembered, nil, 0),
		broken: make(chan error, 1), stopped: make(chan struct{}),
	}, nil
}

// Broken returns a channel that receives the first error of the printer.
func (l *Listener) Broken() <-chan error { return l.broken }

// Stop ends the delays of pending responses. They become 503, so that the service retries.
func (l *Listener) Stop() { l.stop.Do(func() { close(l.stopped) }) }

// Counts returns the current totals.
func (l *Listener) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts
}

// ServeHTTP accepts a delivery on any path.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "This address receives webhooks. Send a POST request.", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "The body cannot be read, or is larger than 1 MiB.", http.StatusRequestEntityTooLarge)
		return
	}
	d := l.record(judge(r.Header, body, l.secret, l.clock.Now()))
	if d.Delay > 0 && !l.wait(r, d.Delay) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(d.Response)
}

// record determines the response from earlier attempts, and prints the delivery.
func (l *Listener) record(d Delivery) Delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Deliveries++
	if d.Genuine() {
		l.plot(&d)
	} else {
		l.counts.Refused++
		d.Response = http.StatusUnauthorized
	}
	if err := l.printer.Print(d); err != nil {
		select {
		case l.broken <- err:
		default:
		}
	}
	return d
}

// plot sets the response to a genuine delivery.
func (l *Listener) plot(d *Delivery) {
	past, known := l.events.Get(d.ID)
	if !known {
		past = &history{}
		l.events.Add(d.ID, past)
		l.counts.Events++
	}
	past.seen++
	d.Seen, d.Accepted, d.Before = past.seen, past.accepted, past.responded
	d.Response, d.Delay = l.plan.Status, l.plan.Delay
	if past.seen <= l.plan.FailFirst {
		d.Response = http.StatusInternalServerError
	}
	if past.accepted {
		l.counts.Duplicates++
	}
	past.responded = d.Response
	past.accepted = past.accepted || d.Response/100 == 2
}

// wait waits for the delay. It returns false if the client disconnects or the listener stops first.
func (l *Listener) wait(r *http.Request, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-l.stopped:
	}
	return false
}
