package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/bench/internal/ceiling"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/domain/event"
)

const (
	latencySamples = 250
	latencyWarmUp  = 20
	// The pause between two samples lets the system become idle. Its random part avoids synchronization with periodic
	// work.
	latencyRest   = 80 * time.Millisecond
	latencyRandom = 50 * time.Millisecond
	arrivalLimit  = 20 * time.Second
)

// WebhookLatency measures how long single events take to reach their receiver on an idle system: events that a request
// creates, and events of publications, which a worker creates. The ceiling is a bare workflow whose one activity sends
// the request. It is measured in turn with them.
func WebhookLatency(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	driver, bareWorker, err := startCeiling(ctx, l)
	if err != nil {
		return nil, err
	}
	defer bareWorker.Stop()
	defer driver.Close()
	var started []*lab.Process
	defer func() {
		for _, p := range started {
			p.Stop()
		}
	}()
	for _, name := range []string{"sandbox", "worker", "api"} {
		p, err := l.Start(ctx, name)
		if err != nil {
			return nil, err
		}
		started = append(started, p)
	}
	var rows []result.Row
	for _, c := range []struct {
		typ      event.Type
		schedule string
		p50, p99 string
	}{
		{event.PostCreated, "draft", result.WebhookP50, result.WebhookP99},
		{event.PostPublished, "now", result.WebhookPublishedP50, result.WebhookPublishedP99},
	} {
		s := &latencySampling{Lab: l, driver: driver, typ: c.typ, schedule: c.schedule}
		if err := s.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", c.typ, err)
		}
		rows = append(rows, s.row(c.p50, median), s.row(c.p99, tail))
	}
	return rows, nil
}

// latencySampling is one series of samples of events of one type.
type latencySampling struct {
	*lab.Lab

	driver   *ceiling.Driver
	typ      event.Type
	schedule string // of the posts that create the events
	client   *http.Client
	call     load.Call
	tenant   lab.Tenant
	target   *receiver.Receiver
	arrived  chan arrived

	bare []time.Duration // from the start of the workflow to the arrival
	ours []sample

	latency []time.Duration // from each event's time to its arrival
}

type arrived struct {
	id string
	at time.Time
}

// sample is one event: the time of the response to its request, and the arrival of its delivery.
type sample struct {
	arrived

	answered time.Time
}

func (s *latencySampling) run(ctx context.Context) (err error) {
	if s.target, err = receiver.New(ctx, s.Clock); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.target.Close()) }()
	if err := s.prepare(ctx); err != nil {
		return err
	}
	begin := s.Clock.Now()
	for range latencyWarmUp + latencySamples {
		if err := s.sampleBare(ctx); err != nil {
			return err
		}
		if err := s.sampleOurs(ctx, len(s.ours)); err != nil {
			return err
		}
	}
	s.bare, s.ours = s.bare[latencyWarmUp:], s.ours[latencyWarmUp:]
	if _, _, err := s.target.Got(); err != nil {
		return err
	}
	return s.evaluate(ctx, begin)
}

func (s *latencySampling) prepare(ctx context.Context) error {
	var err error
	if s.tenant, err = s.Tenant(ctx, "Waiting for events"); err != nil {
		return err
	}
	key, err := s.Key(ctx, s.tenant)
	if err != nil {
		return err
	}
	secret, err := s.Endpoint(ctx, s.tenant, s.target.URL("ours"), s.typ)
	if err != nil {
		return err
	}
	const room = 16
	s.arrived = make(chan arrived, room)
	record := func(id string, at time.Time) { s.arrived <- arrived{id, at} }
	s.target.Serve("ours", receiver.Endpoint{Secret: secret, Arrived: record})
	s.target.Serve("bare", receiver.Endpoint{Arrived: record})
	s.client = &http.Client{Timeout: arrivalLimit}
	s.call = load.Call{Method: http.MethodPost, URL: s.APIURL + "/v1/posts", Key: key, Want: http.StatusCreated}
	return nil
}

// sampleBare starts a bare workflow that sends a request of a delivery's size, and waits for the request.
func (s *latencySampling) sampleBare(ctx context.Context) error {
	const size = 400
	begin := s.Clock.Now()
	id := fmt.Sprintf("send-%d", begin.UnixNano())
	if err := s.driver.Send(ctx, s.target.URL("bare"), id, strings.Repeat("x", size)); err != nil {
		return err
	}
	got, err := s.next(ctx)
	if err != nil {
		return err
	}
	s.bare = append(s.bare, got.at.Sub(begin))
	return rest(ctx)
}

// sampleOurs creates a post, and with it an event, and waits for the event's delivery.
func (s *latencySampling) sampleOurs(ctx context.Context, i int) error {
	call := s.call
	var err error
	call.Body, err = json.Marshal(map[string]any{
		"channelIds": []string{s.tenant.Channels[i%len(s.tenant.Channels)].ID.String()},
		"content":    fmt.Sprintf("Post %d: what the harbour looks like this morning.", i), "schedule": s.schedule,
	})
	if err != nil {
		return err
	}
	if _, err := call.Make(ctx, s.client); err != nil {
		return err
	}
	answered := s.Clock.Now()
	got, err := s.next(ctx)
	if err != nil {
		return err
	}
	s.ours = append(s.ours, sample{arrived: got, answered: answered})
	return rest(ctx)
}

func (s *latencySampling) next(ctx context.Context) (arrived, error) {
	select {
	case got := <-s.arrived:
		return got, nil
	case <-ctx.Done():
		return arrived{}, ctx.Err()
	case <-time.After(arrivalLimit):
		_, _, err := s.target.Got()
		return arrived{}, errors.Join(errors.New("nothing arrived"), err)
	}
}

func rest(ctx context.Context) error {
	return lab.Pause(ctx, latencyRest+rand.N(latencyRandom)) //nolint:gosec // G404: not a secret
}
