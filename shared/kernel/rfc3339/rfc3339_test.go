package rfc3339_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/rfc3339"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{rfc3339.Example, "2026-03-01T07:00:00Z"},
		{"2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z"},
		{"2026-03-01t09:00:00z", "2026-03-01T09:00:00Z"},
		{"2026-03-01T09:00:00.1Z", "2026-03-01T09:00:00.1Z"},
		{"2026-03-01T09:00:00.123456789012Z", "2026-03-01T09:00:00.123456789Z"},
		{"2026-03-01T09:00:00-23:59", "2026-03-02T08:59:00Z"},
		{"2026-03-01T09:00:00-00:00", "2026-03-01T09:00:00Z"},
		{"2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"},
		{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			got, err := rfc3339.Parse(test.text)
			require.NoError(t, err)
			require.Equal(t, time.UTC, got.Location())
			require.Equal(t, test.want, got.Format(time.RFC3339Nano))
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want error
	}{
		{"", rfc3339.ErrForm},
		{"tomorrow", rfc3339.ErrForm},
		{"2026-03-01", rfc3339.ErrForm},
		{"2026-03-01 09:00:00Z", rfc3339.ErrForm},
		{" 2026-03-01T09:00:00Z", rfc3339.ErrForm},
		{"2026-03-01T09:00:00Z ", rfc3339.ErrForm},
		{"2026-3-1T09:00:00Z", rfc3339.ErrForm},
		{"2026-03-01T09:00Z", rfc3339.ErrSeconds},
		{"2026-03-01t09:00z", rfc3339.ErrSeconds},
		{"2026-03-01T09:00", rfc3339.ErrSeconds},
		{"2026-03-01T09:00+02:00", rfc3339.ErrSeconds},
		{"2026-03-01T09:00-0200", rfc3339.ErrSeconds},
		{"2026-03-01T09:00:", rfc3339.ErrForm},
		{"2026-03-01T09:00:0Z", rfc3339.ErrForm},
		{"2026-03-01T09:00 02:00", rfc3339.ErrForm},
		{"2026-03-01T09:00+99:00", rfc3339.ErrForm},
		{"2026-03-01T09", rfc3339.ErrForm},
		{"2026-03-01T09:00:00,5Z", rfc3339.ErrForm},
		{"2026-03-01T09:00:00.Z", rfc3339.ErrForm},
		{"2026-03-01T09:00:00+0200", rfc3339.ErrColon},
		{"2026-03-01T09:00:00-0930", rfc3339.ErrColon},
		{"2026-03-01T09:00:00.5+0100", rfc3339.ErrColon},
		{"2026-03-01T09:00:00 0200", rfc3339.ErrForm},
		{"2026-03-01T09:00:00+2400", rfc3339.ErrForm},
		{"2026-03-01T09:00:00+02000", rfc3339.ErrForm},
		{"2026-03-01T09:00:00+02", rfc3339.ErrForm},
		{"2026-03-01T09:00:00+24:00", rfc3339.ErrForm},
		{"2026-03-01T09:00:00+02:60", rfc3339.ErrForm},
		{"2026-03-01T09:00:00ZZ", rfc3339.ErrForm},
		{"2026-03-01T09:00:00 Europe/Berlin", rfc3339.ErrForm},
		{"+2026-03-01T09:00:00Z", rfc3339.ErrForm},
		{"12026-03-01T09:00:00Z", rfc3339.ErrForm},
		{"２026-03-01T09:00:00Z", rfc3339.ErrForm},
		{strings.Repeat("9", 100_000), rfc3339.ErrForm},
		{"2026-03-01T09:00:00", rfc3339.ErrOffset},
		{"2026-03-01T09:00:00.123", rfc3339.ErrOffset},
		{"2026-02-30T09:00:00Z", rfc3339.ErrRange},
		{"2026-02-29T09:00:00Z", rfc3339.ErrRange},
		{"2026-13-01T09:00:00Z", rfc3339.ErrRange},
		{"2026-00-01T09:00:00Z", rfc3339.ErrRange},
		{"2026-03-00T09:00:00Z", rfc3339.ErrRange},
		{"2026-03-01T24:00:00Z", rfc3339.ErrRange},
		{"2026-03-01T09:60:00Z", rfc3339.ErrRange},
		{"2026-03-01T23:59:60Z", rfc3339.ErrRange},
		{"0000-01-01T00:00:00Z", rfc3339.ErrRange},
		{"0001-01-01T00:00:00+01:00", rfc3339.ErrRange},
		{"9999-12-31T23:59:59-01:00", rfc3339.ErrRange},
	}
	for _, test := range tests {
		t.Run(test.text[:min(len(test.text), 40)], func(t *testing.T) {
			t.Parallel()
			_, err := rfc3339.Parse(test.text)
			require.ErrorIs(t, err, test.want)
		})
	}
}

// TestMessages checks that a time with an offset without a colon and a time without seconds have specific messages.
func TestMessages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01T09:00:00+0100": "has an offset without a colon: write +01:00 instead of +0100",
		"2026-03-01T09:00+01:00":   "has no seconds: write 09:00:00 instead of 09:00",
	} {
		_, err := rfc3339.Parse(text)
		require.EqualError(t, err, want)
	}
}

// FuzzParse checks that an accepted text is parsed as package time parses it, and can be formatted again.
func FuzzParse(f *testing.F) {
	f.Add(rfc3339.Example)
	f.Add("2026-03-01t09:00:00.5z")
	f.Add("2026-03-01T09:00:00,5Z")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := rfc3339.Parse(text)
		if err != nil {
			return
		}
		want, err := time.Parse(time.RFC3339, strings.ToUpper(text))
		require.NoError(t, err)
		require.True(t, want.Equal(got))
		again, err := rfc3339.Parse(got.Format(time.RFC3339Nano))
		require.NoError(t, err)
		require.True(t, again.Equal(got))
	})
}
