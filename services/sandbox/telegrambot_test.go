package main

import (
	"context"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/telegram"
)

// notifier returns the operator's bot of this name.
func (b *bundle) notifier(t *testing.T, name string) *telegram.Bot {
	t.Helper()
	bot, err := (&connectors.Environment{SandboxURL: b.server.URL}).Bot("100200300:sandbox-"+name, b.clock)
	require.NoError(t, err)
	return bot
}

// TestBotNotifies starts a bot as a person does at t.me, reads who did, and writes to that chat.
func TestBotNotifies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bot, other := b.notifier(t, "notes"), b.notifier(t, "other")
	starts := func(of *telegram.Bot) (found []platform.Start) {
		require.NoError(t, of.Starts(t.Context(), func(_ context.Context, s []platform.Start) error {
			found = append(found, s...)
			return nil
		}))
		return found
	}
	require.Empty(t, starts(bot))
	for code, group := range map[string]bool{"PERSON": false, "GROUP": true} {
		address, err := bot.Address(t.Context(), code, group)
		require.NoError(t, err)
		require.Regexp(t, "^"+regexp.QuoteMeta(b.server.URL)+`/telegram/notes_bot\?start(group)?=`+code+"$", address)
		require.Equal(t, http.StatusOK, b.call(t.Context(), t, http.MethodGet, address[len(b.server.URL):], "", "", "").status)
	}
	require.Empty(t, starts(other), "of another bot")
	lost := bot.Starts(t.Context(), func(context.Context, []platform.Start) error { return context.Canceled })
	require.ErrorIs(t, lost, context.Canceled)
	found := starts(bot)
	require.Len(t, found, 2, "what was not kept comes again")
	require.Empty(t, starts(bot), "what was kept does not")
	for _, s := range found {
		require.Regexp(t, `^(Person|Group) \d$`, s.Name)
		require.NoError(t, bot.Notify(t.Context(), s.Chat, "A <b>post</b> failed"))
	}
	require.Len(t, b.posts(t, ""), 2)
	require.ErrorIs(t, bot.Notify(t.Context(), "@missing", "x"), platform.ErrChatGone)
	require.ErrorIs(t, bot.Notify(t.Context(), "@kicked", "x"), platform.ErrChatGone)
	b.server.Close()
	down := bot.Notify(t.Context(), "1", "x")
	require.Error(t, down)
	require.NotErrorIs(t, down, platform.ErrChatGone)
	require.NotContains(t, down.Error(), "sandbox-notes", "the token is a secret")
	none, err := (&connectors.Environment{}).Bot("", b.clock)
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = (&connectors.Environment{}).Bot("nonsense", b.clock)
	require.ErrorContains(t, err, "NOTIFY_TELEGRAM_TOKEN")
}
