package config

import (
	"fmt"
	"io"
	"log/slog"

	"socialpub.internal/shared/infra/secretbox"
)

const redacted = "[redacted]"

// Secret is a value that must not be shown. Printing, logging or marshalling it in any way gives
// "[redacted]"; Reveal is the one way to the value, easy to search for.
type Secret struct {
	// A pointer, because package fmt prints unexported fields of other structs without asking their methods.
	value *string
}

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{value: &value} }

// Reveal returns the value; that of the zero Secret is empty.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}

	return *s.value
}

// IsSet tells whether there is a value to reveal.
func (s Secret) IsSet() bool { return s.Reveal() != "" }

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// Format prints "[redacted]" whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText returns "[redacted]". It also decides what encoding/json writes for a map key.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON returns "[redacted]" as a JSON string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// LogValue returns "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// UnmarshalText takes the value.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))

	return nil
}

// EncryptionKeys are the key-encryption keys, the active one first. They print their ids alone.
type EncryptionKeys []secretbox.Key

// UnmarshalText reads "id:base64 of 32 bytes" entries separated by commas.
func (k *EncryptionKeys) UnmarshalText(text []byte) error {
	keys, err := secretbox.ParseKeys(string(text))
	if err != nil {
		return err
	}

	*k = keys

	return nil
}
