package secretbox

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
)

// Key is a key-encryption key. Printing, logging or marshalling it never shows its material.
type Key struct {
	ID string
	// A pointer, because package fmt prints unexported fields of other structs without calling their methods.
	material *[keySize]byte
}

var keyIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// errKeyID does not quote the ID, which contains the key if an operator swaps the halves of an entry.
var errKeyID = fmt.Errorf("secretbox: key id is not 1 to %d characters of A-Z a-z 0-9 . _ -", maxKeyID)

func validKeyID(id string) bool { return keyIDPattern.MatchString(id) }

// NewKey returns a key of 32 bytes under an ID of 1 to 32 characters from [A-Za-z0-9._-].
func NewKey(id string, material []byte) (Key, error) {
	if !validKeyID(id) {
		return Key{}, errKeyID
	}

	if len(material) != keySize {
		return Key{}, fmt.Errorf("secretbox: key %q has %d bytes, want %d", id, len(material), keySize)
	}

	copied := [keySize]byte(material)
	if copied == [keySize]byte{} {
		return Key{}, fmt.Errorf("secretbox: key %q is all zeros", id)
	}

	return Key{ID: id, material: &copied}, nil
}

// ParseKeys parses "id:base64 of 32 bytes" entries, separated by commas, the active key first. It returns all errors at
// once. Error texts never contain key material.
func ParseKeys(text string) ([]Key, error) {
	var (
		keys   []Key
		faults []error
	)

	for position, part := range strings.Split(text, ",") {
		key, err := parseKey(strings.TrimSpace(part))
		if err != nil {
			faults = append(faults, fmt.Errorf("entry %d: %w", position+1, err))

			continue
		}

		if slices.ContainsFunc(keys, func(k Key) bool { return k.ID == key.ID }) {
			faults = append(faults, fmt.Errorf("entry %d: key id %q occurs twice", position+1, key.ID))
		}

		keys = append(keys, key)
	}

	if err := errors.Join(faults...); err != nil {
		return nil, err
	}

	return keys, nil
}

func parseKey(text string) (Key, error) {
	id, encoded, found := strings.Cut(text, ":")
	if !found {
		return Key{}, errors.New("secretbox: want id:base64, got no colon")
	}

	if !validKeyID(id) {
		return Key{}, errKeyID
	}

	material, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return Key{}, fmt.Errorf("secretbox: key %q is not valid base64", id)
	}

	return NewKey(id, material)
}

// Format prints only the ID, for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// String returns the ID and a placeholder for the material.
func (k Key) String() string { return k.ID + ":[redacted]" }

// MarshalText returns the same as String: keys are never written out.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogValue returns the same as String.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// Derive returns 32 bytes for a purpose other than sealing (HKDF, RFC 5869). The result is the same for the same key
// and purpose, and reveals neither the key nor the results for other purposes.
func (k Key) Derive(purpose string) ([]byte, error) {
	if k.material == nil {
		return nil, fmt.Errorf("secretbox: key %q has no material; create it with NewKey", k.ID)
	}

	return hkdf.Key(sha256.New, k.material[:], nil, purpose, keySize)
}
