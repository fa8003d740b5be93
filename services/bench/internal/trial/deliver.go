package trial

import (
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	deliverTenants = 20
	deliverEach    = 75 // events of each tenant, in one transaction with those of the others
	deliverWarmUp  = 10
	deliverAlone   = 500 // events of a tenant with a single endpoint
)

// deliver measures webhook deliveries of events that are all committed at once, from the first delivery that the relay
// creates to the last arrival at the receiver. The ceiling starts the same number of workflows with one activity.
func deliver(r *lab.Run) []Row {
	empty := startWorkflows(r)
	d := newDelivering(r, 1, 2, 3)
	ceiling := func(each int) float64 {
		n, before, begin := each*len(d.subscribers), r.CPU(), time.Now()
		empty.startDirect(n)
		acted, ended := empty.wait(n, limit)
		r.Logf("deliver: ceiling, until the last workflow ended %.0f/s, %s", perSecond(n, ended.Sub(begin)), r.PerItem(before, n))
		return perSecond(n, acted.Sub(begin))
	}
	ceiling(deliverWarmUp)
	d.round(deliverWarmUp)
	row := compare(r, "deliver", "deliveries/s",
		func() float64 { return ceiling(deliverEach) }, func() float64 { return d.round(deliverEach) })
	return []Row{row.MinRatio(0.8), Plain("deliver_one", d.alone(), "deliveries/s")}
}

// subscriber is an endpoint of the receiver and the tenant whose events it receives.
type subscriber struct {
	name   string
	tenant lab.Tenant
}

type delivering struct {
	*lab.Run

	target      *lab.Receiver
	tenants     []lab.Tenant
	subscribers []subscriber
}

// newDelivering starts a receiver and the worker, and creates tenants, with these numbers of endpoints in turn. There
// are many tenants, because an endpoint gets at most four concurrent requests.
func newDelivering(r *lab.Run, endpoints ...int) *delivering {
	r.Start("worker")
	d := &delivering{Run: r, target: newReceiver(r)}
	for i := range deliverTenants {
		d.register("Delivering", endpoints[i%len(endpoints)])
	}
	return d
}

func newReceiver(r *lab.Run) *lab.Receiver {
	target, err := lab.NewReceiver(r.Context())
	r.Check(err)
	r.Cleanup(target.Close)
	return target
}

// register creates a tenant with endpoints.
func (d *delivering) register(name string, endpoints int) {
	t := d.Tenant(name)
	d.tenants = append(d.tenants, t)
	for range endpoints {
		s := subscriber{name: fmt.Sprintf("endpoint-%s-%d", t.ID, len(d.subscribers)), tenant: t}
		d.target.Serve(s.name, lab.Endpoint{Secret: d.Endpoint(t, d.target.URL(s.name))})
		d.subscribers = append(d.subscribers, s)
	}
}

// alone measures the delivery rate of one endpoint, which is limited to four concurrent requests on any machine.
func (d *delivering) alone() float64 {
	d.tenants, d.subscribers = nil, nil
	d.register("Delivering to one endpoint", 1)
	return d.round(deliverAlone)
}

// round commits the events of drafts in one transaction and returns the rate of their deliveries.
func (d *delivering) round(each int) float64 {
	d.target.Reset()
	before, begin := d.CPU(), time.Now()
	d.Drafts(d.tenants, each)
	n := each * len(d.subscribers)
	last := d.arrived(n)
	d.Logf("deliver: service %s", d.PerItem(before, n))
	first := lab.Value[time.Time](d.Run, `SELECT min(created_at) FROM delivery WHERE created_at >= $1`, begin)
	d.verify(begin)
	return perSecond(n, last.Sub(first))
}

// arrived waits until the receiver has n deliveries, and returns the time of the last one.
func (d *delivering) arrived(n int) (last time.Time) {
	d.Until(limit, "all deliveries have arrived", func() bool {
		total, at, err := d.target.Total()
		d.Check(err)
		last = at
		return total >= n
	})
	return last
}

// verify waits until every delivery is recorded. It checks that each succeeded, and that each endpoint received all
// events of its tenant since begin, with identical bytes, and no others.
func (d *delivering) verify(begin time.Time) {
	d.UntilNone(limit, "all deliveries are recorded", `SELECT count(*) FROM delivery WHERE state = 'PENDING'`)
	if n := lab.Value[int](d.Run, `SELECT count(*) FROM delivery WHERE state <> 'SUCCEEDED'`); n > 0 {
		d.Failf("%d deliveries did not succeed", n)
	}
	events := eventsSince(d.Run, begin)
	for _, s := range d.subscribers {
		checkArrivals(d.Run, s.name, events[s.tenant.ID.String()], d.target.Arrivals(s.name))
	}
}
