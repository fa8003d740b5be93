package ceiling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/kernel/clock"
)

// starters is the number of concurrent workflow starts. It equals the relay's.
const starters = 16

// Times are the durations of a round: until the last activity ran, which compares to a published post or a received
// delivery, and until the last workflow ended.
type Times struct{ Acted, Ended time.Duration }

// Driver starts the ceiling's workflows and waits for their end.
type Driver struct {
	temporal client.Client
	http     *http.Client
	url      string
	clock    clock.Clock
}

// NewDriver connects to Temporal and to the ceiling's worker at address.
func NewDriver(temporal, namespace, address string, c clock.Clock) (*Driver, error) {
	connection, err := client.Dial(client.Options{HostPort: temporal, Namespace: namespace})
	if err != nil {
		return nil, err
	}
	const timeout = 5 * time.Second
	return &Driver{temporal: connection, http: &http.Client{Timeout: timeout}, url: "http://" + address, clock: c}, nil
}

// Close closes the connection to Temporal.
func (d *Driver) Close() { d.temporal.Close() }

// Appointment selects the time at which sleeping workflows wake up together.
type Appointment interface {
	// Due starts a round and returns the time at which n workflows are due.
	Due(n int) time.Time
	// Started is called when all n workflows are started, and waits for the due time. It returns an error if that time
	// is too close or has passed.
	Started(ctx context.Context, n int) error
}

// Timed starts n workflows whose timers are due at the same time and returns how long they took.
func (d *Driver) Timed(ctx context.Context, n int, limit time.Duration, at Appointment) (Times, error) {
	queues, due := timedQueues(), at.Due(n)
	err := d.start(ctx, n, func(ctx context.Context, id string, i int) error {
		_, err := d.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queues[i%len(queues)]},
			workflowTimed, timedInput{Due: due})
		return err
	})
	if err != nil {
		return Times{}, err
	}
	if err := at.Started(ctx, n); err != nil {
		return Times{}, err
	}
	return d.times(ctx, n, due, limit)
}

// Direct starts n workflows that run their activity immediately and returns how long they took.
func (d *Driver) Direct(ctx context.Context, n int, limit time.Duration) (Times, error) {
	begin := d.clock.Now()
	err := d.start(ctx, n, func(ctx context.Context, id string, _ int) error {
		_, err := d.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queueDirect}, workflowDirect)
		return err
	})
	if err != nil {
		return Times{}, err
	}
	return d.times(ctx, n, begin, limit)
}

// Delayed starts n workflows whose first task runs a day later, each with a signal, as the relay does for posts of
// tomorrow. It returns how long Temporal took to accept them.
func (d *Driver) Delayed(ctx context.Context, n int) (time.Duration, error) {
	const delay, signal = 24 * time.Hour, "plan"
	begin := d.clock.Now()
	queues, in := timedQueues(), timedInput{Due: begin.Add(delay)}
	err := d.start(ctx, n, func(ctx context.Context, id string, i int) error {
		options := client.StartWorkflowOptions{ID: id, TaskQueue: queues[i%len(queues)], StartDelay: delay}
		_, err := d.temporal.SignalWithStartWorkflow(ctx, id, signal, in, options, workflowTimed, in)
		return err
	})
	return d.clock.Now().Sub(begin), err
}

// Send starts one workflow whose activity sends a request to the URL, with the id in the delivery header. It returns
// when Temporal has accepted the workflow.
func (d *Driver) Send(ctx context.Context, url, id, body string) error {
	_, err := d.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "ceiling/" + id, TaskQueue: queueDirect},
		workflowSend,
		sendInput{URL: url, ID: id, Body: body})
	return err
}

func (d *Driver) start(ctx context.Context, n int, one func(ctx context.Context, id string, i int) error) error {
	if err := d.reset(ctx); err != nil {
		return err
	}
	round := strconv.FormatInt(d.clock.Now().UnixNano(), 36)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(starters)
	for i := range n {
		group.Go(func() error { return one(ctx, fmt.Sprintf("ceiling/%s/%d", round, i), i) })
	}
	return group.Wait()
}

// times waits until all n workflows have ended.
func (d *Driver) times(ctx context.Context, n int, begin time.Time, limit time.Duration) (t Times, err error) {
	err = lab.Until(ctx, limit, "the ceiling's workflows have ended", func(ctx context.Context) (bool, error) {
		stats, err := d.stats(ctx)
		t = Times{Acted: stats.LastActed.Sub(begin), Ended: stats.LastEnded.Sub(begin)}
		return stats.Ended >= n, err
	})
	return t, err
}

func (d *Driver) stats(ctx context.Context) (stats Stats, err error) {
	answer, err := d.call(ctx, http.MethodGet, "/stats")
	if err != nil {
		return Stats{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	return stats, json.NewDecoder(answer.Body).Decode(&stats)
}

func (d *Driver) reset(ctx context.Context) error {
	answer, err := d.call(ctx, http.MethodPost, "/reset")
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func (d *Driver) call(ctx context.Context, method, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, d.url+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := d.http.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.Join(errors.New("the ceiling's worker responds with "+answer.Status), answer.Body.Close())
	}
	return answer, nil
}
