package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func tikTokPersonal() Row {
	film := File{
		Max:    4 * gB,
		Shape:  Shape{Short: Span{Min: 360}, Long: Span{Max: 4_096}},
		Length: Length{Min: 3 * time.Second, Max: 10 * time.Minute},
	}
	// The documentation allows images "up to 1080p". This is certain only for the shorter side.
	picture := File{Shape: Shape{Short: Span{Max: 1_080}, Long: Span{Max: 1_920, Unsure: true}}}
	return tikTok(channel.TikTokPersonal, film, picture)
}

// tikTokBusiness differs in the limits of files. Its accounts publish through another TikTok API, whose limits only
// integrators document.
func tikTokBusiness() Row {
	film := File{
		Max: 1 * gB, Unsure: true,
		Shape:  Shape{Short: Span{Min: 360, Unsure: true}},
		Length: Length{Min: 3 * time.Second, Max: 10 * time.Minute, Unsure: true},
	}
	picture := File{Shape: Shape{Short: Span{Max: 1_080, Unsure: true}, Long: Span{Max: 1_920, Unsure: true}}}
	return tikTok(channel.TikTokBusiness, film, picture)
}

func tikTok(t channel.Type, film, picture File) Row {
	film.Type, film.Formats = media.Video, []Format{MP4, WebM, MOV}
	picture.Type, picture.Formats, picture.Max = media.Image, []Format{JPEG, WebP}, 20*mB
	return Row{
		Type: t, Name: "TikTok",
		Forms: []Form{
			{
				Name: "Videos", As: as(post.ContentPost, post.ContentVideo, post.ContentReel), Media: one(film),
				Text: Text{Max: 2_200, Count: utf16Units()},
			},
			{
				Name: "Photo posts", As: as(post.ContentPost), Media: upTo(35, picture),
				Text:  Text{Max: 4_000, Count: utf16Units()},
				Title: Title{Use: Optional, Max: 90, Count: utf16Units()},
			},
		},
		Options: []Option{
			{Name: "allowComments", Is: Flag, Meaning: "whether others may comment"},
			{Name: "allowDuet", Is: Flag, Only: media.Video, Meaning: "whether others may make duets with the video"},
			{Name: "allowStitch", Is: Flag, Only: media.Video, Meaning: "whether others may stitch the video into theirs"},
			{Name: "brandContent", Is: Flag, Meaning: "discloses a paid partnership"},
			{Name: "brandOrganic", Is: Flag, Meaning: "discloses that the account promotes its own business"},
			{
				Name: "uploadToDraft", Is: Flag, Meaning: "sends a draft to the creator's inbox instead of publishing",
				Overrules:   []string{"allowComments", "allowDuet", "allowStitch", "brandContent", "brandOrganic"},
				DropsTextOf: media.Video,
			},
		},
		Notes: []string{
			"A video is at most as long as the account allows (see the creator's information).",
			"A video has 23 to 60 frames a second.",
			"An account publishes about 15 posts through APIs in any 24 hours, and has at most 5 drafts waiting.",
			"A private account takes drafts alone.",
		},
	}
}
