package trial

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/services/bench/internal/result"
)

const (
	deliverTenants  = 20
	deliverEach     = 75 // events of each tenant, in one transaction with those of the others
	deliverWarmUp   = 10
	deliverAlone    = 500 // events of a tenant with a single endpoint
	maxEndpointsPer = 3
)

// subscriber is an endpoint of the receiver and the tenant whose events it receives.
type subscriber struct {
	name   string
	tenant lab.Tenant
}

// Deliver measures webhook deliveries of events that are all committed at once, from the first delivery that the relay
// creates to the last arrival at the receiver. The ceiling starts the same number of workflows with one activity.
func Deliver(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	driver, bareWorker, err := startCeiling(ctx, l)
	if err != nil {
		return nil, err
	}
	defer bareWorker.Stop()
	defer driver.Close()
	worker, err := l.Start(ctx, "worker")
	if err != nil {
		return nil, err
	}
	defer worker.Stop()
	target, err := receiver.New(ctx, l.Clock)
	if err != nil {
		return nil, err
	}
	defer func() { _ = target.Close() }()
	d := &delivering{Lab: l, target: target, worker: worker}
	if err := d.register(ctx, func(i int) int { return i%maxEndpointsPer + 1 }); err != nil {
		return nil, err
	}
	ceil := func(n int) (float64, error) {
		before := l.CPU()
		took, err := driver.Direct(ctx, n, limit)
		l.Say("deliver: ceiling, until the last workflow ended %.0f/s, %s", perSecond(n, took.Ended), l.PerItem(before, n))
		return perSecond(n, took.Acted), err
	}
	if _, err := ceil(deliverWarmUp * len(d.subscribers)); err != nil {
		return nil, err
	}
	if _, err := d.round(ctx, deliverWarmUp); err != nil {
		return nil, err
	}
	row, err := sandwich(l, result.Deliver, "deliveries/s",
		func() (float64, error) { return ceil(deliverEach * len(d.subscribers)) },
		func() (float64, error) { return d.round(ctx, deliverEach) })
	if err != nil {
		return nil, err
	}
	alone, err := d.alone(ctx)
	return []result.Row{row, result.Plain(result.DeliverOne, alone, "deliveries/s")}, err
}

type delivering struct {
	*lab.Lab

	target      *receiver.Receiver
	worker      *lab.Process
	tenants     []lab.Tenant
	subscribers []subscriber
}

// alone measures the delivery rate of one endpoint, which is limited to four concurrent requests on any machine.
func (d *delivering) alone(ctx context.Context) (float64, error) {
	t, err := d.Tenant(ctx, "Delivering to one endpoint")
	if err != nil {
		return 0, err
	}
	secret, err := d.Endpoint(ctx, t, d.target.URL("alone"))
	if err != nil {
		return 0, err
	}
	d.target.Serve("alone", receiver.Endpoint{Secret: secret})
	d.tenants, d.subscribers = []lab.Tenant{t}, []subscriber{{name: "alone", tenant: t}}
	return d.round(ctx, deliverAlone)
}

// register creates tenants, the i-th with endpoints(i) endpoints. There are many of them, because an endpoint gets at
// most four concurrent requests.
func (d *delivering) register(ctx context.Context, endpoints func(i int) int) error {
	for i := range deliverTenants {
		t, err := d.Tenant(ctx, "Delivering")
		if err != nil {
			return err
		}
		d.tenants = append(d.tenants, t)
		for range endpoints(i) {
			s := subscriber{name: fmt.Sprintf("endpoint-%d", len(d.subscribers)), tenant: t}
			secret, err := d.Endpoint(ctx, t, d.target.URL(s.name))
			if err != nil {
				return err
			}
			d.target.Serve(s.name, receiver.Endpoint{Secret: secret})
			d.subscribers = append(d.subscribers, s)
		}
	}
	return nil
}

// round commits the events of drafts in one transaction and returns the rate of their deliveries.
func (d *delivering) round(ctx context.Context, each int) (float64, error) {
	d.target.Reset()
	before, begin := d.CPU(), d.Clock.Now()
	if err := d.Drafts(ctx, d.tenants, each); err != nil {
		return 0, err
	}
	if each == deliverEach {
		defer d.Profile(ctx, "deliver", profileFor, d.worker)()
	}
	want := each * len(d.subscribers)
	last, err := d.arrive(ctx, want)
	if err != nil {
		return 0, err
	}
	d.Say("deliver: service %s", d.PerItem(before, want))
	first, err := d.Time(ctx, `SELECT min(created_at) FROM delivery WHERE created_at >= $1`, begin)
	if err != nil {
		return 0, err
	}
	if err := d.settled(ctx); err != nil {
		return 0, err
	}
	return perSecond(want, last.Sub(first)), d.verify(ctx, begin)
}

// arrive waits until the receiver has got all deliveries, and returns the time of the last one.
func (d *delivering) arrive(ctx context.Context, want int) (last time.Time, err error) {
	err = lab.Until(ctx, limit, "all deliveries have arrived", func(context.Context) (bool, error) {
		n, at, err := d.target.Got()
		last = at
		return n >= want, err
	})
	return last, err
}

// settled waits until every delivery is recorded and checks that each succeeded.
func (d *delivering) settled(ctx context.Context) error {
	err := lab.Until(ctx, limit, "all deliveries are recorded", func(ctx context.Context) (bool, error) {
		open, err := d.Count(ctx, `SELECT count(*) FROM delivery WHERE state = 'PENDING'`)
		return open == 0, err
	})
	if err != nil {
		return err
	}
	if failed, err := d.Count(ctx, `SELECT count(*) FROM delivery WHERE state <> 'SUCCEEDED'`); err != nil || failed > 0 {
		return fmt.Errorf("%d deliveries did not succeed: %w", failed, err)
	}
	return nil
}

// verify checks that each endpoint received all events of its tenant since begin, with identical bytes, and no others.
func (d *delivering) verify(ctx context.Context, begin time.Time) error {
	events, err := eventsSince(ctx, d.Lab, begin)
	if err != nil {
		return err
	}
	for _, s := range d.subscribers {
		missing, wrong := compare(events[s.tenant.ID.String()], d.target.Arrivals(s.name))
		if missing > 0 || wrong > 0 {
			return fmt.Errorf("%s: %d events are missing, %d differ from the stored ones", s.name, missing, wrong)
		}
	}
	return nil
}
