package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// described gives every attachment an alternative text of n characters.
func described(n int) func(*platform.Content) {
	return func(c *platform.Content) {
		for i := range c.Media {
			c.Media[i].AltText = strings.Repeat("é", n)
		}
	}
}

// TestAltTexts checks each network at its limit and one beyond it, and attachments without a text on the network.
func TestAltTexts(t *testing.T) {
	t.Parallel()
	pinned := options(post.Options{BoardID: "1"})
	for typ, c := range map[channel.Type]cases{
		channel.Twitter: {
			"images":   {posted(jpegs(2), described(1_000)), nil},
			"too long": {posted(jpegs(2), described(1_001)), []string{"mediaIds/0", "mediaIds/1"}},
			"a GIF":    {posted(gifs(1), described(1_000)), nil},
			"a video":  {posted(mp4s(1), described(1)), []string{"mediaIds/0?"}},
		},
		channel.FacebookPage: {
			"images":  {posted(jpegs(2), gifs(1), described(media.LongestAltText)), nil},
			"a video": {posted(mp4s(1), described(1)), []string{"mediaIds/0?"}},
			"a story": {story(jpegs(1), described(1)), []string{"mediaIds/0?"}},
		},
		channel.InstagramProfessional: {
			"an album": {posted(jpegs(1), mp4s(1), described(1_000)), []string{"mediaIds/1?"}},
			"too long": {posted(jpegs(1), described(1_001)), []string{"mediaIds/0"}},
			"a story":  {story(jpegs(1), described(1)), []string{"mediaIds/0?"}},
		},
		channel.Threads: {
			"an album": {posted(jpegs(1), mp4s(1), described(1_000)), nil},
			"too long": {posted(jpegs(1), mp4s(1), described(1_001)), []string{"mediaIds/0", "mediaIds/1"}},
		},
		channel.LinkedInProfile: {
			"images":     {posted(jpegs(1), gifs(1), described(media.LongestAltText)), nil},
			"a document": {posted(pdfs(1), described(1)), []string{"mediaIds/0?"}},
		},
		channel.Pinterest: {
			"an image": {posted(jpegs(1), pinned, described(500)), nil},
			"too long": {posted(jpegs(1), pinned, described(501)), []string{"mediaIds/0"}},
		},
		channel.TelegramChannel: {
			"an album": {posted(jpegs(2), described(1)), []string{"mediaIds?"}},
			"a blank":  {posted(jpegs(2), func(c *platform.Content) { c.Media[1].AltText = " \n" }), nil},
		},
		channel.YouTube:        {"a video": {videoPost(mp4s(1), title("T"), described(1)), []string{"mediaIds?"}}},
		channel.TikTokPersonal: {"photos": {posted(jpegs(2), described(1)), []string{"mediaIds?"}}},
		channel.GoogleBusiness: {"a photo": {posted(jpegs(1), described(1)), []string{"mediaIds?"}}},
	} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			c.run(t, typ)
		})
	}
}

// TestMessagesOfAltTexts checks the messages in full.
func TestMessagesOfAltTexts(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		typ     channel.Type
		content platform.Content
	}{
		"Telegram takes no alternative texts; those of the attachments will be omitted.": {
			channel.TelegramChannel, posted(jpegs(1), described(1)),
		},
		"Facebook takes no alternative texts of images in a post of type STORY; that of attachment 1 will be omitted.": {
			channel.FacebookPage, story(jpegs(1), described(1)),
		},
		"The alternative text of attachment 1 is 1 character too long for X: it has 1,001, and 1,000 are allowed. Shorten it.": {
			channel.Twitter, posted(jpegs(1), described(1_001)),
		},
	} {
		findings := connectors.Rules().Check(c.typ, c.content)
		require.Len(t, findings, 1)
		require.Equal(t, want, findings[0].Message)
	}
	require.Equal(t, "images and GIFs, up to 1,000 characters",
		rules.AltText{Of: []media.Type{media.Image, media.GIF}, Max: 1_000}.String())
	require.Equal(t, "images", rules.AltText{Of: []media.Type{media.Image}, Max: 4_086}.String(),
		"the service stores no longer ones")
}
