package when_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/cli/internal/when"
)

// now is a Tuesday, 10:30 in Berlin.
func now() time.Time { return time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC) }

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-12-24 18:00": "2026-12-24T18:00:00+01:00", "2026-07-01T18:00": "2026-07-01T18:00:00+02:00",
		"tue 09:00": "2026-12-08T09:00:00+01:00", "Tuesday 11:00": "2026-12-01T11:00:00+01:00", "wed 9:05": "2026-12-02T09:05:00+01:00",
		"tomorrow 9:00": "2026-12-02T09:00:00+01:00", "today 09:00": "2026-12-01T09:00:00+01:00", "09:00": "2026-12-02T09:00:00+01:00",
		"10:31": "2026-12-01T10:31:00+01:00", "+2h": "2026-12-01T11:30:00Z", "+1d": "2026-12-02T09:30:00Z",
		"2026-12-01T09:00:00-05:00": "2026-12-01T09:00:00-05:00", "2026-03-29 02:30": "2026-03-29T03:00:00+02:00",
	} {
		got, err := when.Parse(text, "Europe/Berlin", now())
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, wrong := range []string{"", "soon", "9", "25:00", "tue", "x 09:00", "t 09:00", "2026-13-01 09:00", "tue 09:00 am", "+", "+2x"} {
		_, err := when.Parse(wrong, "Europe/Berlin", now())
		require.Error(t, err, wrong)
	}
	for _, zone := range []string{"", "Local", "Moon"} {
		_, err := when.Parse("09:00", zone, now())
		require.ErrorContains(t, err, "IANA", zone)
	}
}

func TestPast(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2h": "2026-12-01T07:30:00Z", "09:00": "2026-12-01T09:00:00+01:00", "11:00": "2026-11-30T11:00:00+01:00",
		"yesterday 08:00": "2026-11-30T08:00:00+01:00", "2026-11-01 08:00": "2026-11-01T08:00:00+01:00",
	} {
		got, err := when.Past(text, "Europe/Berlin", now())
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"2h": 2 * time.Hour, "-30m": -30 * time.Minute, "1h30m": 90 * time.Minute, "3d": 72 * time.Hour, "1w": 168 * time.Hour, "+5s": 5 * time.Second,
	} {
		got, err := when.Span(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, wrong := range []string{"", "-", "2", "h", "2h3", "9999999999h", "3000w", "2 h"} {
		_, err := when.Span(wrong)
		require.Error(t, err, wrong)
	}
}
