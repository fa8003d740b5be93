package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
)

// settled publishes posts with options and reads what the network got.
type settled struct {
	b        *bundle
	registry *platform.Registry
}

func newSettled(t *testing.T) *settled {
	t.Helper()
	sandbox := start(t, t.TempDir())
	registry, err := connectors.New(connectors.Environment{SandboxURL: sandbox.URL}, clock.System(), 0)
	require.NoError(t, err)
	return &settled{b: &bundle{server: newServerAt(sandbox.URL)}, registry: registry}
}

// publish publishes a post, which the rules accept, and returns it as the network has it.
func (s *settled) publish(t *testing.T, kind channel.Type, o post.Options, pictures int) map[string]any {
	t.Helper()
	content := platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Tiles " + ident.New[ident.Post]().String(), Options: o}
	attached := platformtest.Pictures(t, pictures)
	for _, one := range attached {
		content.Media = append(content.Media, one.Asset)
	}
	if pictures > 0 {
		content.Files = platformtest.Files(t, attached...)
	}
	for _, found := range connectors.Rules().Check(kind, content) {
		require.True(t, found.Warning, found.Message)
	}
	connector, ok := s.registry.For(channel.Channel{Type: kind})
	require.True(t, ok)
	a := author{connector: connector}
	published, err := a.send(t, reader(kind, "acme"), content)
	require.NoError(t, err)
	for _, one := range s.b.posts(t, "?platform="+string(kind.Network())) {
		if strings.HasSuffix(published.ExternalID, textOf(one["id"])) {
			return one
		}
	}
	require.Fail(t, "the network has no such post", published.ExternalID)
	return nil
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

// TestNetworksGetTheOptions publishes a post with each option that several networks have.
func TestNetworksGetTheOptions(t *testing.T) {
	t.Parallel()
	s := newSettled(t)
	yes, hour := true, int64(60)
	poll := []string{"Blue", "Green"}
	for name, test := range map[string]struct {
		kind     channel.Type
		options  post.Options
		pictures int
		want     map[string]any
	}{
		"X": {channel.Twitter, post.Options{
			Replies: "mentioned", PollOptions: poll, PollMinutes: &hour, AIGenerated: &yes, BrandContent: &yes,
		}, 0, map[string]any{
			"reply_settings": "mentionedUsers", "poll": "Blue / Green", "poll_minutes": "60", "made_with_ai": "true",
			"paid_partnership": "true",
		}},
		"X, everyone": {channel.Twitter, post.Options{Replies: "everyone"}, 1, nil},
		"Threads": {channel.Threads, post.Options{Replies: "followers", PollOptions: poll, TopicTag: "Tiles"}, 0, map[string]any{
			"reply_control": "followers_only", "poll_attachment": `{"option_a":"Blue","option_b":"Green"}`, "topic_tag": "Tiles",
		}},
		"Threads, spoiler": {channel.Threads, post.Options{Sensitive: &yes}, 2, map[string]any{"is_spoiler_media": "true"}},
		"Threads, card": {channel.Threads, post.Options{Link: "https://example.com/a"}, 0, map[string]any{
			"link_attachment": "https://example.com/a",
		}},
		"Bluesky": {channel.Bluesky, post.Options{Replies: "following", ContentLabel: "nudity", Language: "pt-BR"}, 1, map[string]any{
			"threadgate": "[followingRule]", "labels": "nudity", "langs": "pt-BR",
		}},
		"Bluesky, no replies": {channel.Bluesky, post.Options{Replies: "none"}, 0, map[string]any{"threadgate": "[]"}},
		"Bluesky, everyone":   {channel.Bluesky, post.Options{Replies: "everyone"}, 0, nil},
		"Mastodon": {channel.Mastodon, post.Options{
			ContentWarning: "Food", Language: "en", PollOptions: poll, PollMultiple: &yes,
		}, 0, map[string]any{
			"spoiler_text": "Food", "sensitive": "true", "language": "en", "poll": "Blue / Green", "poll_seconds": "86400",
			"poll_multiple": "true",
		}},
		"Mastodon, media": {channel.Mastodon, post.Options{Sensitive: &yes}, 1, map[string]any{"sensitive": "true"}},
		"LinkedIn": {channel.LinkedInPage, post.Options{PollOptions: poll, PollQuestion: "Which?"}, 0, map[string]any{
			"poll": "Which? Blue / Green", "poll_duration": "ONE_DAY",
		}},
		"Instagram": {channel.InstagramProfessional, post.Options{
			Collaborators: []string{"mara.l"}, UserTags: []string{"ada"}, LocationID: "123", AIGenerated: &yes,
		}, 1, map[string]any{
			"collaborators": `["mara.l"]`, "user_tags": `[{"username":"ada","x":0.5,"y":0.5}]`, "location_id": "123",
			"is_ai_generated": "true",
		}},
		"Instagram, carousel": {channel.InstagramProfessional, post.Options{
			Collaborators: []string{"mara.l"}, UserTags: []string{"ada", "bea"},
		}, 2, map[string]any{"collaborators": `["mara.l"]`}},
		"Telegram": {channel.TelegramChannel, post.Options{Silent: &yes, Protected: &yes, LinkPreview: "above"}, 0, map[string]any{
			"disable_notification": "true", "protect_content": "true", "link_preview_options": `{"show_above_text":true}`,
		}},
		"Telegram, spoiler": {channel.TelegramChannel, post.Options{Silent: &yes, Sensitive: &yes}, 1, map[string]any{
			"disable_notification": "true", "has_spoiler": "true",
		}},
		"Telegram, poll": {channel.TelegramChannel, post.Options{PollOptions: poll, PollMultiple: &yes}, 0, map[string]any{
			"poll": "Blue / Green", "allows_multiple_answers": "true",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := s.publish(t, test.kind, test.options, test.pictures)["details"].(map[string]any)
			require.Equal(t, test.want, got)
		})
	}
	t.Run("Mastodon, visibility", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "private", s.publish(t, channel.Mastodon, post.Options{Visibility: "private"}, 0)["visibility"])
	})
}

