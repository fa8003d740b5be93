package bluesky

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

// Limits of the lexicons app.bsky.feed.post, app.bsky.embed.images, app.bsky.embed.gallery and app.bsky.embed.video. Their
// sizes are decimal.
const (
	longestText      = 300  // graphemes
	longestTextBytes = 3000 // of UTF-8
	mostImages       = 4    // of app.bsky.embed.images, which older applications show too
	mostInGallery    = 10
	largestImage     = 2_000_000
	largestVideo     = 300_000_000
	postsPerDay      = 35_000 / 3 // points a day, each creation takes 3 (https://docs.bsky.app/docs/advanced-guides/rate-limits)
)

func row() rules.Row {
	text := rules.Text{Max: longestText, Count: rules.Graphemes(), Bytes: longestTextBytes}
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG, rules.WebP}, Max: largestImage,
	}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4}, Max: largestVideo,
		Length: rules.Length{Max: 3 * time.Minute},
	}
	gif := rules.File{
		Type: media.GIF, Formats: []rules.Format{rules.GIF}, Animated: true, Max: largestWhole, Length: video.Length,
	}
	return rules.Row{
		Type: channel.Bluesky, Name: "Bluesky",
		Forms: []rules.Form{
			{Name: "Text posts", As: rules.As(post.ContentPost), Text: text},
			{Name: "Photo posts", As: rules.As(post.ContentPost), Media: rules.UpTo(mostInGallery, picture), Text: text},
			{Name: "GIF posts", As: rules.As(post.ContentPost), Media: rules.One(gif), Text: text},
			{Name: "Videos", As: rules.As(post.ContentPost, post.ContentVideo), Media: rules.One(video), Text: text},
		},
		Reply: text, Threads: true,
		Options: []rules.Option{
			rules.Replies(everyone, "following", "followers", "mentioned", authorOnly),
			{
				Name: "contentLabel", Is: rules.Word, Values: []string{"sexual", "nudity", "porn", "graphic-media"},
				Meaning: "label of the attachments, by which readers hide them",
			},
			rules.TextLanguage(),
			rules.Quote("address of the post to quote"),
		},
		OptionFaults: optionFaults,
		AltText:      rules.AltText{Of: []media.Type{media.Image, media.GIF, media.Video}},
		Quota:        rules.Quota{Max: postsPerDay},
		Notes: []string{
			"More than 4 images are a gallery. A GIF is converted by Bluesky to a video that plays in a loop.",
			"Links, tags and mentions (@name.example.com) can be followed.",
			"Videos need a confirmed email address, and are limited by day.",
		},
	}
}
