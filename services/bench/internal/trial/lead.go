package trial

import (
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	leadBase     = 4 * time.Second
	leadFirst    = 40 * time.Millisecond // estimate for starting one workflow, before the first round
	leadSlack    = 1.5
	settlingTime = 2 * time.Second // pause in which the work of the previous round ends
)

// lead selects the time at which sleeping workflows are due. It is late enough that all of them sleep by then. lead
// adapts its estimate from round to round.
type lead struct {
	run  *lab.Run
	each time.Duration
	from time.Time
	due  time.Time
	cpu  lab.CPU // CPU time used until the due time
}

func newLead(r *lab.Run) *lead { return &lead{run: r, each: leadFirst} }

// start starts a round, and returns the full second at which n workflows wake up together.
func (d *lead) start(n int) time.Time {
	d.run.Pause(settlingTime)
	d.from = time.Now()
	d.due = d.from.Add(leadBase + time.Duration(leadSlack*float64(n)*float64(d.each))).Truncate(time.Second)
	return d.due
}

// wait is called when Temporal has all n workflows, and waits for the due time.
func (d *lead) wait(n int) {
	now := time.Now()
	d.each = now.Sub(d.from) / time.Duration(n)
	if now.Add(time.Second).After(d.due) {
		d.run.Failf("starting %d workflows took %s, longer than in earlier rounds; the machine is too busy to measure on", n,
			now.Sub(d.from))
	}
	d.run.Pause(d.due.Sub(now))
	d.cpu = d.run.CPU()
}
