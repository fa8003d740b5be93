package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

func googleBusiness() Row {
	text := Text{Max: 1_500, Count: characters()}
	picture := File{Type: media.Image, Formats: []Format{JPEG, PNG}, Min: 10 * kB, Max: 5 * mB}
	return Row{
		Type: channel.GoogleBusiness, Name: "Google Business",
		Forms: []Form{
			{Name: "Text posts", As: as(post.ContentPost), Text: text},
			{Name: "Photo posts", As: as(post.ContentPost), Media: one(picture), Text: text},
		},
		// Google's policy is certain; that a row of digits is a phone number is not.
		Limits: []Limit{{Of: phoneNumbers(), Max: 0, Unsure: true}},
		Notes: []string{
			"Google looks at a post after it has accepted it and may still refuse it, for a phone number in the text for example.",
			"A photo has at least 250 × 250 pixels; 1,200 × 900 is advised.",
			"Some locations, mostly of chains, cannot be posted to at all.",
		},
	}
}
