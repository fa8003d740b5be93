package mail_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
)

func TestDigestPeriods(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind             mail.Kind
		now, zone        string
		day, from, until string
	}{
		"before the hour":    {mail.DigestDaily, "2026-03-03T06:59:59Z", "Europe/Berlin", "", "", ""},
		"at the hour":        {mail.DigestDaily, "2026-03-03T07:00:00Z", "Europe/Berlin", "2026-03-03", "2026-03-02T07:00:00Z", "2026-03-03T07:00:00Z"},
		"late on the day":    {mail.DigestDaily, "2026-03-03T22:30:00Z", "Europe/Berlin", "2026-03-03", "2026-03-02T07:00:00Z", "2026-03-03T07:00:00Z"},
		"the clocks changed": {mail.DigestDaily, "2026-03-29T06:00:00Z", "Europe/Berlin", "2026-03-29", "2026-03-28T07:00:00Z", "2026-03-29T06:00:00Z"},
		"west of UTC":        {mail.DigestDaily, "2026-03-03T16:00:00Z", "America/Los_Angeles", "2026-03-03", "2026-03-02T16:00:00Z", "2026-03-03T16:00:00Z"},
		"weekly on Monday":   {mail.DigestWeekly, "2026-03-02T08:00:00Z", "UTC", "2026-03-02", "2026-02-23T08:00:00Z", "2026-03-02T08:00:00Z"},
		"weekly on Tuesday":  {mail.DigestWeekly, "2026-03-03T08:00:00Z", "UTC", "", "", ""},
		"an unknown zone":    {mail.DigestDaily, "2026-03-03T08:00:00Z", "Moon/Crater", "", "", ""},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		require.NoError(t, err)
		day, from, until, due := mail.DigestPeriod(c.kind, now, 8, c.zone)
		require.Equal(t, c.day, day, name)
		require.Equal(t, c.day != "", due, name)
		if due {
			require.Equal(t, c.from, from.UTC().Format(time.RFC3339), name)
			require.Equal(t, c.until, until.UTC().Format(time.RFC3339), name)
		}
	}
}

func TestDigestsAreKnownByTheirKinds(t *testing.T) {
	t.Parallel()
	require.True(t, mail.DigestDaily.IsDigest())
	require.True(t, mail.DigestWeekly.IsDigest())
	require.False(t, mail.PasswordReset.IsDigest())
	require.True(t, mail.Digest{Zone: "UTC"}.Empty())
	require.False(t, mail.Digest{NextPosts: 1}.Empty(), "something comes")
	require.False(t, mail.Digest{Failed: []mail.Cause{{}}}.Empty(), "something failed")
}
