package config

import (
	"errors"
	"time"
)

// never is the value of a Wait that has no end.
const never = "off"

// Wait is a duration of zero or more after which something is done, or "off", which means never.
type Wait struct {
	after *time.Duration
}

// After returns the duration, or nil for never.
func (w Wait) After() *time.Duration { return w.after }

// String returns the value as it is written in the environment.
func (w Wait) String() string {
	if w.after == nil {
		return never
	}
	return w.after.String()
}

// MarshalText returns the value as it is written in the environment.
func (w Wait) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText parses a duration such as 1s, 0, or off.
func (w *Wait) UnmarshalText(text []byte) error {
	if string(text) == never {
		*w = Wait{}
		return nil
	}
	after, err := time.ParseDuration(string(text))
	if err != nil || after < 0 {
		return errors.New("neither a duration of zero or more nor off")
	}
	*w = Wait{after: &after}
	return nil
}
