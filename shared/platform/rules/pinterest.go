package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

func pinterest() Row {
	text := Text{Max: 800, Count: characters()}
	title := Title{Use: Optional, Max: 100, Count: characters()}
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG}, Maybe: []Format{WebP, GIF}, Max: 20 * mB, Unsure: true}
	gif := File{Type: media.GIF, Maybe: []Format{GIF}, Max: 20 * mB, Unsure: true}
	film := File{Type: media.Video, Formats: []Format{MP4, MOV}, Max: 2 * gB}
	return Row{
		Type: channel.Pinterest, Name: "Pinterest",
		Forms: []Form{
			{Name: "Image pins", As: as(post.ContentPost), Media: one(picture, gif), Text: text, Title: title},
			{Name: "Carousel pins", As: as(post.ContentPost), Media: between(2, 5, picture), Text: text, Title: title},
			{Name: "Video pins", As: as(post.ContentPost, post.ContentVideo), Media: one(film), Text: text, Title: title},
		},
		Options: []Option{
			{Name: "boardId", Is: ID, Required: true, Meaning: "the board to pin to"},
			{Name: "link", Is: Address, Max: 2_048, Meaning: "where the pin leads"},
			{Name: "altText", Is: Prose, Max: 500, Meaning: "what the picture shows, for people who cannot see it"},
		},
		Notes: []string{
			"The images of a carousel have equal sizes. 2:3 is advised.",
			"A video is 4 seconds to 15 minutes long, from 1.91:1 to 1:2.",
		},
	}
}
