package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	leadBase     = 4 * time.Second
	leadFirst    = 40 * time.Millisecond // estimate for starting one workflow, before the first round
	leadSlack    = 1.5
	settlingTime = 2 * time.Second // pause in which the work of the previous round ends
)

// errBusy is returned when not all workflows sleep at their due time.
var errBusy = errors.New("the machine is too busy to measure on")

// lead selects the time at which sleeping workflows are due. It is late enough that all of them sleep by then. lead
// adapts its estimate from round to round.
type lead struct {
	lab  *lab.Lab
	each time.Duration
	from time.Time
	due  time.Time
	cpu  lab.CPU // CPU time used until the due time
}

func newLead(l *lab.Lab) *lead { return &lead{lab: l, each: leadFirst} }

// Due starts a round and returns the full second at which n workflows wake up together.
func (d *lead) Due(n int) time.Time {
	d.from = d.lab.Clock.Now()
	d.due = d.from.Add(leadBase + time.Duration(leadSlack*float64(n)*float64(d.each))).Truncate(time.Second)
	return d.due
}

// Started is called when Temporal has all n workflows, and waits for the due time.
func (d *lead) Started(ctx context.Context, n int) error {
	now := d.lab.Clock.Now()
	d.each = now.Sub(d.from) / time.Duration(n)
	if now.Add(time.Second).After(d.due) {
		return fmt.Errorf("starting %d workflows took %s, longer than in earlier rounds; %w", n, now.Sub(d.from), errBusy)
	}
	err := lab.Pause(ctx, d.due.Sub(now))
	d.cpu = d.lab.CPU()
	return err
}
