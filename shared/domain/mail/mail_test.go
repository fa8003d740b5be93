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
		mail.PostsFailed, mail.PostsToApprove, mail.PostsReturned, mail.ChannelsExpiring, mail.ChannelLost,
	}, optional)
	require.Len(t, mail.Kinds(), 10)
}
