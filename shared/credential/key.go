// Package credential holds what a client proves itself with: API keys, their text form and their scopes
// (specification, Authentication; decisions, section 3).
package credential

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/base62"
	"socialpub.internal/shared/ident"
)

const (
	// KeyPrefix starts every workspace API key.
	KeyPrefix     = "svc_live_"
	entropyLength = 32
	// KeyLength is the length of a key's text.
	KeyLength = len(KeyPrefix) + entropyLength + base62.ChecksumLength
	// displayLength is how much of a key is kept readable to recognise it by.
	displayLength = len(KeyPrefix) + 4
)

// ErrMalformedKey says that a text is no key of this service: wrong prefix, length, alphabet or checksum. It is found
// without a look-up, so that typos and scanners cost nothing.
var ErrMalformedKey = errors.New("not an API key of this service")

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

// NewSecret makes the text of a new key: prefix, 32 base62 characters from the system's random source, checksum.
func NewSecret() string {
	body := KeyPrefix + base62.Random(entropyLength)
	return body + base62.Checksum(body)
}

// Hash checks the form and the checksum of a key's text and gives its SHA-256, by which it is looked up.
func Hash(secret string) ([sha256.Size]byte, error) {
	if len(secret) != KeyLength || !strings.HasPrefix(secret, KeyPrefix) {
		return [sha256.Size]byte{}, ErrMalformedKey
	}
	body := secret[:KeyLength-base62.ChecksumLength]
	if base62.Checksum(body) != secret[len(body):] {
		return [sha256.Size]byte{}, ErrMalformedKey
	}
	return sha256.Sum256([]byte(secret)), nil
}

// Display is the readable start of a key's text.
func Display(secret string) string { return secret[:min(displayLength, len(secret))] }
