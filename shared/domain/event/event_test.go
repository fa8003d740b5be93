package event_test

import (
	"fmt"
	"math"
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
		PostID: post, ChannelID: channel, ChannelType: "TWITTER", Status: "PUBLISHED", PublishedAt: &published, PostURL: &url,
		ScheduledAt: &published, GroupID: ident.Group(post), Labels: []string{"Spring <1>"},
		Metadata: map[string]string{"b": "2", "a": "1"},
	})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`{"id":"evt_%s","type":"post.published","createdAt":"2026-03-01T09:00:00.123Z","workspaceId":"%s",`+ //nolint:testifylint // the exact bytes are signed
		`"data":{"postId":"%s","channelId":"%s","status":"PUBLISHED","publishedAt":"2026-03-01T09:00:00.123Z",`+
		`"postUrl":"https://network.test/1?a=1&b=<2>","confirmed":null,"error":null,`+
		`"channelType":"TWITTER","scheduledAt":"2026-03-01T09:00:00.123Z","groupId":"%s","labels":["Spring <1>"],`+
		`"externalId":null,"metadata":{"a":"1","b":"2"}}}`, e.ID, workspace, post, channel, post), string(e.Body))
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
	require.Len(t, event.Types(), 23)
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
	most := event.MaxBody - len(event.Numbered(empty.Body, math.MaxInt64))
	largest, err := of(most)
	require.NoError(t, err)
	require.Len(t, event.Numbered(largest.Body, math.MaxInt64), 64<<10)
	_, err = of(most + 1)
	require.ErrorIs(t, err, event.ErrTooLarge)
}

func TestNumbered(t *testing.T) {
	t.Parallel()
	for _, data := range []any{event.PostData{}, event.MediaFailedData{}, struct{}{}} {
		e, err := event.New(ident.New[ident.Workspace](), event.PostCreated, time.Now(), data)
		require.NoError(t, err)
		before := string(e.Body)
		for sequence, text := range map[int64]string{0: "null", 1: "1", math.MaxInt64: "9223372036854775807"} {
			numbered := event.Numbered(e.Body, sequence)
			require.Equal(t, before[:len(before)-1]+`,"sequence":`+text+`}`, string(numbered))
			require.Equal(t, numbered, event.Numbered(numbered, 7), "it has its number")
		}
		require.Equal(t, before, string(e.Body))
	}
}

func TestUnencodableData(t *testing.T) {
	t.Parallel()
	_, err := event.New(ident.New[ident.Workspace](), event.PostCreated, time.Now(), func() {})
	require.Error(t, err)
}
