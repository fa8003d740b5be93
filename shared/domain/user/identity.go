package user

import (
	"strings"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// Identity is the account of a person at the sign-in provider.
type Identity struct {
	Issuer     string
	Subject    string // the provider's own name of the person, which stays when the address changes
	UserID     ident.User
	Email      string
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
}

// MayLink reports whether an address that a provider reports can be that of the user. An address that the provider has
// not verified proves nothing: anyone could enter it there.
func (u User) MayLink(email string, verified bool) bool {
	return verified && u.MaySignIn() && strings.EqualFold(strings.TrimSpace(email), u.Email)
}
