package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// continued publishes a part below the post of an account.
func (c *commented) continued(kind post.PartKind, parent, text string) string {
	c.t.Helper()
	connector, ok := c.link.(platform.Connector)
	require.True(c.t, ok)
	content := platform.Content{
		PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: text,
		ReplyTo: &platform.ReplyTo{Kind: kind, RootID: c.post, ParentID: parent},
	}
	prepared, err := connector.Prepare(c.t.Context(), c.account, content, "")
	require.NoError(c.t, err)
	require.True(c.t, prepared.Ready)
	published, err := connector.Commit(c.t.Context(), c.account, content, prepared.Handle)
	require.NoError(c.t, err)
	return published.ExternalID
}

// TestInboxOmitsThreadsOfAccount checks that the parts of a thread do not arrive in the inbox of their own account, and what
// people write below a part arrives as a comment on the post, in a conversation with each of them.
func TestInboxOmitsThreadsOfAccount(t *testing.T) {
	t.Parallel()

	for _, typ := range []channel.Type{channel.Bluesky, channel.Mastodon} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			c := setup(t).commented(t, typ)
			part := c.continued(post.PartReply, c.post, "The second part")
			c.continued(post.PartReply, part, "The third part")
			c.continued(post.PartComment, c.post, "The first comment")
			require.Empty(t, c.polls())
			c.writes(newComment{Post: part, From: "Ada", Text: "Good"})
			c.writes(newComment{Post: part, From: "Bob", Text: "Bad"})
			found := c.polls()
			require.Len(t, found, 2)
			require.NotEqual(t, found[0].Thread, found[1].Thread)
			for _, message := range found {
				require.Equal(t, inbox.In, message.Direction)
				require.NotEmpty(t, message.Person.ID)
			}
		})
	}
}

// TestFeedShowsThreads checks that the feed shows a thread as one entry, in its order, and that a part names its parent.
func TestFeedShowsThreads(t *testing.T) {
	t.Parallel()

	c := setup(t).commented(t, channel.Mastodon)
	part := c.continued(post.PartReply, c.post, "The second part")
	last := c.continued(post.PartReply, part, "The third part")
	page := c.get(t, "/", "").body
	require.Equal(t, 1, strings.Count(page, `class="thread"`))
	require.Equal(t, 3, strings.Count(page, "<article"))
	require.Less(t, strings.Index(page, "New in the shop"), strings.Index(page, "The second part"))
	require.Less(t, strings.Index(page, "The second part"), strings.Index(page, "The third part"))
	page = c.get(t, "/p/mastodon/"+last, "").body
	require.Contains(t, page, `<a href="/p/mastodon/`+part+`">`)
	require.Equal(t, 1, strings.Count(page, "<article"))
	require.Contains(t, c.get(t, "/_sandbox/posts?platform=mastodon", "").body, `"parent":"`+part+`"`)
}

// TestBlueskyChecksTheRoot checks that a reply names the first post of the thread of its parent.
func TestBlueskyChecksTheRoot(t *testing.T) {
	t.Parallel()

	c := setup(t).commented(t, channel.Bluesky)
	part := c.continued(post.PartReply, c.post, "The second part")
	connector, ok := c.link.(platform.Connector)
	require.True(t, ok)
	for root, refused := range map[string]bool{part: true, c.post: false} {
		content := platform.Content{
			PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "The third part",
			ReplyTo: &platform.ReplyTo{Kind: post.PartReply, RootID: root, ParentID: part},
		}
		prepared, err := connector.Prepare(t.Context(), c.account, content, "")
		require.NoError(t, err)
		_, err = connector.Commit(t.Context(), c.account, content, prepared.Handle)
		require.Equal(t, refused, err != nil, "%v", err)
	}
}

