package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

// ThreadsLinks is the maximum number of different links in a post on Threads. The connector names it in the failure if
// Threads counts more.
const ThreadsLinks = 5

func threads() Row {
	text := Text{Max: 500, Count: emojiByBytes()}
	picture := File{
		Type: media.Image, Formats: []Format{JPEG, PNG}, Max: 8 * mB,
		Shape: Shape{
			Width: Span{Min: 320, Max: 1_440, Unsure: true},
			Ratio: Ratios{Max: Ratio{10, 1}, Unsure: true},
		},
	}
	film := File{
		Type: media.Video, Formats: []Format{MP4, MOV}, Max: 1 * gB,
		Shape: Shape{
			Width: Span{Max: 1_920, Unsure: true},
			Ratio: Ratios{Min: Ratio{0.01, 1}, Max: Ratio{10, 1}, Unsure: true},
		},
		Length: Length{Max: 5 * time.Minute},
	}
	return Row{
		Type: channel.Threads, Name: "Threads",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Posts with media", As: as(post.ContentPost), Media: upTo(20, picture, film), Text: text},
			{Name: "Videos", As: as(post.ContentVideo), Media: one(film), Text: text},
		},
		Limits: []Limit{{Of: links(), Max: ThreadsLinks}},
		Notes: []string{
			"A video has H.264 or HEVC with AAC and 23 to 60 frames a second; 9:16 is advised.",
			"An account publishes at most 250 posts in any 24 hours.",
		},
	}
}
