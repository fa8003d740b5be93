package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

func instagram() Row {
	caption := Text{Max: 2_200, Count: characters()}
	picture := File{Type: media.Image, Formats: []Format{JPEG}, Max: 8 * mB}
	reel := File{Type: media.Video, Formats: []Format{MP4, MOV}, Max: 300 * mB}
	story := File{Type: media.Video, Formats: []Format{MP4, MOV}, Max: 100 * mB}
	return Row{
		Type: channel.InstagramProfessional, Name: "Instagram",
		Forms: []Form{
			{Name: "Feed posts", As: as(post.ContentPost), Media: upTo(10, picture, reel), Text: caption},
			{Name: "Reels", As: as(post.ContentReel, post.ContentVideo), Media: one(reel), Text: caption},
			{Name: "Stories", As: as(post.ContentStory), Media: one(picture, story), Text: Text{Dropped: true}},
		},
		Limits: []Limit{{Of: hashtags(), Max: 30}, {Of: mentions(), Max: 20}},
		Notes: []string{
			"A feed post of one video is shown as a reel; of several files it is a carousel, cropped to the shape of the first.",
			"An image is 320 to 1,440 pixels wide, from 4:5 to 1.91:1.",
			"A reel is 3 seconds to 15 minutes long, a video in a story 3 to 60 seconds.",
			"An account publishes 50 to 100 posts through APIs in any 24 hours.",
		},
	}
}
