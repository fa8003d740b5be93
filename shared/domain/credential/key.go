// Package credential defines the credentials of clients: API keys, their text form in letters and digits, and
// their scopes (docs/contract.md, Access).
package credential

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// displayLength is the length of the readable part by which a user recognizes a key.
const displayLength = len(APIKey) + 4

// Key is an API key as stored: only the SHA-256 of its text is kept.
type Key struct {
	ID          ident.Credential
	WorkspaceID ident.Workspace
	Name        string
	Display     string // the first characters, to recognize it by
	Hash        [sha256.Size]byte
	Scopes      []Scope
	ExpiresAt   time.Time // zero: does not expire
	RevokedAt   time.Time // zero: not revoked
	LastUsedAt  time.Time // zero: never; updated at most once a minute
	CreatedAt   time.Time
	CreatedBy   ident.User // zero: an operator
}

// Valid reports whether the key may be used at the given time.
func (k Key) Valid(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// IsTest reports whether the key is one of a test workspace.
func (k Key) IsTest() bool { return strings.HasPrefix(k.Display, string(TestKey)) }

// Allows reports whether the key has the scope.
func (k Key) Allows(scope Scope) bool { return slices.Contains(k.Scopes, scope) }

// KeyKind returns the kind of the API keys of a live or a test workspace.
func KeyKind(test bool) Kind {
	if test {
		return TestKey
	}
	return APIKey
}

// HashKey returns the SHA-256 of an API key of either kind. The error is ErrMalformed.
func HashKey(secret string) ([sha256.Size]byte, error) {
	return KeyKind(strings.HasPrefix(secret, string(TestKey))).Hash(secret)
}

// Display returns the readable start of a key's text.
func Display(secret string) string { return secret[:min(displayLength, len(secret))] }
