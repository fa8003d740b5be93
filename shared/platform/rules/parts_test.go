package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// under makes the content a part of the kind.
func under(kind post.PartKind) func(*platform.Content) {
	return func(c *platform.Content) { c.ReplyTo = &platform.ReplyTo{Kind: kind} }
}

var reply, comment = under(post.PartReply), under(post.PartComment)

// TestReplies checks which networks have threads and first comments.
func TestReplies(t *testing.T) {
	t.Parallel()

	threads := []channel.Type{channel.Twitter, channel.Threads, channel.Bluesky, channel.Mastodon}
	comments := append([]channel.Type{
		channel.FacebookPage, channel.InstagramProfessional, channel.LinkedInProfile, channel.LinkedInPage, channel.YouTube,
	}, threads...)
	table := connectors.Rules()
	for _, row := range table.All() {
		require.Equal(t, slices.Contains(threads, row.Type), table.Replies(row.Type, post.PartReply), "%s", row.Type)
		require.Equal(t, slices.Contains(comments, row.Type), table.Replies(row.Type, post.PartComment), "%s", row.Type)
		require.True(t, table.Replies(row.Type, post.PartRoot), "%s", row.Type)
	}
	require.False(t, table.Replies("NEW_NETWORK", post.PartRoot))
}

// TestRepliesHaveTheRulesOfPosts checks that a reply is checked as a post is.
func TestRepliesHaveTheRulesOfPosts(t *testing.T) {
	t.Parallel()

	cases{
		"text":           {posted(reply, letters(280)), nil},
		"text too long":  {posted(reply, letters(281)), []string{"content"}},
		"empty":          {posted(reply), []string{"content"}},
		"photos":         {posted(reply, jpegs(4)), nil},
		"too many files": {posted(reply, jpegs(5)), []string{"mediaIds"}},
		"long text":      {posted(reply, letters(281), options(post.Options{LongText: yes()})), nil},
	}.run(t, channel.Twitter)
	cases{
		"text": {posted(reply, text("2/5")), []string{"content"}},
	}.run(t, channel.FacebookPage, channel.TelegramChannel, channel.LinkedInPage, channel.TikTokPersonal)
}

// TestComments checks the rules of first comments, which have limits of their own or those of a text post.
func TestComments(t *testing.T) {
	t.Parallel()

	longest := map[channel.Type]int{
		channel.FacebookPage: 8_000, channel.InstagramProfessional: 2_200, channel.LinkedInProfile: 1_250,
		channel.LinkedInPage: 1_250, channel.YouTube: 10_000, channel.Twitter: 280, channel.Threads: 500, channel.Bluesky: 300,
	}
	for typ, most := range longest {
		cases{
			"text":          {posted(comment, letters(most)), nil},
			"text too long": {posted(comment, letters(most+1)), []string{"content"}},
			"empty":         {posted(comment, text(" \n")), []string{"content"}},
			"with a file":   {posted(comment, text("See"), jpegs(1)), []string{"mediaIds"}},
		}.run(t, typ)
		length, ok := connectors.Rules().TextLength(typ, posted(comment, letters(most+2)))
		require.True(t, ok)
		require.Equal(t, []int{most + 2, most, most}, []int{length.Used, length.Max, length.Fits}, "%s", typ)
	}
	cases{
		"text":          {posted(comment, letters(500)), nil},
		"text too long": {posted(comment, letters(501)), []string{"content?"}},
	}.run(t, channel.Mastodon)
	cases{
		"in a story": {story(comment, text("First")), []string{"content"}},
		"in a reel":  {reel(comment, text("First")), nil},
	}.run(t, channel.InstagramProfessional, channel.FacebookPage)
	cases{
		"most hashtags":     {posted(comment, text(strings.Repeat("#a ", 30))), nil},
		"too many hashtags": {posted(comment, text(strings.Repeat("#a ", 31))), []string{"content"}},
	}.run(t, channel.InstagramProfessional)
	cases{
		"less than": {videoPost(comment, text("1 < 2")), nil},
	}.run(t, channel.YouTube)
	cases{
		"text": {posted(comment, text("First")), []string{"content"}},
	}.run(t, channel.TelegramChannel, channel.Pinterest, channel.GoogleBusiness, channel.TikTokBusiness)
}

// TestPartsCostAsPosts checks that X bills each part.
func TestPartsCostAsPosts(t *testing.T) {
	t.Parallel()

	for content, want := range map[string]int{"2/5": 15, "See https://example.com": 200} {
		for _, part := range []func(*platform.Content){reply, comment} {
			cost, charged := connectors.Rules().Cost(channel.Twitter, posted(part, text(content)))
			require.True(t, charged)
			require.Equal(t, rules.Cost{Thousandths: want, Currency: "USD"}, cost)
		}
	}
}
