package googlebusiness

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

func row() rules.Row {
	text := rules.Text{Max: 1_500, Count: rules.Characters()}
	// Google's help recommends this size.
	side := rules.Span{Min: 250, Unsure: true}
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG}, Min: 10 * rules.KB, Max: 5 * rules.MB,
		Shape: rules.Shape{Width: side, Height: side},
	}
	return rules.Row{
		Reply: rules.Text{Max: longestReply, Count: rules.UTF8Bytes()},
		Type:  channel.GoogleBusiness, Name: "Google Business",
		Forms: []rules.Form{
			{Name: "Text posts", As: rules.As(post.ContentPost), Text: text},
			{Name: "Photo posts", As: rules.As(post.ContentPost), Media: rules.One(picture), Text: text},
		},
		// Google's policy is certain, but it is not certain that a sequence of digits is a phone number.
		Limits: []rules.Limit{{Of: rules.PhoneNumbers(), Max: 0, Unsure: true}},
		Options: []rules.Option{
			{
				Name: "topicType", Is: rules.Word, Values: []string{topicStandard, topicEvent, topicOffer},
				Meaning: "kind of post",
			},
			{
				Name: "callToAction", Is: rules.Word,
				Values:  []string{"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", actionCall},
				Meaning: "kind of the button",
			},
			{Name: "actionUrl", Is: rules.Address, Max: 2_048, Meaning: "URL of the button"},
			{Name: "eventTitle", Is: rules.Prose, Max: 58, Meaning: "title of an event or offer"},
			{Name: "eventStart", Is: rules.LocalTime, Meaning: "start, as a date or as a date and a time of the location"},
			{Name: "eventEnd", Is: rules.LocalTime, Meaning: "end, like eventStart"},
			{Name: "couponCode", Is: rules.Prose, Max: 58, Meaning: "code of the offer"},
			{Name: "redeemUrl", Is: rules.Address, Max: 2_048, Meaning: "URL at which the offer is redeemed"},
			{Name: "terms", Is: rules.Prose, Max: 5_000, Meaning: "terms of the offer"},
		},
		OptionFaults: optionFaults,
		Notes: []string{
			"Google reviews a post after accepting it and may reject it, for example for a phone number in the text.",
			"Photos should have 1,200 × 900 pixels.",
			"Some locations, mostly of chains, do not accept posts.",
		},
	}
}
