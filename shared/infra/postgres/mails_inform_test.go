package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestDeadChannelIsToldOnce has 40 posts fail on a channel over hours: each person gets one message by each way, and the
// workspace's room one. After the channel was reconnected, the next loss is notified again.
func TestDeadChannelIsToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.people(t, member.Owner)[member.Owner]
	mails := b.mails(t)
	for _, p := range []mail.Place{
		{UserID: owner.ID, Way: mail.Slack, Name: "Me", Address: "https://hooks.example.com/canary"},
		{WorkspaceID: b.ws.ID, Way: mail.Mattermost, Name: "#social", Address: "https://chat.example.com/canary"},
	} {
		p.ID, p.Kinds, p.CreatedAt = ident.New[ident.Place](), mail.Optional(), b.now
		require.NoError(t, mails.AddPlace(t.Context(), p))
	}
	require.NotContains(t, postgrestest.Column(t, b.address, `SELECT encode(address, 'escape') FROM notice_way`)[0], "canary")
	fail := func(n int) {
		for range n {
			b.failed(t, ident.User{}, "X no longer accepts our access.")
		}
		postgrestest.Exec(t, b.address, `UPDATE post SET error_code = $1 WHERE status = 'FAILED'`, post.ErrorNeedsReconnect)
	}
	sent := func(after time.Duration) map[mail.Way]int {
		_, err := mails.MailPosts(t.Context(), b.now.Add(after))
		require.NoError(t, err)
		found := make(map[mail.Way]int)
		for _, id := range b.started(t) {
			m, err := mails.Load(t.Context(), id)
			require.NoError(t, err)
			found[m.Way]++
			require.Len(t, m.Content.Causes, 1)
		}
		return found
	}
	once := map[mail.Way]int{mail.ByMail: 1, mail.Slack: 1, mail.Mattermost: 1}
	fail(20)
	require.Equal(t, once, sent(3*time.Minute))
	fail(20)
	require.Empty(t, sent(time.Hour), "they know")
	listed, err := mails.Notices(t.Context(), owner.ID, b.ws.ID, 10)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, 20, listed[0].Content.Causes[0].Posts)
	require.Empty(t, listed[0].Content.To)

	require.NoError(t, b.channels.Replace(t.Context(), b.ch, b.credentials()))
	fail(1)
	require.Equal(t, once, sent(2*time.Hour))
	found, err := b.posts.Attention(t.Context(), b.ws.ID, owner.ID)
	require.NoError(t, err)
	require.Equal(t, 2, found.Unread)
	require.NoError(t, mails.ReadNotices(t.Context(), owner.ID, b.ws.ID))
	found, err = b.posts.Attention(t.Context(), b.ws.ID, owner.ID)
	require.NoError(t, err)
	require.Zero(t, found.Unread)
	_, err = mails.DropNotices(t.Context(), b.now.Add(91*24*time.Hour))
	require.NoError(t, err)
	listed, err = mails.Notices(t.Context(), owner.ID, b.ws.ID, 10)
	require.NoError(t, err)
	require.Empty(t, listed)
}

// TestQuietHoursHoldMessages checks that messages of the night are stored for the morning, and not lost.
func TestQuietHoursHoldMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.people(t, member.Owner)[member.Owner]
	at := b.now.Add(3 * time.Minute).UTC()
	minute := at.Hour()*60 + at.Minute()
	quiet := mail.Quiet{From: (minute + 1439) % 1440, Until: (minute + 60) % 1440, Zone: "UTC"}
	require.NoError(t, postgres.NewUsers(b.db).SetChoices(t.Context(), owner.ID, postgres.Choices{Quiet: quiet, NoticesOff: mail.Optional()}))
	b.failed(t, ident.User{}, "refused")
	got := b.mailed(t, 3*time.Minute)["POSTS_FAILED OWNER@example.com"]
	require.WithinDuration(t, at.Add(time.Hour), got.HeldUntil, time.Minute)
	require.WithinDuration(t, got.HeldUntil.Add(mail.Timeout), got.ExpiresAt, time.Second)
	listed, err := b.mails(t).Notices(t.Context(), owner.ID, b.ws.ID, 10)
	require.NoError(t, err)
	require.Empty(t, listed, "not shown here")
	b.failed(t, ident.User{}, "refused")
	sent, err := b.mails(t).WithoutMails().MailPosts(t.Context(), b.now.Add(30*time.Minute))
	require.NoError(t, err)
	require.Zero(t, sent, "without a mail server")
}
