package trial

import (
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	publishPosts  = 1500
	publishWarmUp = 300
)

// publish measures posts that are all due in the same second, from that time to the record of the last one. The ceiling
// runs empty workflows with one timer and one activity.
func publish(r *lab.Run) []Row {
	empty := startWorkflows(r)
	r.Start("sandbox")
	r.Start("worker")
	ceilingLead, serviceLead := newLead(r), newLead(r)
	ceiling := func(n int) float64 {
		due := ceilingLead.start(n)
		empty.startTimed(n, due)
		ceilingLead.wait(n)
		acted, ended := empty.wait(n, limit)
		r.Logf("publish: ceiling, until the last workflow ended %.0f/s, %s", perSecond(n, ended.Sub(due)),
			r.PerItem(ceilingLead.cpu, n))
		return perSecond(n, acted.Sub(due))
	}
	service := func(n int) float64 {
		return perSecond(n, publishAll(r, n, serviceLead))
	}
	ceiling(publishWarmUp)
	service(publishWarmUp)
	row := compare(r, "publish", "posts/s",
		func() float64 { return ceiling(publishPosts) }, func() float64 { return service(publishPosts) })
	return []Row{row.MinRatio(0.8)}
}

// publishAll schedules n posts for the same time and returns how long after it the last one was published.
func publishAll(r *lab.Run, n int, lead *lead) time.Duration {
	tenant := r.Tenant("Publishing")
	due := lead.start(n)
	r.Posts(tenant, n, func(int) time.Time { return due })
	r.OutboxEmpty(limit)
	lead.wait(n)
	allPublished(r, tenant, limit)
	r.Logf("publish: service %s", r.PerItem(lead.cpu, n))
	lateness(r, tenant, n)
	last := lab.Value[time.Time](r,
		`SELECT max(a.finished_at) FROM publish_attempt a JOIN post p ON p.id = a.post_id WHERE p.workspace_id = $1`,
		tenant.ID.String())
	return last.Sub(due)
}
