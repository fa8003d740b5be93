package rules_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// TestMessages checks that each message names the cause and the remedy.
func TestMessages(t *testing.T) {
	t.Parallel()

	photo := func(format rules.Format, size int64) func(*platform.Content) {
		return file(1, media.Image, format, size)
	}
	for _, test := range []struct {
		typ     channel.Type
		content platform.Content
		want    string
	}{
		{channel.Twitter, posted(), "X does not publish an empty post; write some text or attach media."},
		{channel.Twitter, story(text("a")), "X accepts posts of type POST or VIDEO; this one is STORY. Change the type."},
		{
			channel.Twitter, posted(letters(283)),
			"The text is 3 characters too long for X: it counts as 283, and 280 are allowed. Shorten it. Emoji and most " +
				"Asian characters count as 2, any link as 23.",
		},
		{
			channel.Twitter, posted(jpegs(5)),
			"X accepts up to 4 images, 1 GIF or 1 video in a post of type POST; this one has 5 images. Remove 1.",
		},
		{
			channel.Twitter, posted(jpegs(2), mp4s(1)),
			"X accepts up to 4 images, 1 GIF or 1 video in a post of type POST; this one has 2 images and 1 video. Keep " +
				"one kind.",
		},
		{
			channel.Twitter, posted(pdfs(2), jpegs(1)),
			"X accepts up to 4 images, 1 GIF or 1 video in a post of type POST; this one has 2 documents and 1 image. Remove " +
				"the documents.",
		},
		{
			channel.Twitter, videoPost(),
			"X accepts 1 video in a post of type VIDEO; this one has none. Attach the missing files.",
		},
		{
			channel.Twitter, posted(photo(rules.PNG, 5*mB+1)),
			"Attachment 1, a PNG image of 5.1 MB, is sent to X as JPEG of up to 5 MB.",
		},
		{
			channel.Twitter, posted(file(1, media.GIF, rules.GIF, 15*mB+1)),
			"Attachment 1 has 15.1 MB, and X accepts GIFs of up to 15 MB. Make it smaller.",
		},
		{channel.Twitter, posted(text("$A $B")), "The text seems to have 2 cashtags, and X allows 1. Remove 1 to be sure."},
		{
			channel.Twitter, posted(text("a\uFFFE")),
			"The text contains an invisible character (a byte order mark), which X rejects. Remove it.",
		},
		{channel.Twitter, posted(text("a"), title("T")), "Text posts on X have no title; it will be omitted."},
		{channel.Twitter, posted(text("a"), options(post.Options{BoardID: "1"})), "X has no option boardId; remove it."},
		{
			channel.TelegramChannel, posted(jpegs(1), letters(1_025)),
			"The text is 1 character too long for Telegram with this media: it counts as 1,025, and 1,024 are allowed. " +
				"Shorten it. Most emoji count as 2 or more.",
		},
		{
			channel.InstagramProfessional, posted(photo(rules.PNG, 1)),
			"Attachment 1, a PNG image, is sent to Instagram as JPEG.",
		},
		{
			channel.InstagramProfessional, posted(photo(rules.PNG, 1), sized(1_080, 1_350)),
			"Attachment 1, a PNG image, is sent to Instagram as JPEG, 1,080 × 1,350 pixels.",
		},
		{
			channel.InstagramProfessional, posted(photo(rules.HEIC, 9*mB), sized(4_000, 5_000)),
			"Attachment 1, a HEIC image of 9 MB with 4,000 × 5,000 pixels, is sent to Instagram as JPEG of up to 8 MB, " +
				"1,440 × 1,800 pixels.",
		},
		{
			channel.InstagramProfessional, reel(file(1, media.Video, rules.WebM, 1)),
			"Attachment 1 is a WebM video, which Instagram does not accept. Convert it to MP4 or MOV.",
		},
		{channel.InstagramProfessional, story(jpegs(1), text("a")), "Stories on Instagram have no text; it will be omitted."},
		{
			channel.Pinterest, posted(photo(rules.WebP, 1), options(post.Options{BoardID: "1"})),
			"Attachment 1, a WebP image, is sent to Pinterest as JPEG.",
		},
		{
			channel.FacebookPage, reel(file(1, media.Video, rules.MOV, 1)),
			"Attachment 1 is an MOV video, which Facebook may not accept. Convert it to MP4 to be sure.",
		},
		{
			channel.Pinterest, posted(gifs(1), options(post.Options{BoardID: "1"})),
			"Attachment 1 is a GIF, which Pinterest may not accept.",
		},
		{
			channel.Pinterest, posted(file(1, media.GIF, "image/x", 1), options(post.Options{BoardID: "1"})),
			"Attachment 1 is a GIF, which Pinterest does not accept. Convert it to GIF.",
		},
		{channel.Pinterest, posted(jpegs(1)), "Pinterest needs boardId, the board to pin to; add it."},
		{
			channel.Pinterest, posted(jpegs(1), options(post.Options{BoardID: "a b"})),
			"boardId must be an id of up to 32 digits. Copy it from the network's list.",
		},
		{
			channel.Pinterest, posted(jpegs(1), options(post.Options{BoardID: "1", Link: "x"})),
			"link must be an http or https URL of up to 2,048 characters.",
		},
		{
			channel.FacebookPage, posted(jpegs(12)),
			"Facebook may refuse a post with more than 10 attachments; this one has 12 images. Remove 2 to be sure.",
		},
		{
			channel.FacebookPage, videoPost(mp4s(1), titled(300)),
			"Facebook may refuse a title of more than 255 characters; this one has 300. Shorten it to be sure.",
		},
		{
			channel.LinkedInProfile, posted(file(1, media.GIF, rules.GIF, 9*mB)),
			"Attachment 1 has 9 MB, and LinkedIn may refuse GIFs of more than 8 MB. Make it smaller to be sure.",
		},
		{
			channel.LinkedInProfile, videoPost(file(1, media.Video, rules.MP4, 1_500)),
			"Attachment 1 has 1.4 kB, and LinkedIn expects videos of at least 75 kB. Use a larger one.",
		},
		{
			channel.LinkedInPage, posted(text("a"), options(post.Options{Visibility: "CONNECTIONS"})),
			"visibility must be PUBLIC.",
		},
		{channel.YouTube, videoPost(mp4s(1)), "Videos on YouTube need a title; write one."},
		{channel.YouTube, videoPost(mp4s(1), title("<")), "The title contains < or >, which YouTube rejects. Remove it."},
		{
			channel.YouTube, videoPost(mp4s(1), title("T"), options(post.Options{Visibility: "x"})),
			"visibility must be public, unlisted or private.",
		},
		{
			channel.YouTube, videoPost(mp4s(1), title("T"), options(post.Options{Category: "x"})),
			"category must be a number in digits: the number of YouTube's category, such as 22.",
		},
		{
			channel.TikTokPersonal, videoPost(mp4s(1), options(post.Options{UploadToDraft: yes(), AllowDuet: yes()})),
			"allowDuet has no effect with uploadToDraft; it will be omitted.",
		},
		{
			channel.TikTokPersonal, videoPost(mp4s(1), text("a"), options(post.Options{UploadToDraft: yes()})),
			"The text of a video is not sent with uploadToDraft; write it on TikTok.",
		},
		{
			channel.Bluesky, posted(text("a"), options(post.Options{LongText: yes()})),
			"Bluesky has no option longText; remove it.",
		},
		{
			channel.TikTokPersonal, posted(jpegs(1), options(post.Options{AllowStitch: yes()})),
			"allowStitch applies to videos only; it will be omitted.",
		},
		{
			channel.Twitter, posted(gifs(1), sized(1_281, 720)),
			"Attachment 1 has 1,281 × 720 pixels, and X accepts GIFs of up to 1,280 pixels in width. Scale it down.",
		},
		{
			channel.Twitter, posted(gifs(1), probed(media.Probe{Width: 1, Height: 1, Frames: 1_000})),
			"Attachment 1 has 1,000 frames, and X accepts GIFs of up to 350 frames. Leave some out.",
		},
		{
			channel.Twitter, posted(mp4s(1), lasting(140*second+instant)),
			"Attachment 1 lasts 140.1 seconds, and X accepts videos of 0.5 to 140 seconds. Shorten it.",
		},
		{
			channel.Twitter, posted(mp4s(1), lasting(second/2-instant)),
			"Attachment 1 lasts 0.4 seconds, and X accepts videos of 0.5 to 140 seconds. Use a longer one.",
		},
		{
			channel.Twitter, posted(mp4s(1), sized(1_920, 1_000)),
			"Attachment 1 has 1,920 × 1,000 pixels, and X expects videos of up to 1,280 pixels on the longer side. Scale it " +
				"down to be sure.",
		},
		{
			channel.InstagramProfessional, posted(jpegs(1), sized(2_000, 2_000)),
			"Attachment 1 has 2,000 × 2,000 pixels, and Instagram expects images of 320 to 1,440 pixels in width in a post " +
				"of type POST; it will be scaled.",
		},
		{
			channel.InstagramProfessional, posted(jpegs(1), sized(1_080, 1_920)),
			"Attachment 1 has 1,080 × 1,920 pixels, and Instagram accepts images of aspect ratio 3:4 to 1.91:1 in a post of " +
				"type POST. Crop it.",
		},
		{
			channel.InstagramProfessional, story(mp4s(1), lasting(minute+instant)),
			"Attachment 1 lasts 60.1 seconds, and Instagram accepts videos of 3 to 60 seconds in a post of type STORY. " +
				"Shorten it.",
		},
		{
			channel.InstagramProfessional, reel(mp4s(1), lasting(15*minute+instant)),
			"Attachment 1 lasts 15 minutes and 1 second, and Instagram accepts videos of 3 seconds to 15 minutes in a post " +
				"of type REEL. Shorten it.",
		},
		{
			channel.InstagramProfessional, posted(photos(size{1_080, 1_080}, size{1_080, 1_350})),
			"Attachment 2 has 1,080 × 1,350 pixels, and Instagram crops it to the shape of the first, which has 1,080 × " +
				"1,080 pixels. Crop it to choose the visible part.",
		},
		{
			channel.Pinterest, posted(photos(size{500, 500}, size{500, 501}), options(post.Options{BoardID: "1"})),
			"Attachment 2 has 500 × 501 pixels, and Pinterest accepts several images only of the same size; the first has " +
				"500 × 500 pixels. Scale them to one size.",
		},
		{
			channel.Pinterest, videoPost(mp4s(1), lasting(3*second+999*instant), options(post.Options{BoardID: "1"})),
			"Attachment 1 lasts 3.9 seconds, and Pinterest accepts videos of 4 seconds to 15 minutes. Use a longer one.",
		},
		{
			channel.LinkedInPage, posted(pdfs(1), probed(media.Probe{Frames: 301})),
			"Attachment 1 has 301 pages, and LinkedIn accepts documents of up to 300 pages. Leave some out.",
		},
		{
			channel.LinkedInPage, posted(jpegs(1), sized(8_000, 8_000)),
			"Attachment 1, a JPEG image with 8,000 × 8,000 pixels, is sent to LinkedIn as JPEG, at most 6,012 × 6,012 pixels.",
		},
		{
			channel.LinkedInPage, posted(gifs(1), sized(8_000, 8_000)),
			"Attachment 1 has 8,000 × 8,000 pixels, and LinkedIn accepts GIFs of up to 36,152,319 pixels in all. Scale it " +
				"down.",
		},
		{
			channel.TelegramChannel, posted(jpegs(1), sized(6_000, 6_000)),
			"Attachment 1, a JPEG image with 6,000 × 6,000 pixels, is sent to Telegram as JPEG, at most 5,000 × 5,000 pixels.",
		},
		{
			channel.YouTube, reel(mp4s(1), title("T"), lasting(3*minute+second)),
			"Attachment 1 lasts 3 minutes and 1 second, and YouTube expects videos of up to 3 minutes in a post of type " +
				"REEL; it will be a regular video.",
		},
		{
			channel.YouTube, videoPost(mp4s(1), title("T"), lasting(13*time.Hour+minute)),
			"Attachment 1 lasts 13 hours and 1 minute, and YouTube accepts videos of up to 12 hours in a post of type VIDEO. " +
				"Shorten it.",
		},
		{
			channel.GoogleBusiness, posted(jpegs(1), sized(200, 300)),
			"Attachment 1 has 200 × 300 pixels, and Google Business expects images of at least 250 pixels in width. Use a " +
				"larger one to be sure.",
		},
		{
			channel.GoogleBusiness, posted(text("+49 30 901820")),
			"The text seems to have 1 phone number, and Google Business allows none. Remove 1 to be sure.",
		},
		{
			channel.GoogleBusiness, posted(mp4s(1)),
			"Google Business accepts 1 image in a post of type POST; this one has 1 video. Remove the video.",
		},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Parallel()

			findings := connectors.Rules().Check(test.typ, test.content)
			require.Len(t, findings, 1)
			require.Equal(t, test.want, findings[0].Message)
		})
	}
}
