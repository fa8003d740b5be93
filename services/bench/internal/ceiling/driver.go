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

	"socialpub.internal/services/bench/internal/lab"
	"socialpub.internal/shared/kernel/clock"
)

// starters is how many workflows are being started at a time; the relay's number.
const starters = 16

// Times are how long a round took: until the last activity had run, which is what compares to a post that is out or a
// delivery that has arrived, and until the last workflow had ended.
type Times struct{ Acted, Ended time.Duration }

// Driver starts the ceiling's workflows and learns when they have ended.
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

// Close closes the connection.
func (d *Driver) Close() { d.temporal.Close() }

// Appointment chooses the instant at which sleeping workflows wake up together.
type Appointment interface {
	// Due begins and returns the instant for n workflows.
	Due(n int) time.Time
	// Started says that all n sleep, and waits for the instant; an error says that it has passed.
	Started(ctx context.Context, n int) error
}

// Timed starts n workflows whose timers are due at the same instant and says when they had run.
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

// Direct starts n workflows that run their activity at once, and says when they had run.
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

// Send starts one workflow whose activity sends a request to the address, under an id that its receiver finds in the header of
// deliveries. It returns when Temporal has taken the workflow.
func (d *Driver) Send(ctx context.Context, url, id, body string) error {
	_, err := d.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "ceiling/" + id, TaskQueue: queueDirect}, workflowSend,
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

// times waits for the end of all n.
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
		return nil, errors.Join(errors.New("the ceiling's worker answers "+answer.Status), answer.Body.Close())
	}
	return answer, nil
}
