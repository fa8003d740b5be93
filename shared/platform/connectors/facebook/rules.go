package facebook

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

const longestComment = 8_000

func row() rules.Row {
	text := rules.Text{Max: 63_206, Count: rules.Characters()}
	title := rules.Title{Use: rules.Optional, Max: 255, Count: rules.Characters(), Unsure: true}
	picture := rules.File{Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG, rules.GIF}, Max: 10 * rules.MB}
	gif := rules.File{Type: media.GIF, Formats: []rules.Format{rules.GIF}, Max: 10 * rules.MB}
	video := rules.File{ // a resumable upload takes only MP4
		Type: media.Video, Formats: []rules.Format{rules.MP4}, Max: 10 * rules.GB, Unsure: true, Length: rules.Length{Max: 4 * time.Hour, Unsure: true},
	}
	// The documentation specifies the aspect ratio, but does not say that videos with another one are refused.
	upright := rules.Only(9, 16)
	upright.Unsure = true
	reel := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4}, Maybe: []rules.Format{rules.MOV, rules.WebM},
		Shape:  rules.Shape{Width: rules.Span{Min: 540}, Height: rules.Span{Min: 960}, Ratio: upright},
		Length: rules.Length{Min: 3 * time.Second, Max: 90 * time.Second},
	}
	story := rules.File{
		Type: media.Video, Shape: rules.Shape{Ratio: upright},
		Length: rules.Length{Min: 3 * time.Second, Max: 60 * time.Second},
	}
	return rules.Row{
		Reply:   rules.Text{Max: longestComment, Count: rules.Characters()},
		Comment: rules.Comment{Text: rules.Text{Max: longestComment, Count: rules.Characters()}, Without: rules.As(post.ContentStory)},
		Type:    channel.FacebookPage, Name: "Facebook",
		Forms: []rules.Form{
			{Name: "Text posts", As: rules.As(post.ContentPost), Text: text},
			{
				Name: "Photo posts", As: rules.As(post.ContentPost), Text: text,
				Media: rules.Media{Min: 1, Max: 10, Of: []rules.File{picture, gif}, Unsure: true},
			},
			{
				Name: "Videos", As: rules.As(post.ContentPost, post.ContentVideo), Media: rules.One(video), Text: text,
				Title: title,
			},
			{Name: "Reels", As: rules.As(post.ContentReel), Media: rules.One(reel), Text: text, Title: title},
			{
				Name: "Stories", As: rules.As(post.ContentStory), Media: rules.One(picture, story),
				Text: rules.Text{Dropped: true},
			},
		},
		AltText: rules.AltText{Of: []media.Type{media.Image, media.GIF}, As: rules.As(post.ContentPost)},
		Options: []rules.Option{
			{Name: "link", Is: rules.Address, Max: 2_048, Meaning: "URL of the card", TextOnly: true},
		},
		// https://developers.facebook.com/docs/video-api/guides/reels-publishing
		Quota: rules.Quota{Max: 30, Of: rules.As(post.ContentReel)},
		Notes: []string{
			"A video that fits into a reel becomes one.",
			"A reel has 24 to 60 frames a second.",
			"Facebook offers no API for groups and personal profiles.",
		},
	}
}
