// Package user defines the people who sign in to the application.
package user

import (
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

const (
	maxName  = 200
	maxEmail = 254 // RFC 5321, section 4.5.3.1.3
)

// User is a person who signs in.
type User struct {
	ID           ident.User
	Email        string // compared ignoring case
	Name         string
	PasswordHash string
	CreatedAt    time.Time
	DisabledAt   time.Time // zero: may sign in
	SecondFactor bool      // neither the password nor the provider alone signs the user in
}

// New returns a user, or VALIDATION_FAILED if the email or the name is invalid.
func New(email, name, passwordHash string, now time.Time) (User, error) {
	email, name = strings.TrimSpace(email), strings.TrimSpace(name)
	address, err := mail.ParseAddress(email)
	switch {
	case err != nil || address.Address != email || len(email) > maxEmail:
		return User{}, apperr.New(apperr.ValidationFailed, "%q is not an email address.", email)
	case name == "" || utf8.RuneCountInString(name) > maxName ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return User{}, apperr.New(apperr.ValidationFailed, "The name must have 1 to %d characters on one line.", maxName)
	}
	return User{ID: ident.New[ident.User](), Email: email, Name: name, PasswordHash: passwordHash, CreatedAt: now}, nil
}

// MaySignIn reports whether the user may sign in with the right password.
func (u User) MaySignIn() bool { return !u.ID.IsZero() && u.DisabledAt.IsZero() }

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
