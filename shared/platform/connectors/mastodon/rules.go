package mastodon

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

// usualPixels is Mastodon's own limit of pixels of an image (image_matrix_limit of /api/v2/instance).
const usualPixels = 33_177_600

// longestName is the greatest length of a mention without its server, with the characters around it.
const longestName = 32

// row returns the limits of Mastodon's own software, which servers may change: they are warnings, and Prepare compares
// the content with the limits of the account's server.
func row() rules.Row {
	text := rules.Text{Max: usualLimit, Count: rules.Shortened(), Warned: true, Unsure: true}
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG, rules.WebP, rules.HEIC}, Max: 16 * rules.MB,
		Unsure: true,
		// More pixels are refused: "7000x5000 images are not supported". Images are scaled down to them.
		Shape: rules.Shape{Area: rules.Span{Max: usualPixels}},
	}
	gif := rules.File{Type: media.GIF, Formats: []rules.Format{rules.GIF}, Max: 16 * rules.MB, Unsure: true}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4, rules.MOV, rules.WebM}, Max: 99 * rules.MB, Unsure: true,
		Shape: rules.Shape{Area: rules.Span{Max: 8_294_400, Unsure: true}}, // video_matrix_limit
	}
	several := rules.UpTo(4, picture)
	several.Unsure = true
	return rules.Row{
		Type: channel.Mastodon, Name: "Mastodon",
		Forms: []rules.Form{
			{Name: "Text posts", As: rules.As(post.ContentPost), Text: text},
			{Name: "Photo posts", As: rules.As(post.ContentPost), Media: several, Text: text},
			{Name: "GIF posts", As: rules.As(post.ContentPost), Media: rules.One(gif), Text: text},
			{Name: "Videos", As: rules.As(post.ContentPost, post.ContentVideo), Media: rules.One(video), Text: text},
		},
		// An answer begins with the mention of its person, which counts without its server.
		Reply:   rules.Text{Max: usualLimit - longestName, Count: rules.Shortened(), Unsure: true},
		Threads: true,
		AltText: rules.AltText{Of: []media.Type{media.Image, media.GIF, media.Video}},
		Options: []rules.Option{
			{
				Name: "visibility", Is: rules.Word, Values: []string{visiblePublic, "unlisted", "private"},
				Meaning: "visibility of the post: everyone, everyone but not in public lists, or followers",
			},
			{
				Name: "contentWarning", Is: rules.Prose, Max: 300,
				Meaning: "warning that is shown instead of the post until a reader opens it, and counts as its text",
			},
			rules.Sensitive(),
			rules.TextLanguage(),
			rules.PollOptions(rules.Span{Min: 2, Max: 4}, 50),
			rules.PollMinutes(rules.Span{Min: 5, Max: 30 * 24 * 60}),
			rules.PollMultiple(),
		},
		Notes: []string{"Servers change the limits. A post is compared with those of the account's server before it is sent."},
	}
}
