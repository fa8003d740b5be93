package clientlink_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func example(now time.Time) clientlink.Link {
	return clientlink.Link{
		ID: ident.New[ident.ClientLink](), Name: "Acme GmbH", ExpiresAt: now.Add(time.Hour),
		Posts: []clientlink.Shared{{PostID: ident.New[ident.Post]()}},
	}
}

func TestLinksEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	link := example(now)
	require.Equal(t, clientlink.Open, link.State(now))
	require.Equal(t, clientlink.Open, link.State(link.ExpiresAt.Add(-time.Nanosecond)))
	require.Equal(t, clientlink.Expired, link.State(link.ExpiresAt))
	link.RevokedAt = now
	require.Equal(t, clientlink.Revoked, link.State(now))
	require.True(t, link.Shares(link.Posts[0].PostID))
	require.False(t, link.Shares(ident.New[ident.Post]()))
	require.Equal(t, []ident.Post{link.Posts[0].PostID}, link.PostIDs())
}

func TestWrongLinks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	for at, change := range map[string]func(*clientlink.Link){
		"":         func(l *clientlink.Link) { l.Decides = true },
		"/name":    func(l *clientlink.Link) { l.Name = strings.Repeat("x", 81) },
		"/expires": func(l *clientlink.Link) { l.ExpiresAt = now.Add(clientlink.LongestLife + time.Second) },
		"/posts":   func(l *clientlink.Link) { l.Posts = nil },
	} {
		link := example(now)
		change(&link)
		read, faults := link.Read(now)
		if at == "" {
			require.Empty(t, faults)
			require.True(t, read.Comments, "who decides also says why")
			continue
		}
		require.Len(t, faults, 1, at)
		require.Equal(t, at, faults[0].Pointer)
	}
	for _, name := range []string{" ", "Acme · Ada", "a\nb"} {
		link := example(now)
		link.Name = name
		_, faults := link.Read(now)
		require.Len(t, faults, 1, name)
	}
}

// TestProofOfPassword checks that the proof is one of the link and of its password.
func TestProofOfPassword(t *testing.T) {
	t.Parallel()
	now := time.Now()
	open, link, other := example(now), example(now), example(now)
	require.True(t, open.Admits(""))
	link.PasswordHash, other.PasswordHash = "hash", "hash"
	require.True(t, link.Admits(link.Proof()))
	for _, wrong := range []string{"", "x", other.Proof(), open.Proof()} {
		require.False(t, link.Admits(wrong))
	}
	before := link.Proof()
	link.PasswordHash = "changed"
	require.False(t, link.Admits(before))
}

func TestGuestsOfALink(t *testing.T) {
	t.Parallel()
	link := example(time.Now())
	name, err := clientlink.GuestName("  Ada  ")
	require.NoError(t, err)
	actor := link.Actor(name)
	require.Equal(t, "Ada", clientlink.Guest(actor))
	require.True(t, link.Wrote(actor))
	other := link
	other.Name = "Beta"
	require.False(t, other.Wrote(actor), "a client does not read what another one wrote")
	require.False(t, link.Wrote("user Ada · Acme GmbH"))
	require.Empty(t, clientlink.Guest("user Ada"))
	for _, wrong := range []string{"", " ", "x · Acme GmbH", strings.Repeat("x", 81), "Ada\u202eb"} {
		_, err := clientlink.GuestName(wrong)
		require.True(t, apperr.Is(err, apperr.ValidationFailed), wrong)
	}
}
