package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

func tikTokPersonal() Row { return tikTok(channel.TikTokPersonal, 4*gB) }

// tikTokBusiness differs in the size alone: its accounts publish by another of TikTok's APIs.
func tikTokBusiness() Row { return tikTok(channel.TikTokBusiness, 1*gB) }

func tikTok(t channel.Type, largest int64) Row {
	film := File{Type: media.Video, Formats: []Format{MP4, WebM, MOV}, Max: largest}
	picture := File{Type: media.Image, Formats: []Format{JPEG, WebP}, Max: 20 * mB}
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
			"A video is at least 3 seconds long, and at most what the account allows (up to 10 minutes; see the creator's information).",
			"A video has 23 to 60 frames a second and 360 to 4,096 pixels a side.",
			"An account publishes about 15 posts through APIs in any 24 hours, and has at most 5 drafts waiting.",
			"A private account takes drafts alone.",
		},
	}
}
