package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// commented is an account with a published post, below which people write.
type commented struct {
	*bundle

	t       *testing.T
	link    platform.Link
	reader  platform.Reader
	account platform.Account
	post    string
	place   platform.PollPlace
}

func (b *bundle) commented(t *testing.T, typ channel.Type) *commented {
	t.Helper()
	registry, err := connectors.New(connectors.Environment{SandboxURL: b.server.URL}, b.clock, 0)
	require.NoError(t, err)
	link, ok := registry.Link(channel.Channel{Type: typ})
	require.True(t, ok)
	connector, ok := link.(platform.Connector)
	require.True(t, ok)
	declared := connectors.Of(typ.Network()).SandboxAccount(typ, "acme")
	c := &commented{
		bundle: b, t: t, link: link, reader: connectors.Readers()[typ.Network()],
		account: platform.Account{Type: typ, ExternalID: declared.ID, Credentials: declared.Credentials},
		place:   platform.PollPlace{Since: b.clock.Now().Add(-time.Hour)},
	}
	published, err := connector.Commit(t.Context(), c.account, platform.Content{
		PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "New in the shop",
	}, "")
	require.NoError(t, err)
	c.post = published.ExternalID
	return c
}

// writes writes something as a person, a second later.
func (c *commented) writes(want newComment) chats.Message {
	c.t.Helper()
	c.clock.Advance(time.Second)
	want.Platform = string(c.account.Type.Network())
	body, err := json.Marshal(want)
	require.NoError(c.t, err)
	response := c.call(c.t.Context(), c.t, http.MethodPost, "/_sandbox/comments", "", "application/json", string(body))
	require.Equal(c.t, http.StatusCreated, response.status, response.body)
	var m chats.Message
	require.NoError(c.t, json.Unmarshal([]byte(response.body), &m))
	return m
}

// polls polls until nothing more is there, and returns what the events say, oldest first.
func (c *commented) polls() []inbox.Written {
	c.t.Helper()
	poller, ok := c.link.(platform.Poller)
	require.True(c.t, ok)
	require.Equal(c.t, 2*time.Minute, poller.Polling(c.account).Every)
	var all []inbox.Written
	seen := make(map[string]bool)
	for more := true; more; {
		polled, err := poller.Poll(c.t.Context(), c.account, c.place)
		require.NoError(c.t, err)
		c.place.Cursor, more = polled.Cursor, polled.More
		for _, e := range polled.Events {
			require.Equal(c.t, c.account.ExternalID, e.Account)
			change, err := c.reader.Read(e)
			require.NoError(c.t, err)
			if seen[e.Key] || change.Message == nil {
				continue
			}
			seen[e.Key] = true
			all = append([]inbox.Written{*change.Message}, all...)
		}
	}
	return all
}

func (c *commented) fault(kind, step string) {
	c.t.Helper()
	response := c.call(c.t.Context(), c.t, http.MethodPost, "/_sandbox/faults", "", "application/json",
		`{"platform":"`+string(c.account.Type.Network())+`","step":"`+step+`","kind":"`+kind+`"}`)
	require.Equal(c.t, http.StatusCreated, response.status, response.body)
}

// TestPublicInbox reads what people write on networks with notifications, and answers, also if the response is lost.
func TestPublicInbox(t *testing.T) {
	t.Parallel()
	for _, typ := range []channel.Type{channel.Bluesky, channel.Mastodon} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			c := setup(t).commented(t, typ)
			require.Empty(t, c.polls())
			first := c.writes(newComment{Post: c.post, From: "Anna Blum", Text: "Is it <b>blue</b>?\nReally & truly"})
			c.writes(newComment{Kind: chats.Mention, Account: c.account.ExternalID, From: "Bert", Text: "Ask them"})
			read := c.polls()
			require.Len(t, read, 2)
			said := read[0]
			require.Equal(t, inbox.Comments, said.Kind)
			require.Equal(t, c.post, said.Post)
			require.Equal(t, "Is it <b>blue</b>?\nReally & truly", said.Text)
			require.Equal(t, "Anna Blum", said.Person.Name)
			require.NotEmpty(t, said.Permalink)
			require.Equal(t, inbox.Mentions, read[1].Kind)
			require.Empty(t, read[1].Post)

			replier, ok := c.link.(platform.ReplyFinder)
			require.True(t, ok)
			reply := platform.Reply{
				ID: ident.New[ident.Message](), Thread: said.Thread, Text: "It is, see https://example.com", ReplyTo: said.ExternalID,
				Kind: said.Kind, Post: said.Post, Username: said.Person.Username,
			}
			found, err := replier.FindReply(t.Context(), c.account, reply, c.clock.Now())
			require.NoError(t, err)
			require.Empty(t, found, "it was not sent")
			c.fault("empty_answer", "commit")
			_, err = replier.SendReply(t.Context(), c.account, reply)
			require.Equal(t, platform.ClassUnknown, platform.FailureOf(err).Class)
			found, err = replier.FindReply(t.Context(), c.account, reply, c.clock.Now())
			require.NoError(t, err)
			require.NotEmpty(t, found)
			again, err := replier.SendReply(t.Context(), c.account, reply)
			if err == nil {
				require.Equal(t, found, again, "the first one")
			}
			replies := c.sandbox.stage.Chats.List(chats.Filter{Origin: chats.FromReply})
			require.Len(t, replies, 1, "never twice")
			require.Equal(t, first.ID, replies[0].ReplyTo)

			c.writes(newComment{Post: c.post, From: "Anna Blum", Text: "Thanks", ReplyTo: replies[0].ID})
			read = c.polls()
			require.NotEmpty(t, read)
			last := read[len(read)-1]
			require.Equal(t, "Thanks", last.Text)
			require.Equal(t, found, last.ReplyTo)
			require.Equal(t, said.Thread, last.Thread, "one conversation")

			poller, ok := c.link.(platform.Poller)
			require.True(t, ok)
			for kind, class := range map[string]platform.Class{
				"rate_limit": platform.ClassRateLimited, "wrong_types": platform.ClassTransient, "unavailable": platform.ClassTransient,
			} {
				c.writes(newComment{Post: c.post, From: "Bert", Text: kind}) // an empty list has no types
				c.fault(kind, "status")
				_, err = poller.Poll(t.Context(), c.account, c.place)
				require.Equal(t, class, platform.FailureOf(err).Class, "%s: %v", kind, err)
				c.clock.Advance(time.Minute)
			}
			c.writes(newComment{Delete: first.ID})
			reply.ID = ident.New[ident.Message]()
			_, err = replier.SendReply(t.Context(), c.account, reply)
			require.Equal(t, "COMMENT_GONE", platform.FailureOf(err).Code)
		})
	}
}

// TestManyPages checks that what people write is read once over pages, and nothing from before the first poll.
func TestManyPages(t *testing.T) {
	t.Parallel()
	for _, typ := range []channel.Type{channel.Bluesky, channel.Mastodon} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			c := setup(t).commented(t, typ)
			c.writes(newComment{Post: c.post, From: "Old", Text: "Too old"})
			c.clock.Advance(time.Hour) // sessions of Bluesky last two
			c.place.Since = c.clock.Now().Add(-time.Minute)
			for range 230 {
				c.writes(newComment{Post: c.post, From: "Anna", Text: "Hello"})
			}
			require.Len(t, c.polls(), 230)
			for range 45 {
				c.writes(newComment{Post: c.post, From: "Anna", Text: "Hello again"})
			}
			fresh := 0
			for _, w := range c.polls() {
				if w.Text == "Hello again" {
					fresh++
				}
			}
			require.Equal(t, 45, fresh)
		})
	}
}
