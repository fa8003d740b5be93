package user

import (
	"time"

	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Identity is the account of a person at the sign-in provider.
type Identity struct {
	Issuer     string
	Subject    string // the provider's own name of the person, which stays when the address changes
	UserID     ident.User
	Email      string // as the provider reports it
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
}

// MayLink reports whether an address that a provider reports can be that of the user. An address that the provider has
// not verified proves nothing: anyone could enter it there.
func (u User) MayLink(address string, verified bool) bool {
	parsed, ok := email.Parse(address)
	return ok && verified && u.MaySignIn() && parsed.Same(u.Email)
}
