package person

import (
	"cmp"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// UndoFor is the time for which a merge can be undone.
const UndoFor = 30 * 24 * time.Hour

// Merge records that two people are one.
type Merge struct {
	ID       ident.PersonMerge
	IntoID   ident.Person
	FromID   ident.Person
	FromName string // what to call the other person
	By       string // name of the member; empty: a former member
	At       time.Time
	UndoneAt time.Time // zero: it was not undone
}

// Undoable reports whether the merge can be undone.
func (m Merge) Undoable(now time.Time) bool {
	return m.UndoneAt.IsZero() && now.Sub(m.At) < UndoFor
}

// Undo returns INVALID_STATE if the merge cannot be undone.
func (m Merge) Undo(now time.Time) error {
	switch {
	case m.Undoable(now):
		return nil
	case !m.UndoneAt.IsZero():
		return apperr.New(apperr.InvalidState, "This merge is undone already.")
	default:
		return apperr.New(apperr.InvalidState, "A merge can be undone for 30 days, and this one is older.")
	}
}

// With returns the person with what members wrote about another one who is the same person. INVALID_STATE if one of them was
// merged or erased.
func (p Person) With(other Person) (Person, error) {
	for _, one := range []Person{p, other} {
		if !one.MergedInto.IsZero() || !one.ErasedAt.IsZero() {
			return p, apperr.New(apperr.InvalidState, "One of the two was merged or erased meanwhile. Look at them again.")
		}
	}
	if p.ID == other.ID {
		return p, apperr.New(apperr.InvalidState, "Choose another person.")
	}
	p.Name, p.Phone, p.Mail = cmp.Or(p.Name, other.Name), cmp.Or(p.Phone, other.Phone), cmp.Or(p.Mail, other.Mail)
	if p.Note != "" && other.Note != "" {
		p.Note += "\n\n"
	}
	p.Note += other.Note
	if other.OptedOutAt.After(p.OptedOutAt) {
		p.OptedOutAt = other.OptedOutAt
	}
	return p, nil
}

// Without returns a person as before a merge: what was changed by it is undone, unless it was changed again since.
func (p Person) Without(before, after Person) Person {
	for _, of := range []struct {
		now         *string
		was, became string
	}{{&p.Name, before.Name, after.Name}, {&p.Phone, before.Phone, after.Phone}, {&p.Mail, before.Mail, after.Mail}, {&p.Note, before.Note, after.Note}} {
		if *of.now == of.became {
			*of.now = of.was
		}
	}
	if p.OptedOutAt.Equal(after.OptedOutAt) {
		p.OptedOutAt = before.OptedOutAt
	}
	return p
}
