package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

func linkedInProfile() Row {
	row := linkedIn(channel.LinkedInProfile)
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
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG, GIF}, Max: 8 * mB, Unsure: true}
	gif := File{Type: media.GIF, Formats: []Format{GIF}, Max: 8 * mB, Unsure: true}
	film := File{Type: media.Video, Formats: []Format{MP4}, Min: 75 * kB, Max: 500 * mB}
	paper := File{Type: media.Document, Formats: []Format{PDF}, Max: 100 * mB}
	return Row{
		Type: t, Name: "LinkedIn",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Photo posts", As: as(post.ContentPost), Media: upTo(20, picture, gif), Text: text},
			{Name: "Documents", As: as(post.ContentPost), Media: one(paper), Text: text, Title: title},
			{Name: "Videos", As: as(post.ContentPost, post.ContentVideo), Media: one(film), Text: text, Title: title},
		},
		Notes: []string{
			"An image has fewer than 36,152,320 pixels.",
			"A video is 3 seconds to 30 minutes long, from 1:2.4 to 2.4:1.",
			"A document has at most 300 pages; it is shown as a carousel of pages.",
			"The same text with the same media is refused as a duplicate for hours to days.",
		},
	}
}
