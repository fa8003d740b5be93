// Package user defines the people who sign in to the application.
package user

import (
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

const maxName = 200 // characters

// User is a person who signs in.
type User struct {
	ID           ident.User
	Email        email.Address
	Name         string
	PasswordHash string // empty: signs in through the provider only
	CreatedAt    time.Time
	DisabledAt   time.Time // zero: may sign in
	SecondFactor bool      // neither the password nor the provider alone signs the user in
	ShortcutsOff bool      // single keys do nothing in the application
}

// New returns a user, or VALIDATION_FAILED if the email or the name is invalid.
func New(address, name, passwordHash string, now time.Time) (User, error) {
	parsed, ok := email.Parse(address)
	if !ok {
		return User{}, apperr.New(apperr.ValidationFailed, "%q is not an email address.", address)
	}
	name, fault := plaintext.Line(name, maxName)
	if fault != "" || name == "" {
		return User{}, apperr.New(apperr.ValidationFailed, "The name must have 1 to %d characters on one line.", maxName)
	}
	return User{ID: ident.New[ident.User](), Email: parsed, Name: name, PasswordHash: passwordHash, CreatedAt: now}, nil
}

// String returns the name and the address, as the audit log shows a person.
func (u User) String() string { return u.Name + " <" + string(u.Email) + ">" }

// MaySignIn reports whether the user may sign in with the right password.
func (u User) MaySignIn() bool { return !u.ID.IsZero() && u.DisabledAt.IsZero() }

// HasPassword reports whether the user can sign in with a password.
func (u User) HasPassword() bool { return u.PasswordHash != "" }

// Session is a signed-in browser of a user.
type Session struct {
	ID         ident.Session
	UserID     ident.User
	CreatedAt  time.Time
	LastSeenAt time.Time // written at most once a minute
	Agent      string    // as the browser describes itself
	Place      string    // network from which the user signed in
	Current    bool      // the session of the present request
	Method     Method
}

// AddressLife is the time within which both addresses must confirm a change.
const AddressLife = 24 * time.Hour

// Each change sends a mail to an unconfirmed address, so that their number is limited: MaxAddressChanges of a person
// within AddressWindow, with those that were canceled or replaced.
const (
	MaxAddressChanges = 10
	AddressWindow     = 24 * time.Hour
)

// ResetLife is the time for which a link to set a new password can be used.
const ResetLife = time.Hour

// AddressChange is a pending change of a user's email address. It takes effect once both addresses have confirmed it.
type AddressChange struct {
	ID        ident.AddressChange
	UserID    ident.User
	Email     email.Address // the new one
	LeftAt    time.Time     // when the present address confirmed; zero: not yet
	ArrivedAt time.Time     // when the new address confirmed; zero: not yet
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Complete reports whether both addresses have confirmed.
func (c AddressChange) Complete() bool { return !c.LeftAt.IsZero() && !c.ArrivedAt.IsZero() }

// ChangeAddress returns a change to another address, or VALIDATION_FAILED if it is invalid.
func (u User) ChangeAddress(address string, now time.Time) (AddressChange, error) {
	parsed, ok := email.Parse(address)
	switch {
	case !ok:
		return AddressChange{}, apperr.Invalid([]apperr.Field{{Pointer: "/email", Message: email.Fault}})
	case parsed.Same(u.Email):
		return AddressChange{}, apperr.Invalid([]apperr.Field{{Pointer: "/email", Message: "This is your present address."}})
	}
	return AddressChange{
		ID: ident.New[ident.AddressChange](), UserID: u.ID, Email: parsed, CreatedAt: now,
		ExpiresAt: now.Add(AddressLife),
	}, nil
}
