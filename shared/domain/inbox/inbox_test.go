package inbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
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
	text, err := inbox.Draft{Direction: inbox.Out, Limit: inbox.Private(), Text: "  Hello\r\nthere \n"}.Compose(channel.TelegramBusiness)
	require.NoError(t, err)
	require.Equal(t, "Hello\nthere", text)
	_, err = inbox.Draft{Direction: inbox.Out, Limit: inbox.Private(), Text: " \n "}.Compose(channel.TelegramBusiness)
	require.Equal(t, "Write something first.", apperr.FieldsOf(err)[0].Message)
	_, err = inbox.Draft{Direction: inbox.Out, Limit: inbox.Private(), Text: strings.Repeat("ä", 4096)}.Compose(channel.TelegramBusiness)
	require.NoError(t, err)
	_, err = inbox.Draft{Direction: inbox.Out, Limit: inbox.Private(), Text: strings.Repeat("ä", 4100)}.Compose(channel.TelegramBusiness)
	require.Contains(t, apperr.FieldsOf(err)[0].Message, "4 more than possible")
	few := inbox.Limit{Max: 10, Length: func(text string) int { return len(strings.Fields(text)) }, Bytes: 20}
	_, err = inbox.Draft{Direction: inbox.Out, Limit: few, Text: strings.Repeat("a ", 11)}.Compose(channel.TelegramBusiness)
	require.Contains(t, apperr.FieldsOf(err)[0].Message, "1 more than possible")
	_, err = inbox.Draft{Direction: inbox.Out, Limit: few, Text: strings.Repeat("a", 22)}.Compose(channel.TelegramBusiness)
	require.Contains(t, apperr.FieldsOf(err)[0].Message, "22 bytes, 2 more than possible")
	_, err = inbox.Draft{Direction: inbox.Note, Limit: inbox.Private(), Text: strings.Repeat("a", inbox.LongestNote+1)}.Compose(channel.TelegramBusiness)
	require.Error(t, err)
}

// TestComposeWithFiles checks what is said before a file is sent that the network would refuse.
func TestComposeWithFiles(t *testing.T) {
	t.Parallel()
	takes := inbox.ReplyFiles{Caption: 10, Kinds: []inbox.FileKind{
		{Types: []string{media.ContentTypePNG}, Most: 5 << 20, Words: "pictures as PNG"},
	}}
	picture := media.Asset{Name: "a.png", ContentType: media.ContentTypePNG, Size: 5 << 20}
	fault := func(d inbox.Draft) string {
		t.Helper()
		d.Files, d.Takes = append(d.Files, picture), takes
		_, err := d.Compose(channel.WhatsAppBusiness)
		if err == nil {
			return ""
		}
		return apperr.FieldsOf(err)[0].Pointer + " " + apperr.FieldsOf(err)[0].Message
	}
	require.Empty(t, fault(inbox.Draft{Direction: inbox.Out}), "a file needs no text")
	require.Empty(t, fault(inbox.Draft{Direction: inbox.Out, Text: "1234567890"}))
	require.Contains(t, fault(inbox.Draft{Direction: inbox.Out, Text: "🙂🙂🙂🙂🙂🙂"}), "/text WhatsApp takes up to 10 characters with a file")
	require.Contains(t, fault(inbox.Draft{Direction: inbox.Note, Text: "x"}), "/file A note has no files")
	require.Contains(t, fault(inbox.Draft{Direction: inbox.Out, Files: []media.Asset{picture}}), "one file per answer")
	picture.Size++
	require.Contains(t, fault(inbox.Draft{Direction: inbox.Out}), "pictures as PNG up to 5 MiB")
	picture.ContentType = media.ContentTypeGIF
	require.Contains(t, fault(inbox.Draft{Direction: inbox.Out}), `does not take "a.png". It takes pictures as PNG.`)
	picture.Problem = media.ProblemTooLarge
	require.Contains(t, fault(inbox.Draft{Direction: inbox.Out}), "cannot be opened")
	takes.Kinds, picture.Problem = nil, ""
	require.Contains(t, fault(inbox.Draft{Direction: inbox.Out}), "It takes no files.")
}

func TestFilesOfMessages(t *testing.T) {
	t.Parallel()
	require.Equal(t, 5*time.Second, inbox.FilePause(0))
	require.Equal(t, 10*time.Minute, inbox.FilePause(1000))
	require.True(t, inbox.MessageFile{State: inbox.Ready, Type: "image/png"}.Is("image"))
	require.False(t, inbox.MessageFile{State: inbox.Waiting, Type: "image/png"}.Is("image"))
	require.False(t, inbox.MessageFile{State: inbox.Ready, Type: "application/pdf"}.Is("image"))
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
	require.True(t, inbox.Has(channel.Bluesky))
	require.True(t, inbox.Public(channel.Mastodon))
	require.False(t, inbox.Public(channel.WhatsAppBusiness))
	require.Equal(t, inbox.Comments, inbox.Written{Kind: inbox.Comments}.KindOf())
	require.Equal(t, inbox.Messages, inbox.Written{}.KindOf())
	require.True(t, inbox.Numbered(channel.WhatsAppBusiness))
	require.False(t, inbox.Numbered(channel.TelegramBusiness))
}
