package trial

import (
	"context"
	"fmt"
	"time"

	"socialpub.internal/services/bench/internal/lab"
)

const (
	leadBase     = 4 * time.Second
	leadFirst    = 40 * time.Millisecond // starting one workflow, before anything is known of the machine
	leadSlack    = 1.5
	settlingTime = 2 * time.Second // in which what the round before left behind comes to rest
)

// lead chooses the instant for which workflows are put to sleep: late enough that all of them sleep by then, which it learns
// from round to round.
type lead struct {
	lab  *lab.Lab
	each time.Duration
	from time.Time
	due  time.Time
	cpu  lab.CPU // what was spent until the instant
}

func newLead(l *lab.Lab) *lead { return &lead{lab: l, each: leadFirst} }

// Due begins a round and returns the full second at which n workflows wake up together.
func (d *lead) Due(n int) time.Time {
	d.from = d.lab.Clock.Now()
	d.due = d.from.Add(leadBase + time.Duration(leadSlack*float64(n)*float64(d.each))).Truncate(time.Second)
	return d.due
}

// Started says that Temporal has been told of all n, and waits for the instant.
func (d *lead) Started(ctx context.Context, n int) error {
	now := d.lab.Clock.Now()
	d.each = now.Sub(d.from) / time.Duration(n)
	if now.Add(time.Second).After(d.due) {
		return fmt.Errorf("starting %d workflows took %s, longer than the rounds before; the machine is too busy to measure on", n, now.Sub(d.from))
	}
	err := lab.Pause(ctx, d.due.Sub(now))
	d.cpu = d.lab.CPU()
	return err
}
