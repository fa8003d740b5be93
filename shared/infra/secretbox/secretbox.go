// Package secretbox encrypts small secrets (network tokens, webhook secrets) at rest.
//
// It uses envelope encryption: each value has its own random data key, and the data key is wrapped by a key-encryption
// key from the configuration, which is never in the database. Keys rotate without re-encrypting the values: put the new
// key first in the list, let Rewrap wrap the data keys again, and remove the old key once NeedsRewrap is false for all
// values.
//
// A sealed value is bound to the place that it belongs to (AAD). After a move to another record, workspace or field,
// Open fails.
//
// # Format
//
//	offset        length  meaning
//	0             1       format version, 1
//	1             1       n, length of the key id, 1 to 32
//	2             n       id of the key-encryption key, ASCII
//	2+n           12      nonce of the wrapping
//	14+n          48      data key, AES-256-GCM under the key-encryption key (32 bytes and tag)
//	62+n          12      nonce of the value
//	74+n          m+16    value, AES-256-GCM under the data key (m bytes and tag)
//
// The additional data of the wrapping is "wrap", the version, the key ID and the AAD; that of the value is "value", the
// version and the AAD. Each part is preceded by its length, so that encodings are unique.
package secretbox

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
)

var (
	// ErrUnknownKey means that the keyring lacks the key that wraps a value. The text names the key.
	ErrUnknownKey = errors.New("secretbox: unknown key")
	// ErrTampered means that the bytes are not a result of Seal for this place: changed, truncated, or moved here.
	ErrTampered = errors.New("secretbox: value is damaged or belongs to another record")
	// ErrIncompleteAAD means that a part of the AAD is empty.
	ErrIncompleteAAD = errors.New("secretbox: incomplete AAD")
)

// Keyring seals with its first key and opens with any. It is immutable and safe for concurrent use.
type Keyring struct {
	active   string
	ids      []string
	wrappers map[string]cipher.AEAD
}

// NewKeyring returns a keyring. The first key seals; all keys open. It returns an error for an empty list, a duplicate
// ID, and a key that was not created by NewKey.
func NewKeyring(keys []Key) (*Keyring, error) {
	if len(keys) == 0 {
		return nil, errors.New("secretbox: no key")
	}

	ring := &Keyring{active: keys[0].ID, wrappers: make(map[string]cipher.AEAD, len(keys))}

	for _, key := range keys {
		if key.material == nil {
			return nil, fmt.Errorf("secretbox: key %q has no material; create it with NewKey", key.ID)
		}

		if _, twice := ring.wrappers[key.ID]; twice {
			return nil, fmt.Errorf("secretbox: key id %q occurs twice", key.ID)
		}

		aead, err := newAEAD(key.material[:])
		if err != nil {
			return nil, err
		}

		ring.wrappers[key.ID] = aead
		ring.ids = append(ring.ids, key.ID)
	}

	return ring, nil
}

// ActiveKeyID returns the ID of the key that seals.
func (r *Keyring) ActiveKeyID() string { return r.active }

// KeyIDs returns the IDs of all keys, that of the active one first.
func (r *Keyring) KeyIDs() []string { return slices.Clone(r.ids) }

// Seal encrypts plaintext for the place that aad names. Two calls never return the same bytes. It returns
// ErrIncompleteAAD if a part of aad is empty.
func (r *Keyring) Seal(plaintext []byte, aad AAD) ([]byte, error) {
	if err := aad.validate(); err != nil {
		return nil, err
	}

	dataKey := make([]byte, keySize)
	defer clear(dataKey)

	if _, err := rand.Read(dataKey); err != nil {
		return nil, fmt.Errorf("secretbox: %w", err)
	}

	value, err := newAEAD(dataKey)
	if err != nil {
		return nil, err
	}

	sealed := r.wrap(dataKey, aad)

	return value.Seal(sealed, nil, plaintext, aad.encode(purposeValue, "")), nil //nolint:gosec // G407: the AEAD draws the nonce
}

// Open decrypts a value sealed for the same place. It returns ErrUnknownKey if the keyring lacks the key, ErrTampered
// if the bytes were changed or belong to another place, and ErrIncompleteAAD if a part of aad is empty.
func (r *Keyring) Open(sealed []byte, aad AAD) ([]byte, error) {
	box, dataKey, err := r.unwrap(sealed, aad)
	if err != nil {
		return nil, err
	}

	defer clear(dataKey)

	value, err := newAEAD(dataKey)
	if err != nil {
		return nil, err
	}

	plaintext, err := value.Open(nil, nil, box.value, aad.encode(purposeValue, ""))
	if err != nil {
		return nil, ErrTampered
	}

	return plaintext, nil
}

// NeedsRewrap reports whether a value is not wrapped by the active key. It is also true for bytes that are not a sealed
// value, so that the rewrapping job processes them and reports the error of Rewrap.
func (r *Keyring) NeedsRewrap(sealed []byte) bool {
	id, err := KeyID(sealed)

	return err != nil || id != r.active
}

// Rewrap returns the value wrapped by the active key. The bytes of the encrypted value do not change. Rewrap verifies
// them, so that Open succeeds on its result. It returns the errors of Open.
func (r *Keyring) Rewrap(sealed []byte, aad AAD) ([]byte, error) {
	box, dataKey, err := r.unwrap(sealed, aad)
	if err != nil {
		return nil, err
	}

	defer clear(dataKey)

	plaintext, err := r.Open(sealed, aad)
	if err != nil {
		return nil, err
	}

	clear(plaintext)

	return append(r.wrap(dataKey, aad), box.value...), nil
}

// wrap returns everything that precedes the value.
func (r *Keyring) wrap(dataKey []byte, aad AAD) []byte {
	header := appendHeader(nil, r.active)

	return r.wrappers[r.active].Seal(header, nil, dataKey, aad.encode(purposeWrap, r.active)) //nolint:gosec // G407: as above
}

func (r *Keyring) unwrap(sealed []byte, aad AAD) (box, []byte, error) {
	if err := aad.validate(); err != nil {
		return box{}, nil, err
	}

	parts, err := split(sealed)
	if err != nil {
		return box{}, nil, err
	}

	wrapper, known := r.wrappers[parts.keyID]
	if !known {
		return box{}, nil, fmt.Errorf("%w %q", ErrUnknownKey, parts.keyID)
	}

	dataKey, err := wrapper.Open(nil, nil, parts.wrapped, aad.encode(purposeWrap, parts.keyID))
	if err != nil {
		return box{}, nil, ErrTampered
	}

	return parts, dataKey, nil
}

// newAEAD returns AES-256-GCM that generates a random nonce per message and prepends it to the ciphertext.
func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("secretbox: %w", err)
	}

	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("secretbox: %w", err)
	}

	return aead, nil
}
