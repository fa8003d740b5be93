package app

import (
	"context"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// SendsMails reports whether a mail server is configured. Without one, callers show the links that would be mailed.
func (a *identityUseCases) SendsMails() bool { return a.mails != nil }

// informing returns the store of messages about posts. Without a mail server, people are notified by the other ways.
func informing(identity *identityUseCases) *postgres.Mails {
	if identity.mails == nil {
		return identity.notices.WithoutMails()
	}
	return identity.notices
}

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
