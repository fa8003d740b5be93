package lead

import (
	"time"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Change is a decided change: the lead as it will be, and the event that is written with it in one transaction. Without an
// event nobody is told; without a difference between From and Lead nothing is written.
type Change struct {
	From  Lead // as it was read; zero for a new lead
	Lead  Lead // as it will be
	Event *event.Event
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

// Create makes a new lead with its lead.created event. VALIDATION_FAILED with every fault at once.
func Create(in New, now time.Time) (Change, error) {
	l, err := in.check()
	if err != nil {
		return Change{}, err
	}
	l.ID, l.CreatedAt, l.UpdatedAt = ident.New[ident.Lead](), now, now
	return Change{Lead: l}.emits(event.LeadCreated, event.LeadData{Lead: l.Object()})
}

// MoveTo moves the lead to a stage and tells so by lead.stage_changed. A lead that stands there already stays as it is, and
// nobody is told; only the reason of a lost one may still be given or replaced. The reason belongs to the stage LOST: it is
// refused with another one, and forgotten when the lead leaves it.
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
	if next == l {
		return Change{From: l, Lead: l}, nil
	}
	if next.UpdatedAt = now; now.Before(l.UpdatedAt) {
		next.UpdatedAt = l.UpdatedAt
	}
	change := Change{From: l, Lead: next}
	if stage == l.Stage {
		return change, nil
	}
	return change.emits(event.LeadStageChanged, event.LeadStageData{
		Lead: next.Object(), PreviousStage: string(l.Stage), Stage: string(stage),
	})
}
