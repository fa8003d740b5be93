package mailing_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/mailing"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

// TestMailsLinkToTheirObject checks the link of each mail about posts and channels: the page of a single object, or the
// list that has all of them.
func TestMailsLinkToTheirObject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace, postID, channelID := b.workspace(t), ident.New[ident.Post](), ident.New[ident.Channel]()
	one := mail.Cause{
		Channel: mail.Channel{ID: channelID, Name: "birch3", Network: "X"}, Posts: 1, PostID: postID, Words: "Spring sale",
		Reason: "X refused the post.",
	}
	burst := one
	burst.Posts = 40
	channels := []mail.Channel{{ID: channelID, Name: "birch3", Network: "X"}}
	within := appURL + "/w/" + workspace.String()
	for name, c := range map[string]struct {
		kind    mail.Kind
		content mail.Content
		link    string
		texts   []string
	}{
		"a failed post": {
			mail.PostsFailed,
			mail.Content{Causes: []mail.Cause{one}},
			within + "/posts/" + postID.String(),
			[]string{"A post in “Acme” could not be published", "birch3 (X): “Spring sale”. X refused the post."},
		},
		"a burst of failures": {
			mail.PostsFailed,
			mail.Content{Causes: []mail.Cause{burst, one}},
			within + "/posts?status=failed",
			[]string{"41 posts in “Acme” could not be published", "birch3 (X): 40 posts. X refused the post."},
		},
		"a request": {
			mail.PostsToApprove,
			mail.Content{Causes: []mail.Cause{one}},
			within + "/posts/" + postID.String(),
			[]string{"A post waits for approval", "Review it"},
		},
		"a request that is decided from the mail": {
			mail.PostsToApprove,
			mail.Content{Causes: []mail.Cause{one}, Secret: "svc_rev_x"},
			appURL + "/review/svc_rev_x",
			[]string{"Review it", "For 72 hours, the link decides in your name without a sign-in"},
		},
		"requests": {
			mail.PostsToApprove,
			mail.Content{Causes: []mail.Cause{burst}},
			within + "/posts?status=pending_approval",
			[]string{"40 posts wait for approval", "Review them"},
		},
		"a returned post": {
			mail.PostsReturned,
			mail.Content{Causes: []mail.Cause{one}},
			within + "/posts/" + postID.String(),
			[]string{"came back as a draft"},
		},
		"a lost channel": {
			mail.ChannelLost,
			mail.Content{Channels: channels},
			within + "/channels/" + channelID.String() + "/reconnect",
			[]string{"Reconnect:"},
		},
		"channels that end": {
			mail.ChannelsExpiring, mail.Content{Channels: append(channels, channels...)}, within + "/channels", nil,
		},
	} {
		c.content.To, c.content.Workspace = "ada@example.com", "Acme"
		m := mail.New(c.kind, workspace, c.content, b.clock.Now(), time.Time{})
		require.NoError(t, b.mails.Enqueue(t.Context(), m), name)
		_, err := b.Send(t.Context(), inputOf(m))
		require.NoError(t, err, name)
		sent := b.server.mails[len(b.server.mails)-1]
		require.Contains(t, sent.Text, ":\n"+c.link+"\n", name)
		require.Contains(t, sent.Text, "Turn it off: "+within+"/settings/notifications", name)
		for _, text := range c.texts {
			require.Contains(t, sent.Text, text, name)
		}
	}
}

// TestMailListsFirstCauses bounds the length of a mail.
func TestMailListsFirstCauses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	causes := make([]mail.Cause, 14)
	for i := range causes {
		causes[i] = mail.Cause{Channel: mail.Channel{Name: "birch", Network: "X"}, Posts: 1}
	}
	m := mail.New(mail.PostsFailed, b.workspace(t), mail.Content{Causes: causes}, b.clock.Now(), time.Time{})
	require.NoError(t, b.mails.Enqueue(t.Context(), m))
	_, err := b.Send(t.Context(), inputOf(m))
	require.NoError(t, err)
	require.Contains(t, b.server.mails[0].Text, "… and 4 more reasons")
	require.Contains(t, b.server.mails[0].Text, "birch (X): a post without a text")
}

type notices struct{ mailed, summed, waited, reported, dropped int }

func (n *notices) MailPosts(context.Context, time.Time) (int, error) { n.mailed++; return 1, nil }

func (n *notices) MailWaiting(context.Context, time.Time) (int, error) { n.waited++; return 0, nil }

func (n *notices) MailReports(context.Context, time.Time) (int, error) { n.reported++; return 0, nil }

func (n *notices) MailDigests(context.Context, time.Time) (int, error) { n.summed++; return 0, nil }

func (n *notices) DropNotices(context.Context, time.Time) (int64, error) { n.dropped++; return 0, nil }

func TestNoticesAreToldAndDropped(t *testing.T) {
	t.Parallel()
	store, poked := &notices{}, 0
	n := mailing.Notices{
		Store: store, Wake: func() { poked++ }, Clock: clocktest.New(time.Now()), Logger: slog.New(slog.DiscardHandler),
	}
	require.NoError(t, n.Round(t.Context()))
	require.Equal(t, notices{mailed: 1, summed: 1, waited: 1, reported: 1, dropped: 1}, *store)
	require.Equal(t, 1, poked)
}
