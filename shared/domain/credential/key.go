// Package credential holds what a client proves itself with: API keys, their text form and their scopes
// (specification, Authentication; decisions, section 3).
package credential

import (
	"crypto/sha256"
	"slices"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// displayLength is how much of a key is kept readable to recognise it by.
const displayLength = len(APIKey) + 4

// Key is an API key as it is stored: never its text, only its SHA-256.
type Key struct {
	ID          ident.Credential
	WorkspaceID ident.Workspace
	Name        string
	Display     string // the first characters, to recognise it by
	Hash        [sha256.Size]byte
	Scopes      []Scope
	ExpiresAt   time.Time // zero: does not expire
	RevokedAt   time.Time // zero: valid
	LastUsedAt  time.Time // zero: never; written at most once a minute
	CreatedAt   time.Time
}

// Valid reports whether the key may be used at the time.
func (k Key) Valid(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Allows reports whether the key carries the scope.
func (k Key) Allows(scope Scope) bool { return slices.Contains(k.Scopes, scope) }

// Display is the readable start of a key's text.
func Display(secret string) string { return secret[:min(displayLength, len(secret))] }
