// Package secretbox keeps small secrets (network tokens, webhook secrets) encrypted at rest.
//
// It is envelope encryption: each value has a fresh data key of its own, and the data key is wrapped by a
// key-encryption key that lives in the configuration, never in the database. Keys rotate without touching
// the values: the new key becomes the first of the list, Rewrap wraps the data keys anew, and once
// NeedsRewrap is false everywhere the old key can go.
//
// A sealed value is bound to the place it belongs to (AAD). Moved to another record, workspace or field it
// does not open.
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
// The additional data of the wrapping is "wrap", the version, the key id and the AAD; that of the value is
// "value", the version and the AAD. Each part is preceded by its length, so that no two places share an
// encoding.
package secretbox

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
)

var (
	// ErrUnknownKey means that the key which wraps a value is not in the keyring. The text names the key.
	ErrUnknownKey = errors.New("secretbox: unknown key")
	// ErrTampered means that bytes are not what Seal made for this place: changed, cut, or moved here.
	ErrTampered = errors.New("secretbox: value is damaged or belongs elsewhere")
	// ErrIncompleteAAD means that a part of the AAD is empty.
	ErrIncompleteAAD = errors.New("secretbox: incomplete AAD")
)

// Keyring seals with its first key and opens with any. It is immutable and safe for concurrent use.
type Keyring struct {
	active   string
	wrappers map[string]cipher.AEAD
}

// NewKeyring takes the keys in their order: the first seals, all open. It refuses an empty list, an id
// that occurs twice, and a key that NewKey did not make.
func NewKeyring(keys []Key) (*Keyring, error) {
	if len(keys) == 0 {
		return nil, errors.New("secretbox: no key")
	}

	ring := &Keyring{active: keys[0].ID, wrappers: make(map[string]cipher.AEAD, len(keys))}

	for _, key := range keys {
		if key.material == nil {
			return nil, fmt.Errorf("secretbox: key %q has no material, make it with NewKey", key.ID)
		}

		if _, twice := ring.wrappers[key.ID]; twice {
			return nil, fmt.Errorf("secretbox: key id %q occurs twice", key.ID)
		}

		aead, err := newAEAD(key.material[:])
		if err != nil {
			return nil, err
		}

		ring.wrappers[key.ID] = aead
	}

	return ring, nil
}

// ActiveKeyID returns the id of the key that seals.
func (r *Keyring) ActiveKeyID() string { return r.active }

// Seal encrypts plaintext for the place that aad names. Two calls never return the same bytes.
// It returns ErrIncompleteAAD when a part of aad is empty.
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

// Open decrypts what Seal made for the same place. It returns ErrUnknownKey when the keyring lacks the key,
// ErrTampered when the bytes were changed or belong to another place, ErrIncompleteAAD.
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

// NeedsRewrap tells whether a value is not wrapped by the active key. It is true for bytes that are no
// sealed value at all, so that the job which rewraps meets them and reports the error of Rewrap.
func (r *Keyring) NeedsRewrap(sealed []byte) bool {
	id, err := KeyID(sealed)

	return err != nil || id != r.active
}

// Rewrap returns the value wrapped by the active key. The encrypted value itself stays the same bytes and is
// checked on the way: what Rewrap returns, Open opens. Errors are those of Open.
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

// wrap returns everything that stands before the value.
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

// newAEAD returns AES-256-GCM that draws a random nonce per message and puts it before the ciphertext.
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
