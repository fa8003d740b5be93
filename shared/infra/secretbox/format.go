package secretbox

import (
	"encoding/binary"
	"fmt"
)

const (
	version = 1

	keySize     = 32
	nonceSize   = 12
	tagSize     = 16
	wrappedSize = nonceSize + keySize + tagSize
	maxKeyID    = 32
)

// Purposes keep the two layers apart, so that a wrapped key is never taken for a value.
const (
	purposeWrap  = "wrap"
	purposeValue = "value"
)

// AAD identifies the place that a value belongs to. All parts are required; none is stored in the sealed value.
type AAD struct {
	Kind      string // kind of record, for example "channel"
	Workspace string // ID of the workspace that owns the record
	Record    string // ID of the record
	Field     string // field of the record, for example "access_token"
}

func (a AAD) validate() error {
	for _, part := range []struct{ name, value string }{
		{"kind", a.Kind}, {"workspace", a.Workspace}, {"record", a.Record}, {"field", a.Field},
	} {
		if part.value == "" {
			return fmt.Errorf("%w: %s is empty", ErrIncompleteAAD, part.name)
		}
	}

	return nil
}

// encode returns the additional data of one layer.
func (a AAD) encode(purpose, keyID string) []byte {
	encoded := []byte{version}
	for _, part := range []string{purpose, keyID, a.Kind, a.Workspace, a.Record, a.Field} {
		encoded = binary.AppendUvarint(encoded, uint64(len(part)))
		encoded = append(encoded, part...)
	}

	return encoded
}

// box holds the parts of a sealed value.
type box struct {
	keyID   string
	wrapped []byte // nonce, data key, tag
	value   []byte // nonce, value, tag
}

func appendHeader(sealed []byte, keyID string) []byte {
	sealed = append(sealed, version, byte(len(keyID))) //nolint:gosec // G115: an ID has at most 32 bytes

	return append(sealed, keyID...)
}

func split(sealed []byte) (box, error) {
	if len(sealed) < 2 {
		return box{}, fmt.Errorf("%w: too short", ErrTampered)
	}

	if sealed[0] != version {
		return box{}, fmt.Errorf("%w: format version %d is unknown", ErrTampered, sealed[0])
	}

	header := 2 + int(sealed[1])
	if len(sealed) < header+wrappedSize+nonceSize+tagSize {
		return box{}, fmt.Errorf("%w: too short", ErrTampered)
	}

	keyID := string(sealed[2:header])
	if !validKeyID(keyID) {
		return box{}, fmt.Errorf("%w: key id is malformed", ErrTampered)
	}

	return box{
		keyID:   keyID,
		wrapped: sealed[header : header+wrappedSize],
		value:   sealed[header+wrappedSize:],
	}, nil
}

// KeyID returns the ID of the key that wraps a value, for counting the values that still depend on a key. It does not
// authenticate the bytes; only Open does. It returns ErrTampered for bytes that are not a sealed value.
func KeyID(sealed []byte) (string, error) {
	parts, err := split(sealed)

	return parts.keyID, err
}
