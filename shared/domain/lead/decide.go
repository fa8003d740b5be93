package lead

import (
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Change is a decided change: the new state of the lead, and the event written with it in one transaction. Without an
// event no webhook is sent. If From equals Lead, nothing is written.
type Change struct {
	From  Lead // as it was read; zero for a new lead
	Lead  Lead // as it will be
	Event *event.Event
	By    ident.User // the member who changes it; zero: an operator or the service
}

// as returns the next state of a lead as a change.
func (l Lead) as(next Lead, now time.Time) Change {
	if next == l {
		return Change{From: l, Lead: l}
	}
	if next.UpdatedAt = now; now.Before(l.UpdatedAt) {
		next.UpdatedAt = l.UpdatedAt
	}
	next.Revision = l.Revision + 1
	return Change{From: l, Lead: next}
}

// Then applies a further decision to the result of the change, so that both are written as one.
func (c Change) Then(decide func(Lead) (Change, error)) (Change, error) {
	next, err := decide(c.Lead)
	if err != nil || !next.Changed() {
		return c, err
	}
	next.From = c.From
	next.Lead.Revision = c.From.Revision + 1
	if next.Event == nil {
		next.Event = c.Event
	}
	return next, nil
}

// Changed reports whether there is something to write.
func (c Change) Changed() bool { return c.Lead != c.From }

func (c Change) emits(typ event.Type, data any) (Change, error) {
	e, err := event.New(c.Lead.WorkspaceID, typ, c.Lead.UpdatedAt, data)
	if err != nil {
		return Change{}, err
	}
	c.Event = &e
	return c, nil
}

// Check returns VALIDATION_FAILED with every fault at once.
func (n New) Check() error {
	_, err := n.check()
	return err
}

// Create returns a new lead with its lead.created event. Of a follow-up whose time is over no member is reminded. It returns
// VALIDATION_FAILED with every fault at once.
func Create(in New, now time.Time) (Change, error) {
	l, err := in.check()
	if err != nil {
		return Change{}, err
	}
	l.ID, l.CreatedAt, l.UpdatedAt, l.Revision = ident.New[ident.Lead](), now, now, 1
	if l.FollowUpAt.Before(now) {
		l.RemindedAt = l.FollowUpAt
	}
	return Change{Lead: l}.emits(event.LeadCreated, event.LeadData{Lead: l.Object()})
}

// MoveTo moves the lead to a stage and emits lead.stage_changed. If the lead is already in that stage, it stays
// unchanged and no event is emitted; only the reason of a lost lead may be set or replaced. The reason belongs to the
// stage LOST: it is refused with another stage, and removed when the lead leaves LOST.
func (l Lead) MoveTo(stage Stage, lostReason string, now time.Time) (Change, error) {
	var f faults
	oneOf(&f, "stage", stage, Stages())
	reason := f.lostReason(lostReason, stage)
	if err := apperr.Invalid(f); err != nil {
		return Change{}, err
	}
	next := l
	next.Stage, next.LostReason = stage, reason
	if stage == l.Stage && reason == "" {
		next.LostReason = l.LostReason
	}
	change := l.as(next, now)
	if stage == l.Stage {
		return change, nil
	}
	return change.emits(event.LeadStageChanged, event.LeadStageData{
		Lead: change.Lead.Object(), PreviousStage: string(l.Stage), Stage: string(stage),
	})
}
