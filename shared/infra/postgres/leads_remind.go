package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
)

// Reminders reminds members of the leads that they follow up.
type Reminders struct {
	db    *DB
	leads *Leads
	mails *Mails
}

// NewReminders returns the store.
func NewReminders(db *DB, box *secretbox.Keyring) *Reminders {
	return &Reminders{db: db, leads: NewLeads(db), mails: NewMails(db, box)}
}

// WithoutMails returns the store for an installation without a mail server, where people are notified by the other ways.
func (s *Reminders) WithoutMails() *Reminders {
	return &Reminders{db: s.db, leads: s.leads, mails: s.mails.WithoutMails()}
}

// ReminderOutcome is the outcome of a follow-up whose time came.
type ReminderOutcome string

// Outcomes of follow-ups.
const (
	ReminderSent       ReminderOutcome = "sent"
	ReminderNoOwner    ReminderOutcome = "no_owner"
	ReminderSuperseded ReminderOutcome = "superseded"
)

// Reminder is the result of Remind.
type Reminder struct {
	What ReminderOutcome
	Next time.Time // for which the follow-up is planned now; zero: it is done
}

// Remind notifies the owner of a lead of its follow-up, or else the member who planned it, once: the lead is marked in the
// transaction that writes the message. A follow-up that is no longer planned for the time of the input is superseded.
func (s *Reminders) Remind(ctx context.Context, in flow.FollowupInput, now time.Time) (out Reminder, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		out = Reminder{What: ReminderSuperseded}
		l, err := s.leads.get(ctx, in.WorkspaceID, in.LeadID, locking("FOR UPDATE"))
		if apperr.Is(err, apperr.NotFound) {
			return nil
		}
		if err != nil || !l.Due() {
			return err
		}
		if !l.FollowUpAt.Equal(in.At) {
			out.Next = l.FollowUpAt
			return nil
		}
		marked := s.db.conn(ctx).Table("lead").Where("id = ?", l.ID).Update("reminded_at", l.FollowUpAt)
		if marked.Error != nil {
			return classify(marked.Error)
		}
		if out.What, err = s.notify(ctx, l, now); err != nil || out.What != ReminderSent {
			return err
		}
		return s.leads.Note(ctx, l.ID, lead.Entry{Kind: lead.EntryReminded, At: now})
	})
	return out, err
}

// notify writes the message to the member who is reminded.
func (s *Reminders) notify(ctx context.Context, l lead.Lead, now time.Time) (ReminderOutcome, error) {
	to := l.OwnerID
	if to.IsZero() {
		to = l.FollowUpBy
	}
	readers, err := s.mails.readers(ctx, l.WorkspaceID, mail.FollowUp)
	if err != nil {
		return ReminderNoOwner, err
	}
	for _, r := range readers {
		if r.ID != to || !member.Role(r.Role).Allows(credential.LeadsRead) {
			continue
		}
		n := news{kind: mail.FollowUp, workspace: l.WorkspaceID, now: now}
		_, err := s.mails.inform(ctx, n, r, mail.Content{Lead: &mail.Lead{ID: l.ID, Name: l.Name, At: l.FollowUpAt}})
		return ReminderSent, err
	}
	return ReminderNoOwner, nil
}

// passed marks the follow-ups whose time came since a moment, so that no member is reminded twice.
func (s *Reminders) passed(ctx context.Context, since time.Time) error {
	return classify(s.db.conn(ctx).Table("lead").
		Where("follow_up_at BETWEEN ? AND now() AND reminded_at IS DISTINCT FROM follow_up_at AND stage NOT IN ('WON', 'LOST')", since).
		Update("reminded_at", gorm.Expr("follow_up_at")).Error)
}