// TestXChecksReplies checks X's responses to replies, and the fields that name what a post replies to.
func TestXChecksReplies(t *testing.T) {
	t.Parallel()

	b := setup(t)
	reply := func(text, to string) reply {
		body := fmt.Sprintf(`{"text":%q,"reply":{"in_reply_to_tweet_id":%s}}`, text, to)
		return b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", "sandbox-x-acme", "application/json", body)
	}
	b.tweet(t, "acme", "1/2")
	root := b.newest(t, "?platform=x")
	for _, malformed := range []string{`""`, `"abc"`, "7"} {
		require.Equal(t, http.StatusBadRequest, reply("2/2", malformed).status, malformed)
	}
	gone := reply("2/2", `"1400000000000000001"`)
	require.Equal(t, http.StatusForbidden, gone.status)
	require.Equal(t, "You attempted to reply to a Tweet that is deleted or not visible to you.", gone.text(t, "detail"))
	require.Equal(t, http.StatusCreated, reply("2/2", `"`+root+`"`).status)
	const list = "/x/2/users/acme/tweets?max_results=5"
	above := `[{"id":"` + root + `","type":"replied_to"}]`
	for query, want := range map[string]string{
		"&tweet.fields=referenced_tweets": `"referenced_tweets":` + above, "&post.fields=text&expansions=referenced_posts": `"referenced_posts":` + above,
		"&post.fields=referenced_posts": "", "&tweet.fields=text": "",
	} {
		body := b.get(t, list+query, "sandbox-x-acme").body
		require.Equal(t, want != "", strings.Contains(body, "replied_to"), "%s: %s", query, body)
		require.Contains(t, body, want)
	}
}

// TestThreadsListsReplies checks that replies are not among the account's posts, and that a thread needs the permission for
// replies.
func TestThreadsListsReplies(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const own = "/threads/v1.0/acme/"
	publish := func(token, text, to string) (string, reply) {
		form := []string{"media_type", "TEXT", "text", text, "access_token", token}
		if to != "" {
			form = append(form, "reply_to_id", to)
		}
		container := b.form(t, own+"threads", form...)
		if container.status != http.StatusOK {
			return "", container
		}
		done := b.form(t, own+"threads_publish", "creation_id", container.text(t, "id"), "access_token", token)
		return done.text(t, "id"), done
	}
	const token = "sandbox-threads-acme"
	root, _ := publish(token, "1/3", "")
	part, _ := publish(token, "2/3", root)
	last, _ := publish(token, "3/3", part)
	_, refused := publish(token, "4/3", "18000000000000001")
	require.Equal(t, http.StatusBadRequest, refused.status)
	list := func(path string) string {
		return b.get(t, "/threads/v1.0/"+path+"?fields=id,replied_to,root_post,is_reply_owned_by_me&access_token="+url.QueryEscape(token), "").body
	}
	require.NotContains(t, b.get(t, own+"threads?access_token="+token, "").body, part)
	for _, path := range []string{"me/replies", root + "/conversation"} {
		shown := list(path)
		require.Contains(t, shown, `{"id":"`+last+`","is_reply_owned_by_me":true,"replied_to":{"id":"`+part+`"},"root_post":{"id":"`+root+`"}}`, path)
		require.Contains(t, shown, `"replied_to":{"id":"`+root+`"}`, path)
	}
}

// TestInboxOmitsThreadsOnThreads is TestInboxOmitsThreadsOfAccount for Threads, whose conversations list the parts.
func TestInboxOmitsThreadsOnThreads(t *testing.T) {
	t.Parallel()

	d := forums()["Threads"].open(t)
	c := &commented{bundle: d.bundle, t: t, link: d.link, account: d.account, post: d.onPost}
	part := c.continued(post.PartReply, d.onPost, "The second part")
	c.continued(post.PartReply, part, "The third part")
	c.continued(post.PartComment, d.onPost, "The first comment")
	cursor := ""
	require.Empty(t, d.poll(t, &cursor))
	ann := d.says(t, "Ann", "Good", "", "post", part)
	bob := d.says(t, "Bob", "Bad", "", "post", part)
	own := d.says(t, "", "Why?", bob, "post", part)
	said := d.messages(t, d.poll(t, &cursor))
	require.Len(t, said, 3)
	require.Equal(t, []string{ann, bob, bob}, []string{said["Good"].Thread, said["Bad"].Thread, said["Why?"].Thread})
	require.Equal(t, []any{inbox.In, part}, []any{said["Bad"].Direction, said["Bad"].ReplyTo})
	require.Equal(t, []any{inbox.Out, own, bob}, []any{said["Why?"].Direction, said["Why?"].ExternalID, said["Why?"].ReplyTo})
}
