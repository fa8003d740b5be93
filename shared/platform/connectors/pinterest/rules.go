package pinterest

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

func row() rules.Row {
	text := rules.Text{Max: 800, Count: rules.Characters()}
	title := rules.Title{Use: rules.Optional, Max: 100, Count: rules.Characters()}
	wide := rules.Shape{Width: rules.Span{Min: 100, Unsure: true}}
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG}, Maybe: []rules.Format{rules.WebP, rules.GIF},
		Max: 20 * rules.MB, Unsure: true, Shape: wide,
	}
	gif := rules.File{Type: media.GIF, Maybe: []rules.Format{rules.GIF}, Max: 20 * rules.MB, Unsure: true, Shape: wide}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4, rules.MOV}, Max: 2 * rules.GB,
		Shape:  rules.Shape{Ratio: rules.Ratios{Min: rules.Aspect(1, 2), Max: rules.Aspect(1.91, 1)}},
		Length: rules.Length{Min: 4 * time.Second, Max: 15 * time.Minute},
	}
	cover := rules.File{Type: media.Image, Formats: picture.Formats, Max: 10 * rules.MB, Unsure: true}
	carousel := rules.Between(2, 5, picture)
	carousel.Alike = rules.SameSize
	return rules.Row{
		Type: channel.Pinterest, Name: "Pinterest",
		Forms: []rules.Form{
			{Name: "Image pins", As: rules.As(post.ContentPost), Media: rules.One(picture, gif), Text: text, Title: title},
			{Name: "Carousel pins", As: rules.As(post.ContentPost), Media: carousel, Text: text, Title: title},
			{
				Name: "Video pins", As: rules.As(post.ContentPost, post.ContentVideo), Media: rules.One(video).Covered(cover), Text: text,
				Title: title,
			},
		},
		AltText: rules.AltText{Of: []media.Type{media.Image, media.GIF, media.Video}, Max: 500},
		Options: []rules.Option{
			{Name: "boardId", Is: rules.ID, Required: true, Meaning: "the board to pin to"},
			{Name: "boardSectionId", Is: rules.ID, Meaning: "the section of the board to pin to"},
			{Name: "link", Is: rules.Address, Max: 2_048, Meaning: "target URL of the pin"},
			{Name: "thumbOffset", Is: rules.Moment, Meaning: "the frame that is the cover", Only: media.Video},
			{Name: "altText", Is: rules.Prose, Max: 500, Meaning: "alternative text of the image"},
		},
		Notes: []string{
			"An aspect ratio of 2:3 is recommended for images.",
			"A video has H.264 or H.265. Its cover is the frame at one second by default.",
			"A pin has one alternative text: that of the option altText, or of the first attachment.",
			"WebP, GIF and covers are fetched by Pinterest from this service, which must be reachable from the internet.",
		},
	}
}
