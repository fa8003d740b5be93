package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/connectors"
)

func poll(choices ...string) post.Options { return post.Options{PollOptions: choices} }

func minutes(of int64, o post.Options) post.Options {
	o.PollMinutes = &of
	return o
}

// TestPolls checks polls at the limits of each network.
func TestPolls(t *testing.T) {
	t.Parallel()
	two, long := poll("Blue", "Green"), func(n int) post.Options { return poll("Blue", strings.Repeat("a", n)) }
	cases{
		"poll":               {posted(text("a"), options(two)), nil},
		"without a text":     {posted(options(two)), []string{"content"}},
		"one answer":         {posted(text("a"), options(poll("Blue"))), []string{"options/pollOptions"}},
		"five answers":       {posted(text("a"), options(poll("1", "2", "3", "4", "5"))), []string{"options/pollOptions"}},
		"the same twice":     {posted(text("a"), options(poll("Blue", "Blue"))), []string{"options/pollOptions"}},
		"an empty answer":    {posted(text("a"), options(poll("Blue", " "))), []string{"options/pollOptions"}},
		"longest answer":     {posted(text("a"), options(long(25))), nil},
		"answer too long":    {posted(text("a"), options(long(26))), []string{"options/pollOptions"}},
		"with a picture":     {posted(text("a"), jpegs(1), options(two)), []string{"options/pollOptions"}},
		"shortest":           {posted(text("a"), options(minutes(5, two))), nil},
		"too short":          {posted(text("a"), options(minutes(4, two))), []string{"options/pollMinutes"}},
		"longest":            {posted(text("a"), options(minutes(10_080, two))), nil},
		"too long":           {posted(text("a"), options(minutes(10_081, two))), []string{"options/pollMinutes"}},
		"minutes without it": {posted(text("a"), options(minutes(60, post.Options{}))), []string{"options/pollMinutes"}},
		"several answers": {
			posted(text("a"), options(post.Options{PollOptions: two.PollOptions, PollMultiple: yes()})),
			[]string{"options/pollMultiple"},
		},
		"and a quote": {
			posted(text("a"), options(post.Options{PollOptions: two.PollOptions, Quote: "https://x.com/acme/status/1"})),
			[]string{"options/pollOptions"},
		},
	}.run(t, channel.Twitter)
	cases{
		"poll":            {posted(text("a"), options(two)), nil},
		"answer too long": {posted(text("a"), options(long(26))), []string{"options/pollOptions"}},
		"minutes":         {posted(text("a"), options(minutes(60, two))), []string{"options/pollMinutes"}},
		"and a card": {
			posted(text("a"), options(post.Options{PollOptions: two.PollOptions, Link: "https://example.com"})),
			[]string{"options/pollOptions"},
		},
	}.run(t, channel.Threads)
	cases{
		"poll": {
			posted(text("a"), options(minutes(60, post.Options{PollOptions: two.PollOptions, PollMultiple: yes()}))), nil,
		},
		"longest answer":  {posted(text("a"), options(long(50))), nil},
		"answer too long": {posted(text("a"), options(long(51))), []string{"options/pollOptions"}},
	}.run(t, channel.Mastodon)
	question := func(o post.Options) post.Options {
		o.PollQuestion = "Which?"
		return o
	}
	cases{
		"poll":               {posted(text("a"), options(question(minutes(4_320, two)))), nil},
		"without a question": {posted(text("a"), options(two)), []string{"options/pollQuestion"}},
		"question alone":     {posted(text("a"), options(question(post.Options{}))), []string{"options/pollQuestion"}},
		"another duration":   {posted(text("a"), options(question(minutes(60, two)))), []string{"options/pollMinutes"}},
		"answer too long":    {posted(text("a"), options(question(long(31)))), []string{"options/pollOptions"}},
	}.run(t, channel.LinkedInPage)
	cases{
		"twelve answers":    {posted(text("a"), options(poll(strings.Split("abcdefghijkl", "")...))), nil},
		"thirteen answers":  {posted(text("a"), options(poll(strings.Split("abcdefghijklm", "")...))), []string{"options/pollOptions"}},
		"longest question":  {posted(letters(300), options(two)), nil},
		"question too long": {posted(letters(301), options(two)), []string{"content"}},
	}.run(t, channel.TelegramChannel)
}