// TestQuotes quotes an earlier post by its address.
func TestQuotes(t *testing.T) {
	t.Parallel()
	s := newSettled(t)
	first := textOf(s.publish(t, channel.Twitter, post.Options{}, 0)["id"])
	second := s.publish(t, channel.Twitter, post.Options{Quote: "https://x.com/acme/status/" + first + "?s=20"}, 0)
	require.Equal(t, map[string]any{"quote_tweet_id": first}, second["details"])
	quoter, _ := s.registry.For(channel.Channel{Type: channel.Twitter})
	evidence, found, err := quoter.Reconcile(t.Context(), reader(channel.Twitter, "acme"), platform.Content{
		Text: textOf(second["text"]), Options: post.Options{Quote: "https://x.com/acme/status/" + first},
	}, platform.Sent{Text: textOf(second["text"]), At: time.Now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, second["id"], found.ExternalID)

	root := s.publish(t, channel.Bluesky, post.Options{}, 0)
	key, did := textOf(root["id"]), textOf(root["account"])
	uri := "at://" + did + "/app.bsky.feed.post/" + key
	for name, author := range map[string]string{"handle": "acme.sandbox.test", "DID": did} {
		for _, pictures := range []int{0, 2} {
			got := s.publish(t, channel.Bluesky, post.Options{Quote: "https://bsky.app/profile/" + author + "/post/" + key}, pictures)
			require.Equal(t, map[string]any{"quote": uri}, got["details"], name)
			files, _ := got["media"].([]any)
			require.Len(t, files, pictures)
		}
	}
	connector, _ := s.registry.For(channel.Channel{Type: channel.Bluesky})
	_, err = connector.Prepare(t.Context(), reader(channel.Bluesky, "acme"), platform.Content{
		PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "a", Media: []media.Asset{},
		Options: post.Options{Quote: "https://bsky.app/profile/" + did + "/post/3kaaaaaaaaaa2"},
	}, "")
	require.ErrorContains(t, err, "does not exist on Bluesky")
}
