package app

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
)

const (
	// resetsPerHour is the maximum number of links to set a new password that an address gets in an hour.
	resetsPerHour = 3
	resetsWithin  = time.Hour
)

// RequestReset mails a link by which the user with the address sets a new password. It takes the same steps for an
// address without a user, so that neither its result nor its duration reveals whether there is one: the worker looks the
// user up when it sends the mail. The error is VALIDATION_FAILED for text that is no address.
func (a *identityUseCases) RequestReset(ctx context.Context, address string) error {
	requested, err := user.New(address, "x", "", a.now())
	if err != nil {
		return apperr.Invalid([]apperr.Field{{Pointer: "/email", Message: email.Fault}})
	}
	if a.mails == nil {
		return errors.New("no mail server is configured")
	}
	secret := credential.PasswordReset.New()
	hash, err := credential.PasswordReset.Hash(secret)
	if err != nil {
		return err
	}
	now := a.now()
	ends := now.Add(user.ResetLife)
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		stored, err := a.accounts.InsertReset(ctx, hash, requested.Email, now, ends, now.Add(-resetsWithin), resetsPerHour)
		if err != nil || !stored {
			return err
		}
		return a.sendPersonal(ctx, mail.PasswordReset, mail.Content{To: requested.Email, Secret: secret}, ends)
	})
	if err == nil {
		a.mailsStored()
	}
	return err
}

func noReset() error {
	return apperr.New(apperr.NotFound, "The link was used, was replaced, or has ended.")
}

// ResetUser returns the user whose password a link sets; NOT_FOUND for a link that cannot be used.
func (a *identityUseCases) ResetUser(ctx context.Context, secret string) (user.User, error) {
	hash, err := credential.PasswordReset.Hash(secret)
	if err != nil {
		return user.User{}, noReset()
	}
	found, err := a.accounts.ResetUser(ctx, hash, a.now())
	if apperr.Is(err, apperr.NotFound) {
		err = noReset()
	}
	return found, err
}

// ResetPassword sets a new password by a link and uses the link up. Every session of the user ends. Errors: NOT_FOUND
// for a link that cannot be used, VALIDATION_FAILED for a password that is too short or too long.
func (a *identityUseCases) ResetPassword(ctx context.Context, secret, chosen string) error {
	found, err := a.ResetUser(ctx, secret)
	if err != nil {
		return err
	}
	hashed, err := hashPassword(ctx, chosen)
	if err != nil {
		return err
	}
	hash, err := credential.PasswordReset.Hash(secret)
	if err != nil {
		return noReset()
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		taken, err := a.accounts.TakeReset(ctx, hash, a.now())
		if err != nil {
			return err
		}
		if !taken {
			return noReset()
		}
		return a.setPassword(ctx, found, hashed)
	})
	if err == nil {
		a.mailsStored()
	}
	return err
}

// setPassword replaces a user's password, ends the sessions, the links and the pending change of the address, which
// another person may have begun, and notifies the user.
func (a *identityUseCases) setPassword(ctx context.Context, u user.User, hash string) error {
	if err := a.users.SetPassword(ctx, u.ID, hash); err != nil {
		return err
	}
	err := errors.Join(a.accounts.EndResets(ctx, u.Email), a.accounts.EndAddressChange(ctx, u.ID))
	if err != nil {
		return err
	}
	return a.sendPersonal(ctx, mail.PasswordChanged, mail.Content{To: u.Email}, time.Time{})
}

// hashPassword returns VALIDATION_FAILED for a password that is too short or too long.
func hashPassword(ctx context.Context, chosen string) (string, error) {
	hash, err := password.Hash(ctx, chosen)
	if apperr.Is(err, apperr.ValidationFailed) {
		return "", apperr.Invalid([]apperr.Field{{Pointer: "/password", Message: passwordFault}})
	}
	return hash, err
}

// PruneLinks deletes the links of people that have ended.
func (a *identityUseCases) PruneLinks(ctx context.Context) error {
	return a.accounts.Prune(ctx, a.now())
}
