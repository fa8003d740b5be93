package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func pinterest() Row {
	text := Text{Max: 800, Count: characters()}
	title := Title{Use: Optional, Max: 100, Count: characters()}
	wide := Shape{Width: Span{Min: 100, Unsure: true}}
	picture := File{
		Type: media.Image, Formats: []Format{JPEG, PNG}, Maybe: []Format{WebP, GIF}, Max: 20 * mB, Unsure: true, Shape: wide,
	}
	gif := File{Type: media.GIF, Maybe: []Format{GIF}, Max: 20 * mB, Unsure: true, Shape: wide}
	film := File{
		Type: media.Video, Formats: []Format{MP4, MOV}, Max: 2 * gB,
		Shape:  Shape{Ratio: Ratios{Min: Ratio{1, 2}, Max: Ratio{1.91, 1}}},
		Length: Length{Min: 4 * time.Second, Max: 15 * time.Minute},
	}
	carousel := between(2, 5, picture)
	carousel.Alike = SameSize
	return Row{
		Type: channel.Pinterest, Name: "Pinterest",
		Forms: []Form{
			{Name: "Image pins", As: as(post.ContentPost), Media: one(picture, gif), Text: text, Title: title},
			{Name: "Carousel pins", As: as(post.ContentPost), Media: carousel, Text: text, Title: title},
			{Name: "Video pins", As: as(post.ContentPost, post.ContentVideo), Media: one(film), Text: text, Title: title},
		},
		Options: []Option{
			{Name: "boardId", Is: ID, Required: true, Meaning: "the board to pin to"},
			{Name: "link", Is: Address, Max: 2_048, Meaning: "where the pin leads"},
			{Name: "altText", Is: Prose, Max: 500, Meaning: "what the picture shows, for people who cannot see it"},
		},
		Notes: []string{
			"An aspect ratio of 2:3 is advised for images.",
			"A video has H.264 or H.265.",
		},
	}
}
