package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func facebookPage() Row {
	text := Text{Max: 63_206, Count: characters()}
	title := Title{Use: Optional, Max: 255, Count: characters(), Unsure: true}
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG, GIF}, Max: 10 * mB}
	gif := File{Type: media.GIF, Formats: []Format{GIF}, Max: 10 * mB}
	film := File{Type: media.Video, Max: 10 * gB, Unsure: true, Length: Length{Max: 4 * time.Hour, Unsure: true}}
	// The documentation specifies the aspect ratio, but does not say that videos with another one are refused.
	upright := only(9, 16)
	upright.Unsure = true
	reel := File{
		Type: media.Video, Formats: []Format{MP4}, Maybe: []Format{MOV, WebM},
		Shape:  Shape{Width: Span{Min: 540}, Height: Span{Min: 960}, Ratio: upright},
		Length: Length{Min: 3 * time.Second, Max: 90 * time.Second},
	}
	story := File{
		Type: media.Video, Shape: Shape{Ratio: upright}, Length: Length{Min: 3 * time.Second, Max: 60 * time.Second},
	}
	return Row{
		Type: channel.FacebookPage, Name: "Facebook",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{
				Name: "Photo posts", As: as(post.ContentPost), Text: text,
				Media: Media{Min: 1, Max: 10, Of: []File{picture, gif}, Unsure: true},
			},
			{Name: "Videos", As: as(post.ContentPost, post.ContentVideo), Media: one(film), Text: text, Title: title},
			{Name: "Reels", As: as(post.ContentReel), Media: one(reel), Text: text, Title: title},
			{
				Name: "Stories", As: as(post.ContentStory), Media: one(picture, story),
				Text: Text{Dropped: true},
			},
		},
		Notes: []string{
			"A reel has 24 to 60 frames a second.",
			"A page publishes at most 30 reels through APIs in any 24 hours.",
			"Groups and personal profiles cannot be published to: Facebook offers no API for them.",
		},
	}
}
