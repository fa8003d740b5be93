package app

import (
	"context"
	"slices"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/ident"
)

// SendsMails reports whether a mail server is configured. Without one, callers show the links that would be mailed.
func (a *identityUseCases) SendsMails() bool { return a.mails != nil }

// send stores a mail in the transaction of its cause. It does nothing without a mail server. The caller calls
// mailsStored after the transaction.
func (a *identityUseCases) send(
	ctx context.Context, kind mail.Kind, workspace ident.Workspace, content mail.Content, linkEnds time.Time,
) error {
	if a.mails == nil {
		return nil
	}
	return a.mails.Enqueue(ctx, mail.New(kind, workspace, content, a.now(), linkEnds))
}

// sendPersonal is send for a mail that concerns only a person, not a workspace.
func (a *identityUseCases) sendPersonal(ctx context.Context, kind mail.Kind, content mail.Content, linkEnds time.Time) error {
	return a.send(ctx, kind, ident.Workspace{}, content, linkEnds)
}

// mailsStored notifies the relay.
func (a *identityUseCases) mailsStored() {
	if a.mails != nil {
		a.wake(relay.Messages)
	}
}

// MailChoice is a kind of mails that a person may turn off.
type MailChoice struct {
	Kind mail.Kind
	On   bool
}

// MailChoices returns the kinds of mails that the person may turn off.
func (a *identityUseCases) MailChoices(ctx context.Context, p Principal) ([]MailChoice, error) {
	off, err := a.users.MailsOff(ctx, p.Person.ID)
	choices := make([]MailChoice, 0, len(mail.Optional()))
	for _, kind := range mail.Optional() {
		choices = append(choices, MailChoice{Kind: kind, On: !slices.Contains(off, string(kind))})
	}
	return choices, err
}

// ChooseMails turns on the given kinds of mails, and off the other ones that can be turned off.
func (a *identityUseCases) ChooseMails(ctx context.Context, p Principal, on []mail.Kind) error {
	var off []string
	for _, kind := range mail.Optional() {
		if !slices.Contains(on, kind) {
			off = append(off, string(kind))
		}
	}
	return a.users.SetMailsOff(ctx, p.Person.ID, off)
}
