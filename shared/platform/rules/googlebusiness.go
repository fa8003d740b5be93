package rules

import (
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func googleBusiness() Row {
	text := Text{Max: 1_500, Count: characters()}
	// Google's help recommends this size.
	side := Span{Min: 250, Unsure: true}
	picture := File{
		Type: media.Image, Formats: []Format{JPEG, PNG}, Min: 10 * kB, Max: 5 * mB,
		Shape: Shape{Width: side, Height: side},
	}
	return Row{
		Type: channel.GoogleBusiness, Name: "Google Business",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Photo posts", As: as(post.ContentPost), Media: one(picture), Text: text},
		},
		// Google's policy is certain, but it is not certain that a sequence of digits is a phone number.
		Limits: []Limit{{Of: phoneNumbers(), Max: 0, Unsure: true}},
		Notes: []string{
			"Google looks at a post after it has accepted it and may still refuse it, for a phone number in the text for example.",
			"1,200 × 900 pixels are advised for photos.",
			"Some locations, mostly of chains, cannot be posted to at all.",
		},
	}
}
