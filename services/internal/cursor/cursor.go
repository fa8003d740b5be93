// Package cursor makes the opaque cursors of paged lists (decisions, section 1).
//
// A cursor holds the position of a record in its list, after which the next page starts. It is authenticated together with what it was made for (the
// list, the workspace, the filter), so that one that was made up, taken from another tenant or moved to another filter
// is told from a good one.
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

// ErrInvalid says that a text is no cursor for this use.
var ErrInvalid = errors.New("not a cursor of this list")

// DeriveKey makes the key of cursors from a secret of the deployment (RFC 5869), so that every process of it has the same.
func DeriveKey(secret []byte) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, keyInfo, KeyLength)
	if err != nil {
		return nil, fmt.Errorf("derive the cursor key: %w", err)
	}
	return key, nil
}

// Codec writes and reads cursors. It is safe for concurrent use.
type Codec struct{ key []byte }

// New makes a codec; the key has KeyLength bytes.
func New(key []byte) (*Codec, error) {
	if len(key) != KeyLength {
		return nil, fmt.Errorf("cursor: the key has %d bytes, not %d", len(key), KeyLength)
	}
	return &Codec{key: append([]byte(nil), key...)}, nil
}

// Use is what a cursor is good for: the parts name the list, the workspace and every filter, in a fixed order.
type Use []string

// Encode makes the cursor that continues after the position. All positions of a list have one length.
func (c *Codec) Encode(use Use, position []byte) string {
	raw := append(append(make([]byte, 0, 1+len(position)+macLength), version), position...)
	return base64.RawURLEncoding.EncodeToString(append(raw, c.mac(use, raw)...))
}

// Decode reads the position of a cursor into the slice, whose length is that of the list's positions. It returns ErrInvalid,
// and leaves the slice alone, when the cursor was not made for this use.
func (c *Codec) Decode(use Use, text string, position []byte) error {
	length := 1 + len(position) + macLength
	if len(text) != base64.RawURLEncoding.EncodedLen(length) { // the decoder itself skips line breaks
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
	for _, part := range use { // with their lengths, so that no two uses are written alike
		_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part)))) //nolint:gosec // parts are short
		_, _ = h.Write([]byte(part))
	}
	return h.Sum(nil)[:macLength]
}
