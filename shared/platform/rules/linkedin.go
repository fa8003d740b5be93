package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func linkedInProfile() Row {
	row := linkedIn(channel.LinkedInProfile)
	row.Notes = append(row.Notes, "Some members may be held to videos of 10 minutes.")
	row.Options = []Option{{
		Name: "visibility", Is: Word, Values: []string{"PUBLIC", "CONNECTIONS"},
		Meaning: "who sees the post: everyone, or the member's connections",
	}}
	return row
}

func linkedInPage() Row {
	row := linkedIn(channel.LinkedInPage)
	row.Options = []Option{{
		Name: "visibility", Is: Word, Values: []string{"PUBLIC"}, Meaning: "who sees the post; a page has no connections",
	}}
	return row
}

func linkedIn(t channel.Type) Row {
	text := Text{Max: 3_000, Count: characters()}
	title := Title{Use: Optional}
	pixels := Shape{Area: fewer(36_152_320)}
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG, GIF}, Max: 8 * mB, Unsure: true, Shape: pixels}
	gif := File{Type: media.GIF, Formats: []Format{GIF}, Max: 8 * mB, Unsure: true, Shape: pixels}
	film := File{
		Type: media.Video, Formats: []Format{MP4}, Min: 75 * kB, Max: 500 * mB,
		Shape:  Shape{Ratio: Ratios{Min: Ratio{1, 2.4}, Max: Ratio{2.4, 1}}},
		Length: Length{Min: 3 * time.Second, Max: 30 * time.Minute},
	}
	paper := File{Type: media.Document, Formats: []Format{PDF}, Max: 100 * mB, Frames: 300}
	return Row{
		Type: t, Name: "LinkedIn",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Photo posts", As: as(post.ContentPost), Media: upTo(20, picture, gif), Text: text},
			{Name: "Documents", As: as(post.ContentPost), Media: one(paper), Text: text, Title: title},
			{Name: "Videos", As: as(post.ContentPost, post.ContentVideo), Media: one(film), Text: text, Title: title},
		},
		Notes: []string{
			"A document is shown as a carousel of its pages.",
			"The same text with the same media is refused as a duplicate for hours to days.",
		},
	}
}
