package app

import (
	"context"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Rename changes the person's own name. Timelines keep the name that the person had. The error is VALIDATION_FAILED for
// an invalid name.
func (a *identityUseCases) Rename(ctx context.Context, p Principal, name string) error {
	checked, err := user.New(string(p.Person.Email), name, "", a.now())
	if apperr.Is(err, apperr.ValidationFailed) {
		return apperr.Invalid([]apperr.Field{{Pointer: "/name", Message: nameFault}})
	}
	if err != nil {
		return err
	}
	return a.users.Rename(ctx, p.Person.ID, checked.Name)
}

// SetShortcuts turns the person's keyboard shortcuts of a single key on or off.
func (a *identityUseCases) SetShortcuts(ctx context.Context, p Principal, off bool) error {
	return a.users.SetShortcuts(ctx, p.Person.ID, off)
}

// ChangePassword changes the person's own password and ends every session. The caller has checked the present password.
// The error is VALIDATION_FAILED for a password that is too short or too long.
func (a *identityUseCases) ChangePassword(ctx context.Context, p Principal, secret string) error {
	hash, err := hashPassword(ctx, secret)
	if err != nil {
		return err
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		return a.setPassword(ctx, p.Person.User(), hash)
	})
	if err == nil {
		a.mailsStored()
	}
	return err
}

// EndSession ends a session of the person; NOT_FOUND if the person has no such session.
func (a *identityUseCases) EndSession(ctx context.Context, p Principal, id ident.Session) error {
	return a.users.EndUserSession(ctx, p.Person.ID, id)
}

// EndOtherSessions ends every session of the person but the present one.
func (a *identityUseCases) EndOtherSessions(ctx context.Context, p Principal, current [32]byte) error {
	return a.users.EndOtherSessions(ctx, p.Person.ID, current)
}
