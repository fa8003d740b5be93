package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

func x() Row {
	text := Text{Max: 280, Count: weighted()}
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG, WebP, GIF}, Max: 5 * mB}
	gif := File{Type: media.GIF, Formats: []Format{GIF}, Max: 15 * mB}
	film := File{Type: media.Video, Formats: []Format{MP4, MOV}, Max: 512 * mB}
	return Row{
		Type: channel.Twitter, Name: "X",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Photo posts", As: as(post.ContentPost), Media: upTo(4, picture), Text: text},
			{Name: "GIF posts", As: as(post.ContentPost), Media: one(gif), Text: text},
			{Name: "Videos", As: as(post.ContentPost, post.ContentVideo), Media: one(film), Text: text},
		},
		// The limit of cashtags holds for most apps, not for all.
		Limits:    []Limit{{Of: cashtags(), Max: 1, Unsure: true}},
		Forbidden: []Forbidden{{Characters: "\uFFFE\uFEFF\uFFFF", Name: "an invisible character (a byte order mark)"}},
		Notes: []string{
			"A link counts as 23 however long it is, an emoji as 2; accented letters are composed before they are counted.",
			"A GIF is at most 1,280 × 1,080 pixels with 350 frames.",
			"A video is 0.5 to 140 seconds long, with H.264 and AAC, from 1:3 to 3:1.",
			"The longer posts and videos of accounts with a subscription are not used.",
		},
	}
}
