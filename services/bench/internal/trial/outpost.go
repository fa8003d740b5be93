package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/outpost"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// Outpost compares the deliveries of WebhooksAPI with those of Hookdeck Outpost: as many events with the same bodies are
// published over its API, for as many tenants and destinations of the same receiver. Its rate takes the place of the
// ceiling. Our first round begins idle, as each of Outpost's does. Our second one follows at once, as the round of
// WebhooksAPI follows its warm-up, while the express lane still takes all deliveries.
func Outpost(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	w, closeAll, err := openWebhooksAPI(ctx, l)
	defer closeAll()
	if err != nil {
		return nil, err
	}
	o, err := w.startOutpost(ctx)
	if err != nil {
		return nil, err
	}
	defer o.server.Stop()
	if _, err := o.round(ctx, w.warmUp()); err != nil {
		return nil, err
	}
	const unit = "deliveries/s"
	theirs := turn{side: "Outpost", measure: func() (float64, error) { return o.round(ctx, w.each) }}
	ours := func() (float64, error) { return w.ours(ctx, w.each) }
	rates, err := alternate(l, result.WebhooksOutpost, unit, theirs,
		turn{side: "ours, idle before", measure: ours}, turn{side: "ours", measure: ours}, theirs)
	if err != nil {
		return nil, err
	}
	theirRate := mean(rates[0], rates[3])
	return []result.Row{
		result.Against(result.WebhooksOutpost, rates[2], unit, theirRate),
		result.Against(result.WebhooksOutpostIdle, rates[1], unit, theirRate),
	}, nil
}

// rival sends the events of webhooksAPI by Outpost.
type rival struct {
	*webhooksAPI

	server *outpost.Outpost
	sample []byte // body of an event of the service
	id     string // of that event
	sent   int    // deliveries of all rounds
}

// startOutpost starts Outpost with a tenant for each workspace, with as many destinations as the workspace's endpoints.
func (w *webhooksAPI) startOutpost(ctx context.Context) (*rival, error) {
	id, sample, err := w.event(ctx)
	if err != nil {
		return nil, err
	}
	server, err := outpost.Start(ctx, w.Lab)
	if err != nil {
		return nil, err
	}
	o := &rival{webhooksAPI: w, server: server, sample: sample, id: id}
	if err := o.destinations(ctx); err != nil {
		server.Stop()
		return nil, err
	}
	return o, nil
}

func (o *rival) destinations(ctx context.Context) error {
	for _, t := range o.tenants {
		if err := o.server.Tenant(ctx, t.ID.String()); err != nil {
			return err
		}
		for k := range apiEndpoints {
			name, secret := destination(t, k), webhook.NewSecret()
			if err := o.server.Destination(ctx, t.ID.String(), o.target.URL(name), secret); err != nil {
				return err
			}
			o.target.Serve(name, receiver.Endpoint{Secret: secret, Standard: true})
		}
	}
	return nil
}

// destination returns the name of the k-th destination of a tenant.
func destination(t lab.Tenant, k int) string { return fmt.Sprintf("outpost-%s-%d", t.ID, k) }

// round returns Outpost's rate for a number of events of each tenant. It waits until all deliveries are recorded, so that
// the next round does not compete with them.
func (o *rival) round(ctx context.Context, each int) (float64, error) {
	calls, events, err := o.events(each)
	if err != nil {
		return 0, err
	}
	rate, err := o.send(ctx, "Outpost", calls)
	if err != nil {
		return 0, err
	}
	o.sent += len(calls) * apiEndpoints
	if err := o.recorded(ctx); err != nil {
		return 0, err
	}
	return rate, o.check(events)
}

// events returns calls that publish events of the tenants in turn, and the events by tenant.
func (o *rival) events(each int) ([]load.Call, map[string]map[string]stored, error) {
	var calls []load.Call
	events := make(map[string]map[string]stored)
	for range each {
		for _, t := range o.tenants {
			id := event.ExternalID(ident.New[ident.Event]())
			body := renamed(o.sample, o.id, id)
			call, err := o.server.Event(t.ID.String(), id, body)
			if err != nil {
				return nil, nil, err
			}
			calls = append(calls, call)
			if events[t.ID.String()] == nil {
				events[t.ID.String()] = make(map[string]stored)
			}
			events[t.ID.String()][id] = stored{Hash: sha256.Sum256(body)}
		}
	}
	return calls, events, nil
}

// renamed returns the body of an event with another id.
func renamed(body []byte, from, to string) []byte {
	return bytes.ReplaceAll(body, []byte(from), []byte(to))
}

// recorded waits until the log store has all deliveries of this round and of earlier ones, and checks that none failed.
func (o *rival) recorded(ctx context.Context) error {
	return lab.Until(ctx, limit, "Outpost has recorded all deliveries", func(ctx context.Context) (bool, error) {
		all, failed, err := o.server.Attempts(ctx)
		if failed > 0 {
			return false, fmt.Errorf("%d attempts failed", failed)
		}
		return all >= o.sent, err
	})
}

// check reports whether each destination got all events of its tenant, with identical bytes, and no others.
func (o *rival) check(events map[string]map[string]stored) error {
	for _, t := range o.tenants {
		for k := range apiEndpoints {
			missing, wrong := compare(events[t.ID.String()], o.target.Arrivals(destination(t, k)))
			if missing > 0 || wrong > 0 {
				return fmt.Errorf("%s: %d events are missing, %d differ from the published ones", destination(t, k), missing, wrong)
			}
		}
	}
	return nil
}
