package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func x() Row {
	text := Text{Max: 280, Count: weighted()}
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG, WebP, GIF}, Max: 5 * mB}
	gif := File{
		Type: media.GIF, Formats: []Format{GIF}, Max: 15 * mB, Frames: 350,
		Shape: Shape{Width: Span{Max: 1_280}, Height: Span{Max: 1_080}},
	}
	film := File{
		Type: media.Video, Formats: []Format{MP4, MOV}, Max: 512 * mB,
		Shape: Shape{
			// The documentation allows 32 × 32 to 1280 × 1024 pixels. It mentions neither portrait videos nor the
			// handling of larger ones.
			Short: Span{Min: 32, Max: 1_024, Unsure: true}, Long: Span{Max: 1_280, Unsure: true},
			Ratio: Ratios{Min: Ratio{1, 3}, Max: Ratio{3, 1}},
		},
		Length: Length{Min: time.Second / 2, Max: 140 * time.Second},
	}
	return Row{
		Type: channel.Twitter, Name: "X",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Photo posts", As: as(post.ContentPost), Media: upTo(4, picture), Text: text},
			{Name: "GIF posts", As: as(post.ContentPost), Media: one(gif), Text: text},
			{Name: "Videos", As: as(post.ContentPost, post.ContentVideo), Media: one(film), Text: text},
		},
		// The limit of cashtags applies to most apps, but not to all.
		Limits:    []Limit{{Of: cashtags(), Max: 1, Unsure: true}},
		Forbidden: []Forbidden{{Characters: "\uFFFE\uFEFF\uFFFF", Name: "an invisible character (a byte order mark)"}},
		Notes: []string{
			"A link counts as 23 however long it is, an emoji as 2; accented letters are composed before they are counted.",
			"A video has H.264 with AAC and at most 60 frames a second.",
			"The longer posts and videos of accounts with a subscription are not used.",
		},
	}
}