// TestSettings checks the other options that several networks have.
func TestSettings(t *testing.T) {
	t.Parallel()
	cases{
		"replies":           {posted(text("a"), options(post.Options{Replies: "verified"})), nil},
		"other replies":     {posted(text("a"), options(post.Options{Replies: "followers"})), []string{"options/replies"}},
		"quote":             {posted(text("a"), options(post.Options{Quote: "https://x.com/acme/status/12?s=20"})), nil},
		"quote of an image": {posted(text("a"), jpegs(1), options(post.Options{Quote: "https://x.com/a/status/1"})), []string{"options/quote"}},
		"quote of a page":   {posted(text("a"), options(post.Options{Quote: "https://example.com/status/1"})), []string{"options/quote"}},
		"quote and long text without a subscription": {
			posted(text("a"), options(post.Options{Quote: "https://example.com", LongText: yes()}), subscribed(false)),
			[]string{"options/longText", "options/quote"},
		},
		"labels": {posted(text("a"), options(post.Options{AIGenerated: yes(), BrandContent: yes()})), nil},
	}.run(t, channel.Twitter)
	cases{
		"replies":  {posted(text("a"), options(post.Options{Replies: "followers"})), nil},
		"topic":    {posted(text("a"), options(post.Options{TopicTag: "Home tiles"})), nil},
		"no topic": {posted(text("a"), options(post.Options{TopicTag: "a.b"})), []string{"options/topicTag"}},
		"spoiler":  {posted(jpegs(1), options(post.Options{Sensitive: yes()})), nil},
	}.run(t, channel.Threads)
	cases{
		"replies":     {posted(text("a"), options(post.Options{Replies: "none"})), nil},
		"label":       {posted(jpegs(1), options(post.Options{ContentLabel: "nudity"})), nil},
		"other label": {posted(jpegs(1), options(post.Options{ContentLabel: "art"})), []string{"options/contentLabel"}},
		"language":    {posted(text("a"), options(post.Options{Language: "pt-BR"})), nil},
		"no language": {posted(text("a"), options(post.Options{Language: "English"})), []string{"options/language"}},
		"quote": {
			posted(jpegs(1), options(post.Options{Quote: "https://bsky.app/profile/acme.bsky.social/post/3kaaaaaaaaaa2"})), nil,
		},
		"quote of a page": {posted(text("a"), options(post.Options{Quote: "https://example.com"})), []string{"options/quote"}},
		"a poll":          {posted(text("a"), options(poll("1", "2"))), []string{"options/pollOptions"}},
	}.run(t, channel.Bluesky)
	cases{
		"visibility":       {posted(text("a"), options(post.Options{Visibility: "private"})), nil},
		"other visibility": {posted(text("a"), options(post.Options{Visibility: "direct"})), []string{"options/visibility"}},
		"warning":          {posted(text("a"), options(post.Options{ContentWarning: "Food", Sensitive: yes()})), nil},
	}.run(t, channel.Mastodon)
	cases{
		"collaborators": {
			reel(mp4s(1), options(post.Options{Collaborators: []string{"a", "b", "c"}, UserTags: []string{"d"}, LocationID: "1"})), nil,
		},
		"four collaborators": {
			posted(jpegs(1), options(post.Options{Collaborators: []string{"a", "b", "c", "d"}})), []string{"options/collaborators"},
		},
		"no user names":  {posted(jpegs(1), options(post.Options{UserTags: []string{"@a"}})), []string{"options/userTags"}},
		"no id":          {posted(jpegs(1), options(post.Options{LocationID: "Berlin"})), []string{"options/locationId"}},
		"story":          {story(jpegs(1), options(post.Options{LocationID: "1", AIGenerated: yes()})), []string{"options/locationId?", "options/aiGenerated?"}},
		"trial":          {reel(mp4s(1), options(post.Options{TrialReel: "manual"})), nil},
		"trial of photo": {posted(jpegs(1), options(post.Options{TrialReel: "manual"})), []string{"options/trialReel"}},
		"trial in the feed": {
			reel(mp4s(1), options(post.Options{TrialReel: "automatic", ShareToFeed: no()})), []string{"options/trialReel"},
		},
	}.run(t, channel.InstagramProfessional)
	cases{
		"tags":          {videoPost(mp4s(1), title("T"), options(post.Options{Tags: []string{"a", "b c"}, AIGenerated: yes()})), nil},
		"tags too long": {videoPost(mp4s(1), title("T"), options(post.Options{Tags: []string{strings.Repeat("a", 300), strings.Repeat("b ", 99) + "b"}})), []string{"options/tags"}},
		"wrong tag":     {videoPost(mp4s(1), title("T"), options(post.Options{Tags: []string{"<b>"}})), []string{"options/tags"}},
	}.run(t, channel.YouTube)
	cases{
		"label":           {videoPost(mp4s(1), options(post.Options{AIGenerated: yes()})), nil},
		"label of photos": {posted(jpegs(1), options(post.Options{AIGenerated: yes()})), []string{"options/aiGenerated?"}},
		"label of a draft": {
			videoPost(mp4s(1), options(post.Options{AIGenerated: yes(), UploadToDraft: yes()})), []string{"options/aiGenerated?"},
		},
	}.run(t, channel.TikTokPersonal)
	cases{
		"silent":  {posted(text("a"), options(post.Options{Silent: yes(), Protected: yes(), LinkPreview: "none"})), nil},
		"preview": {posted(jpegs(1), options(post.Options{LinkPreview: "none"})), []string{"options/linkPreview?"}},
	}.run(t, channel.TelegramChannel)
}

// TestOptionsAreDescribed checks the texts for the API's description and for tools.
func TestOptionsAreDescribed(t *testing.T) {
	t.Parallel()
	described := connectors.Rules().Describe()
	require.Equal(t, "LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube: "+
		"visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not in "+
		"public lists, or followers: public, unlisted or private.", described["visibility"].Text)
	require.Equal(t, []string{"PUBLIC", "CONNECTIONS", "public", "unlisted", "private"}, described["visibility"].Values)
	require.Contains(t, described["sensitive"].Text, "Threads, Telegram and Mastodon: whether")
	require.Equal(t, 12, described["pollOptions"].Range.Max)
	names := connectors.Rules().OptionNames()
	require.Contains(t, names, "boardId (required)")
	require.Contains(t, names, "visibility (PUBLIC, CONNECTIONS)")
	require.NotContains(t, names, "..")
}
