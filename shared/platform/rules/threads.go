package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

// ThreadsLinks is how many different links a post on Threads may have. The connector names it when Threads counts more.
const ThreadsLinks = 5

func threads() Row {
	text := Text{Max: 500, Count: emojiByBytes()}
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG}, Max: 8 * mB}
	film := File{Type: media.Video, Formats: []Format{MP4, MOV}, Max: 1 * gB}
	return Row{
		Type: channel.Threads, Name: "Threads",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Posts with media", As: as(post.ContentPost), Media: upTo(20, picture, film), Text: text},
			{Name: "Videos", As: as(post.ContentVideo), Media: one(film), Text: text},
		},
		Limits: []Limit{{Of: links(), Max: ThreadsLinks}},
		Notes: []string{
			"A video is at most 5 minutes long.",
			"An image should be 320 to 1,440 pixels wide and at most ten times as wide as high.",
			"An account publishes at most 250 posts in any 24 hours.",
		},
	}
}
