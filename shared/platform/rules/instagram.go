package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func instagram() Row {
	caption := Text{Max: 2_200, Count: characters()}
	picture := File{
		Type: media.Image, Formats: []Format{JPEG}, Max: 8 * mB,
		Shape: Shape{
			// Instagram documents an error for an aspect ratio out of bounds but none for a width, and is known to
			// scale such images. A violation is therefore a warning.
			Width: Span{Min: 320, Max: 1_440, Else: "will be scaled"},
			Ratio: Ratios{Min: Ratio{4, 5}, Max: Ratio{1.91, 1}},
		},
	}
	reel := File{
		Type: media.Video, Formats: []Format{MP4, MOV}, Max: 300 * mB,
		Shape:  Shape{Width: Span{Max: 1_920}, Ratio: Ratios{Min: Ratio{0.01, 1}, Max: Ratio{10, 1}}},
		Length: Length{Min: 3 * time.Second, Max: 15 * time.Minute},
	}
	photoStory := File{Type: media.Image, Formats: []Format{JPEG}, Max: 8 * mB}
	filmStory := File{
		Type: media.Video, Formats: []Format{MP4, MOV}, Max: 100 * mB,
		Length: Length{Min: 3 * time.Second, Max: 60 * time.Second},
	}
	feed := upTo(10, picture, reel)
	feed.Alike = Cropped
	return Row{
		Type: channel.InstagramProfessional, Name: "Instagram",
		Forms: []Form{
			{Name: "Feed posts", As: as(post.ContentPost), Media: feed, Text: caption},
			{Name: "Reels", As: as(post.ContentReel, post.ContentVideo), Media: one(reel), Text: caption},
			{Name: "Stories", As: as(post.ContentStory), Media: one(photoStory, filmStory), Text: Text{Dropped: true}},
		},
		Limits: []Limit{{Of: hashtags(), Max: 30}, {Of: mentions(), Max: 20}},
		Notes: []string{
			"A feed post of one video is shown as a reel; of several files it is a carousel.",
			"A video has H.264 or HEVC with AAC, 23 to 60 frames a second and at most 25 Mbit a second; 9:16 is advised.",
			"An account publishes 50 to 100 posts through APIs in any 24 hours.",
		},
	}
}
