package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
)

// rushVerdict is the result of a rush.
type rushVerdict struct {
	ends       map[string]int // posts by status and error code
	lost       int            // accepted, but neither on the network nor failed
	doubled    int            // on the network more than once
	untrue     int            // on the network, but not recorded as published
	lastOut    time.Time
	late       []time.Duration
	lateP99    []time.Duration // of each workspace
	missing    int             // events that a responding endpoint did not receive
	wrong      int             // arrivals without an event or with other bytes
	arrived    int             // events at responding endpoints
	repeated   int             // repeated arrivals
	lastIn     time.Time
	apart      []time.Duration // from event to healthy endpoint, in workspaces without dead endpoints
	beside     []time.Duration // the same in workspaces with a dead endpoint
	slow       []time.Duration
	worst      []time.Duration // the 99th percentile of each healthy endpoint
	dead       map[manner]deadEndpoints
	deliveries map[string]int // by state
}

// deadEndpoints holds the results of the endpoints of one manner.
type deadEndpoints struct {
	endpoints, disabled int
	after               time.Duration // from the first attempt until the last of them was disabled
	attempts            int
}

// judge compares the service's records with those of the networks and the receivers.
func (r *rush) judge(ctx context.Context) (*rushVerdict, error) {
	v := &rushVerdict{ends: make(map[string]int), dead: make(map[manner]deadEndpoints), deliveries: make(map[string]int)}
	for _, judge := range []func(context.Context, *rushVerdict) error{
		r.judgePosts, r.judgeLateness, r.judgeArrivals, r.judgeDead, r.judgeDeliveries,
	} {
		if err := judge(ctx, v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// judgePosts compares the accepted posts with those on the networks.
func (r *rush) judgePosts(ctx context.Context, v *rushVerdict) error {
	var network []struct {
		Text string `json:"text"`
	}
	if err := load.Get(ctx, r.SandboxURL()+"/_sandbox/posts?limit=1000000", "", &network); err != nil {
		return err
	}
	out := make(map[string]int, len(network))
	for _, entry := range network {
		out[entry.Text]++
	}
	ended := make(map[string]string)
	err := r.Each(ctx, `SELECT id::text, status || COALESCE(' ' || error_code, '') FROM post WHERE status <> 'DRAFT'`, nil,
		func(scan func(...any) error) error {
			var id, end string
			err := scan(&id, &end)
			ended[id] = end
			return err
		})
	if err != nil {
		return err
	}
	for _, p := range r.accepted {
		end, published := ended[p.ID], out[p.Content]
		v.ends[end]++
		switch {
		case published > 1:
			v.doubled++
		case published == 1 && end != "PUBLISHED":
			v.untrue++
		case published == 0 && (end == "PUBLISHED" || end == "SCHEDULED" || end == ""):
			v.lost++
		}
	}
	return nil
}

// judgeLateness measures from each post's scheduled time to the record of its publication, per workspace.
func (r *rush) judgeLateness(ctx context.Context, v *rushVerdict) error {
	byWorkspace := make(map[string][]time.Duration)
	err := r.Each(ctx, `SELECT workspace_id::text, scheduled_at, published_at FROM post WHERE status = 'PUBLISHED'`, nil,
		func(scan func(...any) error) error {
			var (
				workspace string
				due, out  time.Time
			)
			if err := scan(&workspace, &due, &out); err != nil {
				return err
			}
			byWorkspace[workspace] = append(byWorkspace[workspace], out.Sub(due))
			v.late = append(v.late, out.Sub(due))
			if out.After(v.lastOut) {
				v.lastOut = out
			}
			return nil
		})
	for _, late := range byWorkspace {
		v.lateP99 = append(v.lateP99, percentile(late, tail))
	}
	if err == nil && len(v.late) == 0 {
		err = errors.New("nothing was published")
	}
	return err
}

// judgeArrivals compares the events with the arrivals at each responding endpoint.
func (r *rush) judgeArrivals(ctx context.Context, v *rushVerdict) error {
	events, err := eventsSince(ctx, r.Lab, r.first, event.PostPublished, event.PostFailed)
	if err != nil {
		return err
	}
	for _, e := range r.endpoints {
		if e.manner != healthy && e.manner != slow {
			continue
		}
		arrivals, stored := r.target.Arrivals(e.name), events[e.customer.ID.String()]
		missing, wrong := compare(stored, arrivals)
		v.missing, v.wrong, v.arrived = v.missing+missing, v.wrong+wrong, v.arrived+len(arrivals)
		var took []time.Duration
		for id, a := range arrivals {
			took = append(took, a.At.Sub(stored[id].At))
			v.repeated += a.Times - 1
			if a.At.After(v.lastIn) {
				v.lastIn = a.At
			}
		}
		switch {
		case len(took) == 0:
		case e.manner == slow:
			v.slow = append(v.slow, took...)
		case e.customer.dead:
			v.beside, v.worst = append(v.beside, took...), append(v.worst, percentile(took, tail))
		default:
			v.apart, v.worst = append(v.apart, took...), append(v.worst, percentile(took, tail))
		}
	}
	_, _, err = r.target.Got()
	return err
}

// judgeDead reads the state and the attempts of the dead endpoints.
func (r *rush) judgeDead(ctx context.Context, v *rushVerdict) error {
	for _, m := range []manner{refused, failing, hanging} {
		var (
			d       deadEndpoints
			seconds float64
		)
		err := r.SQL.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE disabled_reason = $2),
				COALESCE(extract(epoch FROM max(disabled_at) - min(a.first)), 0)::float8, COALESCE(sum(a.n), 0)::bigint
			FROM webhook w LEFT JOIN LATERAL (
				SELECT min(t.started_at) AS first, count(*) AS n FROM delivery d JOIN delivery_attempt t ON t.delivery_id = d.id WHERE d.webhook_id = w.id
			) a ON true WHERE w.url = ANY ($1)`, r.urls(m), webhook.ReasonFailures).Scan(&d.endpoints, &d.disabled, &seconds,
			&d.attempts)
		if err != nil {
			return err
		}
		d.after = time.Duration(seconds * float64(time.Second))
		v.dead[m] = d
	}
	return nil
}

func (r *rush) judgeDeliveries(ctx context.Context, v *rushVerdict) error {
	return r.Each(ctx, `SELECT state, count(*) FROM delivery GROUP BY state`, nil, func(scan func(...any) error) error {
		var (
			state string
			n     int
		)
		err := scan(&state, &n)
		v.deliveries[state] = n
		return err
	})
}

// err reports lost, doubled or wrong posts and events.
func (v *rushVerdict) err() error {
	if v.lost+v.doubled+v.untrue+v.missing+v.wrong == 0 {
		return nil
	}
	return fmt.Errorf("rush: %d posts lost, %d doubled, %d published but not reported; %d events missing, %d wrong",
		v.lost, v.doubled, v.untrue, v.missing, v.wrong)
}
