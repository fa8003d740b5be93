package config

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"fencepost.internal/shared/infra/secretbox"
)

const redacted = "[redacted]"

// Secret is a value that must not be shown. Printing, logging or marshalling it in any way produces "[redacted]".
// Reveal is the only access to the value, so its uses are easy to find.
type Secret struct {
	// A pointer, because package fmt prints unexported fields of other structs without calling their methods.
	value *string
}

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{value: &value} }

// Reveal returns the value; empty for the zero Secret.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}

	return *s.value
}

// IsSet reports whether the value is not empty.
func (s Secret) IsSet() bool { return s.Reveal() != "" }

// List returns the values of a list that is separated by commas; none for the zero Secret.
func (s Secret) List() []string {
	if !s.IsSet() {
		return nil
	}

	return strings.Split(s.Reveal(), ",")
}

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// Format prints "[redacted]" for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText returns "[redacted]". encoding/json also uses it for map keys.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON returns "[redacted]" as a JSON string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// LogValue returns "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// UnmarshalText sets the value.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))

	return nil
}

// EncryptionKeys are the key-encryption keys, the active one first. Only their IDs are printed.
type EncryptionKeys []secretbox.Key

// UnmarshalText parses "id:base64 of 32 bytes" entries separated by commas.
func (k *EncryptionKeys) UnmarshalText(text []byte) error {
	keys, err := secretbox.ParseKeys(string(text))
	if err != nil {
		return err
	}

	*k = keys

	return nil
}
