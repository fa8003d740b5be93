package linkedin

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

func profileRow() rules.Row {
	row := rowOf(channel.LinkedInProfile)
	row.Notes = append(row.Notes, "Some members may be limited to videos of 10 minutes.")
	row.Options = append([]rules.Option{{
		Name: "visibility", Is: rules.Word, Values: []string{"PUBLIC", "CONNECTIONS"},
		Meaning: "visibility of the post: everyone, or the member's connections",
	}, linkOption()}, pollRules()...)
	return row
}

func pageRow() rules.Row {
	row := rowOf(channel.LinkedInPage)
	row.Options = append([]rules.Option{{
		Name: "visibility", Is: rules.Word, Values: []string{"PUBLIC"},
		Meaning: "visibility of the post; a page has no connections",
	}, linkOption()}, pollRules()...)
	return row
}

// linkOption is the link of a card. LinkedIn does not read the linked page, so the card has the post's title and image.
func linkOption() rules.Option {
	const longest = 2_048
	return rules.Option{
		Name: "link", Is: rules.Address, Max: longest, Only: media.Image, Most: 1,
		Meaning: "publishes the post as the card of this link, with the post's title and its image as the thumbnail",
	}
}

func rowOf(t channel.Type) rules.Row {
	// LinkedIn does not document the unit. UTF-16 units are never fewer than characters, so a text that passes fits.
	text := rules.Text{Max: 3_000, Count: rules.UTF16Units()}
	title := rules.Title{Use: rules.Optional}
	// Integrators report the limit of a card's title.
	card := rules.Title{Use: rules.Optional, Card: true, Max: 400, Count: rules.Characters(), Unsure: true}
	pixels := rules.Shape{Area: rules.Fewer(36_152_320)}
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG, rules.GIF}, Max: 8 * rules.MB, Unsure: true,
		Shape: pixels,
	}
	gif := rules.File{Type: media.GIF, Formats: []rules.Format{rules.GIF}, Max: 8 * rules.MB, Unsure: true, Shape: pixels}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4}, Min: 75 * rules.KB, Max: 500 * rules.MB,
		Shape:  rules.Shape{Ratio: rules.Ratios{Min: rules.Aspect(1, 2.4), Max: rules.Aspect(2.4, 1)}},
		Length: rules.Length{Min: 3 * time.Second, Max: 30 * time.Minute},
	}
	paper := rules.File{
		Type: media.Document, Formats: []rules.Format{rules.PDF, rules.DOC, rules.DOCX, rules.PPT, rules.PPTX},
		Max: 100 * rules.MB, Frames: 300,
	}
	return rules.Row{
		Type: t, Name: "LinkedIn",
		Comment: rules.Comment{Text: rules.Text{Max: 1_250, Count: rules.UTF16Units()}},
		Forms: []rules.Form{
			{Name: "Text posts", As: rules.As(post.ContentPost), Text: text, Title: card},
			{
				Name: "Photo posts", As: rules.As(post.ContentPost), Media: rules.UpTo(20, picture, gif), Text: text,
				Title: card,
			},
			{Name: "Documents", As: rules.As(post.ContentPost), Media: rules.One(paper), Text: text, Title: title},
			{
				Name: "Videos", As: rules.As(post.ContentPost, post.ContentVideo), Media: rules.One(video), Text: text,
				Title: title,
			},
		},
		AltText:      rules.AltText{Of: []media.Type{media.Image, media.GIF}, Max: 4_086},
		OptionFaults: optionFaults,
		Notes: []string{
			"A document is shown as a carousel of its pages. Without a title, its title is \"Document\".",
			"A post with a title, a link in its text and no files is published as the card of that link.",
			"LinkedIn rejects the same text with the same media as a duplicate for hours to days.",
		},
	}
}
