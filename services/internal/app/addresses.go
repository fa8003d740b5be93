package app

import (
	"context"
	"fmt"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
)

// AddressLinks holds the secrets of the links by which both addresses confirm a change.
type AddressLinks struct {
	Leaving, Arriving string
}

// ChangeAddress begins a change of the person's own email address, in place of an earlier one. It mails a link to each
// address. The caller has checked the present password. The error is VALIDATION_FAILED for an invalid address, and after
// too many changes. An address of another user is accepted, so that the result does not reveal that there is one; it
// cannot be confirmed.
func (a *identityUseCases) ChangeAddress(ctx context.Context, p Principal, address string) (AddressLinks, error) {
	change, err := p.Person.User().ChangeAddress(address, a.now())
	if err != nil {
		return AddressLinks{}, err
	}
	links := AddressLinks{Leaving: credential.AddressChange.New(), Arriving: credential.AddressChange.New()}
	leaving, err := credential.AddressChange.Hash(links.Leaving)
	if err != nil {
		return AddressLinks{}, err
	}
	arriving, err := credential.AddressChange.Hash(links.Arriving)
	if err != nil {
		return AddressLinks{}, err
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := a.accounts.InsertAddressChange(ctx, change, leaving, arriving); err != nil {
			return err
		}
		if err := a.mayChangeAddress(ctx, p, change); err != nil {
			return err
		}
		content := mail.Content{Actor: p.Person.Name, Address: string(change.Email)}
		content.To, content.Secret = p.Person.Email, links.Leaving
		if err := a.sendPersonal(ctx, mail.AddressLeaving, content, change.ExpiresAt); err != nil {
			return err
		}
		content.To, content.Secret = change.Email, links.Arriving
		return a.sendPersonal(ctx, mail.AddressArriving, content, change.ExpiresAt)
	})
	if err == nil {
		a.mailsStored()
	}
	return links, err
}

// mayChangeAddress records a change. It returns VALIDATION_FAILED if the person has requested as many changes as people may
// for now. The caller has stored the change, which makes concurrent ones of the person wait, so that they are counted.
func (a *identityUseCases) mayChangeAddress(ctx context.Context, p Principal, change user.AddressChange) error {
	created, err := a.auditLog.CountOfPerson(ctx, p.Person.ID, audit.AddressRequested, a.now().Add(-user.AddressWindow))
	if err != nil {
		return err
	}
	if created >= user.MaxAddressChanges {
		return apperr.Invalid([]apperr.Field{{Pointer: "/email", Message: fmt.Sprintf(
			"You have asked for %d changes within 24 hours. Try again tomorrow.", created)}})
	}
	self := p.Person.User().String()
	return RecordOfPerson(ctx, a.users, a.auditLog, audit.Entry{
		At: a.now(), UserID: p.Person.ID, Actor: self, Action: audit.AddressRequested, Subject: self, Detail: string(change.Email),
	}, p.Person.ID)
}

// PendingAddress returns the pending change of the person's address; the zero value if there is none.
func (a *identityUseCases) PendingAddress(ctx context.Context, p Principal) (user.AddressChange, error) {
	found, err := a.accounts.AddressChange(ctx, p.Person.ID, a.now())
	if apperr.Is(err, apperr.NotFound) {
		return user.AddressChange{}, nil
	}
	return found, err
}

// EndAddressChange ends the pending change of the person's address, if any.
func (a *identityUseCases) EndAddressChange(ctx context.Context, p Principal) error {
	return a.accounts.EndAddressChange(ctx, p.Person.ID)
}

// AddressStep is a pending change as the holder of one of its links sees it.
type AddressStep struct {
	user.AddressChange

	Arrives bool // the link was sent to the new address
}

// AddressStep returns the pending change of a link; NOT_FOUND for a link that cannot be used.
func (a *identityUseCases) AddressStep(ctx context.Context, secret string) (AddressStep, error) {
	hash, err := credential.AddressChange.Hash(secret)
	if err != nil {
		return AddressStep{}, noReset()
	}
	change, arrives, err := a.accounts.AddressChangeByLink(ctx, hash, a.now())
	if apperr.Is(err, apperr.NotFound) {
		err = noReset()
	}
	return AddressStep{AddressChange: change, Arrives: arrives}, err
}

// ConfirmAddress confirms a change by one of its links, and carries it out once both addresses have confirmed. Errors:
// NOT_FOUND for a link that cannot be used, INVALID_STATE if another user has the address.
func (a *identityUseCases) ConfirmAddress(ctx context.Context, secret string) (AddressStep, error) {
	var step AddressStep
	err := a.db.WithinTx(ctx, func(ctx context.Context) error {
		var err error
		if step, err = a.AddressStep(ctx, secret); err != nil {
			return err
		}
		at := &step.LeftAt
		if step.Arrives {
			at = &step.ArrivedAt
		}
		if at.IsZero() {
			*at = a.now()
		}
		if !step.Complete() {
			return a.accounts.Confirm(ctx, step.AddressChange)
		}
		changed, err := a.users.SetEmail(ctx, step.UserID, step.Email)
		if err != nil {
			return err
		}
		if !changed {
			return apperr.New(apperr.InvalidState, "There is another user with this address.")
		}
		return a.accounts.EndAddressChange(ctx, step.UserID)
	})
	return step, err
}
