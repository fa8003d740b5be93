package lead

import (
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Edit replaces the fields that describe the lead by those of the input. Its stage, owner and follow-up stay, and no event
// is emitted. It returns VALIDATION_FAILED with every fault at once.
func (l Lead) Edit(in New, now time.Time) (Change, error) {
	var f faults
	next := l
	f.describe(&next, in)
	if err := apperr.Invalid(f); err != nil {
		return Change{}, err
	}
	return l.as(next, now), nil
}

// Assign makes the lead the work of a member; zero: of none. The caller checks that the member may work on leads.
func (l Lead) Assign(to ident.User, now time.Time) (Change, error) {
	next := l
	next.OwnerID = to
	return l.as(next, now), nil
}

// Plan sets the time at which a member is reminded of the lead; zero: never. Only that time counts from now on.
func (l Lead) Plan(at time.Time, by ident.User, now time.Time) (Change, error) {
	at = whole(at)
	if at.Equal(l.FollowUpAt) {
		return Change{From: l, Lead: l}, nil
	}
	if err := CheckPlan(at, now); err != nil {
		return Change{}, err
	}
	next := l
	next.FollowUpAt, next.FollowUpBy, next.RemindedAt = at, by, time.Time{}
	if at.IsZero() {
		next.FollowUpBy = ident.User{}
	}
	return l.as(next, now), nil
}

// CheckPlan returns VALIDATION_FAILED for a time that cannot be planned.
func CheckPlan(at, now time.Time) error {
	var f faults
	if !at.IsZero() && (at.Before(now) || at.After(now.AddDate(MaxAhead, 0, 0))) {
		f.add(FieldFollowUp, "must be between now and in %d years", MaxAhead)
	}
	return apperr.Invalid(f)
}

// MaxAhead is the number of years within which a follow-up is planned.
const MaxAhead = 5

// Since returns ErrChanged unless the lead is as it was shown, in a revision.
func (l Lead) Since(revision int64) error {
	if l.Revision != revision {
		return ErrChanged
	}
	return nil
}

// ErrChanged reports a lead that another member changed since it was shown.
var ErrChanged = apperr.New(apperr.InvalidState, "The lead was changed since you opened it. Look at it and try again.")

// Described returns the fields that describe the lead, as the input of Edit.
func (l Lead) Described() New {
	return New{
		Name: l.Name, Handle: l.Handle, ProfileURL: l.ProfileURL, Platform: l.Platform, Temperature: l.Temperature, Interest: l.Interest,
		Value: string(l.Value), Currency: l.Currency, ContactEmail: l.ContactEmail, ContactPhone: l.ContactPhone,
	}
}
