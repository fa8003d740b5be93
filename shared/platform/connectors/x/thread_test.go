package x_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func below(kind post.PartKind, parent string) *platform.ReplyTo {
	return &platform.ReplyTo{Kind: kind, RootID: "5", ParentID: parent}
}

// TestCommitReply checks the body of a reply and of a comment, and that none is sent without a parent.
func TestCommitReply(t *testing.T) {
	t.Parallel()

	b := setup(t, publishResponse(platformtest.Response{Status: http.StatusCreated, Body: `{"data":{"id":"7"}}`}))
	for _, kind := range []post.PartKind{post.PartReply, post.PartComment} {
		b.content.ReplyTo = below(kind, "6")
		publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
		require.NoError(t, err)
		require.Equal(t, "7", publication.ExternalID)
		sent := b.script.Requests()
		require.JSONEq(t, `{"text":"Hello & welcome","reply":{"in_reply_to_tweet_id":"6"}}`, sent[len(sent)-1].Body)
	}
	b.content.ReplyTo = below(post.PartReply, "")
	_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.CodeParentGone, platformtest.Failure(t, err).Code)
	require.Len(t, b.script.Requests(), 2)
}

// TestReplyToNewPost checks that X's refusal of a reply to a post of the last minute is not final.
func TestReplyToNewPost(t *testing.T) {
	t.Parallel()

	const epoch, bits = 1288834974657, 22
	created := func(at time.Time) string { return strconv.FormatInt((at.UnixMilli()-epoch)<<bits, 10) }
	b := setup(t, publishResponse(platformtest.Response{
		Status: http.StatusForbidden, Body: `{"title":"Forbidden","status":403,"type":"about:blank",` +
			`"detail":"You attempted to reply to a Tweet that is deleted or not visible to you."}`,
	}))
	for age, want := range map[time.Duration]platform.Class{
		time.Second: platform.ClassTransient, 2 * time.Minute: platform.ClassRejected,
	} {
		b.content.ReplyTo = below(post.PartReply, created(now().Add(-age)))
		_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
		require.Equal(t, want, platformtest.Failure(t, err).Class, age)
	}
	b.content.ReplyTo = nil
	_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, "CONTENT_REFUSED", platformtest.Failure(t, err).Code)
}

// TestReconcileReply checks that a post is found only below its parent.
func TestReconcileReply(t *testing.T) {
	t.Parallel()

	under := func(parent string) string {
		return `,"referenced_tweets":[{"type":"replied_to","id":"` + parent + `"}]`
	}
	const link = `,"entities":{"urls":[{"url":"https://t.co/q","expanded_url":"https://twitter.com/acme/status/6"}]}`
	const quote = `,"referenced_tweets":[{"type":"quoted","id":"6"}]` + link
	for name, test := range map[string]struct {
		to   *platform.ReplyTo
		post string
		want platform.Evidence
	}{
		"below the parent":  {below(post.PartReply, "6"), listed("7", "Hello", 0, under("6")), platform.EvidenceFound},
		"with the own name": {below(post.PartReply, "6"), listed("7", "@acme Hello", 0, under("6")), platform.EvidenceFound},
		"in the newer words": {
			below(post.PartReply, "6"), listed("7", "Hello", 0, strings.Replace(under("6"), "tweets", "posts", 1)), platform.EvidenceFound,
		},
		"below another":         {below(post.PartReply, "6"), listed("7", "Hello", 0, under("5")), platform.EvidenceAbsent},
		"of unknown place":      {below(post.PartReply, "6"), listed("7", "Hello", 0, ""), platform.EvidenceUnclear},
		"a quote":               {below(post.PartReply, "6"), listed("7", "Hello https://t.co/q", 0, quote), platform.EvidenceAbsent},
		"another text":          {below(post.PartReply, "6"), listed("7", "Bye", 0, ""), platform.EvidenceAbsent},
		"a post of its own":     {nil, listed("7", "Hello", 0, ""), platform.EvidenceFound},
		"a reply, not the post": {nil, listed("7", "Hello", 0, under("5")), platform.EvidenceAbsent},
		"a post, not by name":   {nil, listed("7", "@acme Hello", 0, ""), platform.EvidenceAbsent},
		"a quote, not the post": {nil, listed("7", "Hello https://t.co/q", 0, quote), platform.EvidenceAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{listCall: {page("", test.post)}})
			b.content.ReplyTo = test.to
			evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Contains(t, b.script.Requests()[0].Query.Get("tweet.fields"), "referenced_tweets")
			require.Equal(t, "retweets", b.script.Requests()[0].Query.Get("exclude"), "replies are listed")
		})
	}
}

// TestReconcileQuote checks that a quote is found although X ends its text with a link to the quoted post.
func TestReconcileQuote(t *testing.T) {
	t.Parallel()

	const ref = `,"referenced_tweets":[{"type":"quoted","id":"6"}]`
	const link = `,"entities":{"urls":[{"url":"https://t.co/q","expanded_url":"https://twitter.com/acme/status/6"}]}`
	const text = "Hello https://t.co/q"
	for name, test := range map[string]struct {
		post string
		want platform.Evidence
	}{
		"with the link":    {listed("7", text, 0, ref+link), platform.EvidenceFound},
		"in newer words":   {listed("7", text, 0, strings.Replace(ref, "tweets", "posts", 1)+link), platform.EvidenceFound},
		"without the link": {listed("7", "Hello", 0, ref), platform.EvidenceFound},
		"by the link only": {listed("7", text, 0, link), platform.EvidenceFound},
		"another text":     {listed("7", "Bye https://t.co/q", 0, ref+link), platform.EvidenceUnclear},
		"of another post":  {listed("7", text, 0, strings.ReplaceAll(ref+link, "6", "5")), platform.EvidenceAbsent},
		"no quote":         {listed("7", "Hello", 0, ""), platform.EvidenceUnclear},
		"another post":     {listed("7", "Bye", 0, ""), platform.EvidenceAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{listCall: {page("", test.post)}})
			b.content.Options.Quote = "https://x.com/acme/status/6"
			evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
		})
	}
}
