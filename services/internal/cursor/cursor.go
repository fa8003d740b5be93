// Package cursor encodes and decodes the opaque cursors of paged lists (docs/contract.md, Lists).
//
// A cursor holds the position of a record in its list; the next page starts after it. It is authenticated together with
// its use (the list, the workspace, the filter). A forged cursor, and one from another workspace or another filter, is
// rejected.
package cursor

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	version   = 1
	macLength = 16
	// KeyLength is the length of a codec's key, in bytes.
	KeyLength = sha256.Size
	keyInfo   = "social publishing: list cursors, version 1"
)

// ErrInvalid reports that a text is not a cursor for this use.
var ErrInvalid = errors.New("not a cursor of this list")

// DeriveKey derives the cursor key from a secret of the deployment (RFC 5869), so that all its processes have the same
// key.
func DeriveKey(secret []byte) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, keyInfo, KeyLength)
	if err != nil {
		return nil, fmt.Errorf("derive the cursor key: %w", err)
	}
	return key, nil
}

// Codec encodes and decodes cursors. It is safe for concurrent use.
type Codec struct{ key []byte }

// New returns a codec. The key must have KeyLength bytes.
func New(key []byte) (*Codec, error) {
	if len(key) != KeyLength {
		return nil, fmt.Errorf("cursor: the key has %d bytes, not %d", len(key), KeyLength)
	}
	return &Codec{key: append([]byte(nil), key...)}, nil
}

// Use identifies the list that a cursor is valid for: its parts name the list, the workspace and every filter, in a
// fixed order.
type Use []string

// Encode returns the cursor that continues after the position. All positions of a list have the same length.
func (c *Codec) Encode(use Use, position []byte) string {
	raw := append(append(make([]byte, 0, 1+len(position)+macLength), version), position...)
	return base64.RawURLEncoding.EncodeToString(append(raw, c.mac(use, raw)...))
}

// Decode decodes a cursor into position, whose length is that of the list's positions. It returns ErrInvalid, and
// leaves position unchanged, when the cursor was not made for this use.
func (c *Codec) Decode(use Use, text string, position []byte) error {
	length := 1 + len(position) + macLength
	if len(text) != base64.RawURLEncoding.EncodedLen(length) { // the decoder itself ignores line breaks
		return ErrInvalid
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != length || raw[0] != version {
		return ErrInvalid
	}
	payload, mac := raw[:length-macLength], raw[length-macLength:]
	if !hmac.Equal(mac, c.mac(use, payload)) {
		return ErrInvalid
	}
	copy(position, payload[1:])
	return nil
}

func (c *Codec) mac(use Use, payload []byte) []byte {
	h := hmac.New(sha256.New, c.key)
	_, _ = h.Write(payload)
	for _, part := range use { // length-prefixed, so that no two uses have the same encoding
		_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part)))) //nolint:gosec // parts are short
		_, _ = h.Write([]byte(part))
	}
	return h.Sum(nil)[:macLength]
}
