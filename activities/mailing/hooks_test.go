package mailing_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const hook = "https://hooks.example.com/services/canary"

// chat stores a message for a chat about a post with a hostile text.
func (b *bundle) chat(t *testing.T, way mail.Way, heldUntil time.Time) flow.MailInput {
	t.Helper()
	m := mail.New(mail.PostsFailed, b.workspace(t), mail.Content{Hook: hook, Workspace: "Acme", Causes: []mail.Cause{{
		Channel: mail.Channel{Name: "birch", Network: "X"}, Posts: 1, PostID: ident.New[ident.Post](),
		Words: "<!channel> *free* [gifts](https://evil.example) @all",
	}}}, b.clock.Now(), time.Time{})
	m.Way, m.HeldUntil = way, heldUntil
	require.NoError(t, b.mails.Enqueue(t.Context(), m))
	return flow.MailInput{MailID: m.ID, WorkspaceID: m.WorkspaceID, Kind: m.Kind, Way: way}
}

// TestChatsShowTextsAsText checks that a foreign text formats nothing, links nowhere and mentions no one.
func TestChatsShowTextsAsText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for way, want := range map[mail.Way][]string{
		mail.Slack:      {"&lt;!channel&gt; \u200b*\u200bfree\u200b*\u200b", "|See what to do>"},
		mail.Telegram:   {"&lt;!channel&gt; *free* [gifts](https://evil.example) @\u200ball", `<a href="` + appURL, `">See what to do</a>`},
		mail.Mattermost: {`\<\!channel\> \*free\* \[gifts\]\(https\://evil\.example\) @` + "\u200ball", "[See what to do](" + appURL},
	} {
		b.hooked = nil
		out, err := b.Send(t.Context(), b.chat(t, way, time.Time{}))
		require.NoError(t, err)
		require.Equal(t, flow.MailOutcome{Done: true, Note: "Sent."}, out)
		var body struct{ Text string }
		if body.Text = b.texts[hook]; way != mail.Telegram {
			require.Len(t, b.hooked, 1)
			require.Equal(t, hook, b.hooked[0].URL)
			require.NoError(t, json.Unmarshal(b.hooked[0].Body, &body))
		}
		for _, text := range want {
			require.Contains(t, body.Text, text, way)
		}
	}
	require.Empty(t, b.server.mails)
}

// TestChatsThatFail checks which failures are tried again, and that no note has the address, which is a secret.
func TestChatsThatFail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		status  int
		broken  error
		refused bool
	}{
		{status: http.StatusNotFound, refused: true},
		{status: http.StatusTooManyRequests},
		{status: http.StatusBadGateway},
		{broken: &egress.Error{Class: egress.ClassTimeout}},
		{broken: &egress.Error{Class: egress.ClassBlockedAddress}, refused: true},
	} {
		b.status, b.broken = c.status, c.broken
		in := b.chat(t, mail.Slack, time.Time{})
		out, err := b.Send(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, c.refused, out.Refused, "%v", c)
		require.Equal(t, c.refused, out.Done, "%v", c)
		require.NotContains(t, out.Note, "canary")
		_, err = b.mails.Load(t.Context(), in.MailID)
		require.Equal(t, c.refused, apperr.Is(err, apperr.NotFound), "%v", c)
	}
	require.NotContains(t, b.logs.String(), "canary")
}

// TestBotThatFails checks which failures of the bot are tried again.
func TestBotThatFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		broken  error
		refused bool
	}{{platform.ErrChatGone, true}, {errors.New("Telegram could not be reached"), false}} {
		b.broken = c.broken
		out, err := b.Send(t.Context(), b.chat(t, mail.Telegram, time.Time{}))
		require.NoError(t, err)
		require.Equal(t, c.refused, out.Refused)
		require.Equal(t, c.refused, out.Done)
	}
	b.Bot = nil
	out, err := b.Send(t.Context(), b.chat(t, mail.Telegram, time.Time{}))
	require.NoError(t, err)
	require.False(t, out.Done, "the operator may set the token again")
	require.Contains(t, out.Note, "NOTIFY_TELEGRAM_TOKEN")
}

// TestQuietHoursHoldMessage checks that a message is sent when the quiet hours end.
func TestQuietHoursHoldMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.chat(t, mail.Slack, b.clock.Now().Add(time.Hour))
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, time.Hour, out.Wait)
	require.Empty(t, b.hooked)
	b.clock.Advance(time.Hour)
	out, err = b.Send(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.hooked, 1)
}
