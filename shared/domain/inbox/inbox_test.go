package inbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestUnanswered(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	c := inbox.Conversation{State: inbox.Open, LastInAt: at}
	require.True(t, c.Unanswered())
	c.LastOutAt = at.Add(time.Second)
	require.False(t, c.Unanswered())
	c.LastInAt, c.State = at.Add(time.Minute), inbox.Spam
	require.False(t, c.Unanswered())
}

// TestWindow checks the time in which networks allow answers.
func TestWindow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	c := inbox.Conversation{LastInAt: at}
	for _, limited := range []channel.Type{channel.TelegramBusiness, channel.WhatsAppBusiness} {
		require.True(t, c.Answerable(limited, at.Add(23*time.Hour+58*time.Minute+59*time.Second)))
		require.False(t, c.Answerable(limited, at.Add(23*time.Hour+59*time.Minute)))
		require.False(t, inbox.Conversation{}.Answerable(limited, at), "no message came")
	}
	require.True(t, c.Answerable(channel.Bluesky, at.AddDate(1, 0, 0)))
}

func TestClaims(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	ada, grace := ident.New[ident.User](), ident.New[ident.User]()
	c := inbox.Conversation{ClaimedBy: ada, ClaimedUntil: at.Add(inbox.ClaimFor)}
	require.Equal(t, ada, c.Claimed(grace, at))
	require.Zero(t, c.Claimed(ada, at))
	require.Zero(t, c.Claimed(grace, at.Add(inbox.ClaimFor)))
}

func TestCompose(t *testing.T) {
	t.Parallel()
	text, err := inbox.Compose(inbox.Out, channel.TelegramBusiness, "  Hello\r\nthere \n")
	require.NoError(t, err)
	require.Equal(t, "Hello\nthere", text)
	_, err = inbox.Compose(inbox.Out, channel.TelegramBusiness, " \n ")
	require.Equal(t, "Write something first.", apperr.FieldsOf(err)[0].Message)
	_, err = inbox.Compose(inbox.Out, channel.WhatsAppBusiness, strings.Repeat("ä", 4096))
	require.NoError(t, err)
	_, err = inbox.Compose(inbox.Out, channel.WhatsAppBusiness, strings.Repeat("ä", 4100))
	require.Contains(t, apperr.FieldsOf(err)[0].Message, "4 more than possible")
	_, err = inbox.Compose(inbox.Note, channel.WhatsAppBusiness, strings.Repeat("a", inbox.LongestNote+1))
	require.Error(t, err)
}

func TestUnshownParts(t *testing.T) {
	t.Parallel()
	require.Empty(t, inbox.Written{Text: "Hello"}.Unshown())
	require.Equal(t, "a location", inbox.Written{Unsupported: "a location"}.Unshown())
	require.Equal(t, "a file", inbox.Written{Files: make([]inbox.File, 1)}.Unshown())
	require.Equal(t, "2 files", inbox.Written{Text: "Look", Files: make([]inbox.File, 2)}.Unshown())
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	ada := ident.New[ident.User]()
	c, e := inbox.Conversation{State: inbox.Open}.AssignTo(ada, "Ada")
	require.Equal(t, ada, c.AssigneeID)
	require.Equal(t, inbox.Entry{Kind: inbox.Assigned, Detail: "Ada"}, e)
	c, e = c.AssignTo(ident.User{}, "")
	require.Zero(t, c.AssigneeID)
	require.Equal(t, inbox.Unassigned, e.Kind)

	c, e, err := c.Snooze(now.Add(time.Hour), now)
	require.NoError(t, err)
	require.Equal(t, inbox.Snoozed, c.State)
	require.Equal(t, inbox.Entry{Kind: inbox.WasSnoozed, Detail: "2026-03-01T10:00:00Z"}, e)
	for _, until := range []time.Time{now, now.AddDate(2, 0, 0), {}} {
		_, _, err = c.Snooze(until, now)
		require.Equal(t, "/until", apperr.FieldsOf(err)[0].Pointer)
	}
	for to, kind := range map[inbox.State]inbox.EntryKind{
		inbox.Open: inbox.Reopened, inbox.Closed: inbox.WasClosed, inbox.Spam: inbox.MarkedSpam,
	} {
		put, e := c.Put(to)
		require.Equal(t, to, put.State)
		require.Zero(t, put.SnoozedUntil)
		require.Equal(t, kind, e.Kind)
	}
	require.True(t, inbox.Has(channel.TelegramBusiness))
	require.False(t, inbox.Has(channel.TelegramChannel))
	require.True(t, inbox.Numbered(channel.WhatsAppBusiness))
	require.False(t, inbox.Numbered(channel.TelegramBusiness))
}
