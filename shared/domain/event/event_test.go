package event_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

func TestEnvelopeEncoding(t *testing.T) {
	t.Parallel()
	workspace, post, channel := ident.New[ident.Workspace](), ident.New[ident.Post](), ident.New[ident.Channel]()
	at := time.Date(2026, time.March, 1, 10, 0, 0, 123_456_789, time.FixedZone("", 3600))
	published, url := event.FormatTime(at), "https://network.test/1?a=1&b=<2>"
	e, err := event.New(workspace, event.PostPublished, at, event.PostData{
		PostID: post, ChannelID: channel, Status: "PUBLISHED", PublishedAt: &published, PostURL: &url,
	})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`{"id":"evt_%s","type":"post.published","createdAt":"2026-03-01T09:00:00.123Z","workspaceId":"%s",`+ //nolint:testifylint // the exact bytes are signed
		`"data":{"postId":"%s","channelId":"%s","status":"PUBLISHED","publishedAt":"2026-03-01T09:00:00.123Z",`+
		`"postUrl":"https://network.test/1?a=1&b=<2>","confirmed":null,"error":null}}`, e.ID, workspace, post, channel), string(e.Body))
}

func TestApprovalEventsCarryComment(t *testing.T) {
	t.Parallel()
	comment := "fine"
	for want, given := range map[string]*string{`"comment":"fine"`: &comment, `"comment":null`: nil} {
		e, err := event.New(ident.New[ident.Workspace](), event.PostApproved, time.Now(), event.ApprovalData{Comment: given})
		require.NoError(t, err)
		require.Contains(t, string(e.Body), want)
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	require.Len(t, event.Types(), 13)
	require.True(t, event.PostFailed.Known())
	require.False(t, event.Type("post.liked").Known())
}

// TestEnvelopeSizeIsLimited checks that one byte more is refused before anything is written.
func TestEnvelopeSizeIsLimited(t *testing.T) {
	t.Parallel()
	of := func(length int) (event.Event, error) {
		return event.New(ident.New[ident.Workspace](), event.WebhookTest, time.Now(),
			event.WebhookTestData{Message: strings.Repeat("a", length)})
	}
	empty, err := of(0)
	require.NoError(t, err)
	largest, err := of(event.MaxBody - len(empty.Body))
	require.NoError(t, err)
	require.Len(t, largest.Body, 64<<10)
	_, err = of(event.MaxBody - len(empty.Body) + 1)
	require.ErrorIs(t, err, event.ErrTooLarge)
}

func TestUnencodableData(t *testing.T) {
	t.Parallel()
	_, err := event.New(ident.New[ident.Workspace](), event.PostCreated, time.Now(), func() {})
	require.Error(t, err)
}
