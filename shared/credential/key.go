// Package credential holds what a client proves itself with: API keys, their text form and their scopes
// (specification, Authentication; decisions, section 3).
package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"math/big"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/ident"
)

const (
	// KeyPrefix starts every workspace API key.
	KeyPrefix      = "svc_live_"
	alphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	entropyLength  = 32
	checksumLength = 6
	// KeyLength is the length of a key's text.
	KeyLength = len(KeyPrefix) + entropyLength + checksumLength
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
	entropy := make([]byte, entropyLength)
	for i := range entropy {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			// crypto/rand never fails on the supported systems; a guessable key must not be made.
			panic(fmt.Sprintf("random source: %v", err))
		}
		entropy[i] = alphabet[n.Int64()]
	}
	body := KeyPrefix + string(entropy)
	return body + checksum(body)
}

// Hash checks the form and the checksum of a key's text and gives its SHA-256, by which it is looked up.
func Hash(secret string) ([sha256.Size]byte, error) {
	if len(secret) != KeyLength || !strings.HasPrefix(secret, KeyPrefix) {
		return [sha256.Size]byte{}, ErrMalformedKey
	}
	body := secret[:KeyLength-checksumLength]
	if checksum(body) != secret[len(body):] {
		return [sha256.Size]byte{}, ErrMalformedKey
	}
	return sha256.Sum256([]byte(secret)), nil
}

// Display is the readable start of a key's text.
func Display(secret string) string { return secret[:min(displayLength, len(secret))] }

// checksum is CRC-32 (IEEE) of the text, in base62, padded to six characters.
func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	out := []byte(strings.Repeat("0", checksumLength))
	for i := checksumLength - 1; sum > 0; i-- {
		out[i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}
	return string(out)
}
