package mail_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/ident"
)

func TestMailExpiresWithLink(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct{ link, ends time.Time }{
		"without a link":  {time.Time{}, now.Add(72 * time.Hour)},
		"of a short life": {now.Add(time.Hour), now.Add(time.Hour)},
		"of a long life":  {now.Add(7 * 24 * time.Hour), now.Add(72 * time.Hour)},
	} {
		created := mail.New(mail.Invitation, ident.New[ident.Workspace](), mail.Content{To: "ada@example.com"}, now, c.link)
		require.Equal(t, c.ends, created.ExpiresAt, name)
		require.False(t, created.ID.IsZero())
	}
}

// TestMailsAboutAccessCannotBeTurnedOff lists the kinds that a person may turn off.
func TestMailsAboutAccessCannotBeTurnedOff(t *testing.T) {
	t.Parallel()
	var optional []mail.Kind
	for _, kind := range mail.Kinds() {
		if kind.IsOptional() {
			optional = append(optional, kind)
		}
	}
	require.Equal(t, []mail.Kind{
		mail.PostsFailed, mail.PostsUnknown, mail.PostsToApprove, mail.PostsApproved, mail.PostsReturned, mail.Mentioned, mail.InboxWaiting, mail.FollowUp,
		mail.ChannelsExpiring, mail.ChannelLost,
	}, optional)
	require.Len(t, mail.Kinds(), 20)
}

func TestQuietHoursEnd(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return parsed
	}
	night := mail.Quiet{From: 22 * 60, Until: 7 * 60, Zone: "Europe/Berlin"}
	noon := mail.Quiet{From: 12 * 60, Until: 13*60 + 30, Zone: "UTC"}
	for _, c := range []struct {
		quiet     mail.Quiet
		now, want string
	}{
		{night, "2026-03-01T20:59:00Z", ""},
		{night, "2026-03-01T21:00:00Z", "2026-03-02T06:00:00Z"},
		{night, "2026-03-02T05:59:00Z", "2026-03-02T06:00:00Z"},
		{night, "2026-03-02T06:00:00Z", ""},
		{night, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"}, // the clocks change in the night
		{noon, "2026-03-01T12:10:00Z", "2026-03-01T13:30:00Z"},
		{noon, "2026-03-01T11:59:00Z", ""},
		{mail.Quiet{Zone: "UTC"}, "2026-03-01T12:10:00Z", ""},
		{mail.Quiet{From: 0, Until: 60, Zone: "Moon/Crater"}, "2026-03-01T00:10:00Z", ""},
	} {
		want := time.Time{}
		if c.want != "" {
			want = at(c.want)
		}
		require.True(t, c.quiet.End(at(c.now)).Equal(want), "%v at %s", c.quiet, c.now)
	}
}
