// Package reminding reminds members of the leads that they follow up.
package reminding

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
)

// The crash points of a reminder. A test kills the process at each of them.
const (
	FailBeforeReminder = "reminding.before"
	FailAfterReminder  = "reminding.after"
)

// Store reminds of leads; see postgres.Reminders.
type Store interface {
	Remind(ctx context.Context, in flow.FollowupInput, now time.Time) (postgres.Reminder, error)
}

// Reminding executes the activity. It is safe for concurrent use.
type Reminding struct {
	store Store
	clock clock.Clock
	sent  *prometheus.CounterVec
}

// New returns a Reminding.
func New(store Store, clk clock.Clock, reg prometheus.Registerer) (*Reminding, error) {
	if store == nil || clk == nil || reg == nil {
		return nil, errors.New("reminding: every dependency is required")
	}
	sent := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "lead_reminders_total", Help: "Follow-ups of leads whose time came, by what became of them.",
	}, []string{"outcome"})
	for outcome := range notes {
		sent.WithLabelValues(string(outcome))
	}
	return &Reminding{store, clk, sent}, reg.Register(sent)
}

// Remind reminds the owner of a lead, unless the follow-up was moved, cleared or ended meanwhile. It may be repeated.
func (r *Reminding) Remind(ctx context.Context, in flow.FollowupInput) (flow.FollowupOutcome, error) {
	if err := failpoint.Hit(ctx, FailBeforeReminder); err != nil {
		return flow.FollowupOutcome{}, err
	}
	out, err := r.store.Remind(ctx, in, r.clock.Now())
	if err == nil {
		err = failpoint.Hit(ctx, FailAfterReminder)
	}
	if err != nil {
		return flow.FollowupOutcome{}, err
	}
	r.sent.WithLabelValues(string(out.What)).Inc()
	return flow.FollowupOutcome{At: out.Next, Note: notes[out.What]}, nil
}

// notes say to operators what became of a follow-up.
var notes = map[postgres.ReminderOutcome]string{
	postgres.ReminderSent:       "The owner was reminded.",
	postgres.ReminderNoOwner:    "No member is reminded: the lead has no owner who may see it.",
	postgres.ReminderSuperseded: "The follow-up was moved, removed, or ended with the lead.",
}
