package rules

import (
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/post"
)

func youTube() Row {
	film := File{Type: media.Video, Formats: []Format{MP4, MOV, WebM}, Max: 256 * gB}
	return Row{
		Type: channel.YouTube, Name: "YouTube",
		Forms: []Form{{
			Name: "Videos", As: as(post.ContentVideo, post.ContentReel, post.ContentPost), Media: one(film),
			Text:  Text{Max: 5_000, Count: utf8Bytes()},
			Title: Title{Use: Required, Max: 100, Count: characters()},
		}},
		Forbidden: []Forbidden{{Characters: "<>", Name: "< or >"}},
		Options: []Option{
			{Name: "videoType", Is: Word, Values: []string{"video", "short"}, Meaning: "a regular video or a Short"},
			{Name: "category", Is: Number, Meaning: "the number of YouTube's category, such as 22"},
			{Name: "license", Is: Word, Values: []string{"youtube", "creativeCommon"}, Meaning: "the licence of the video"},
			{Name: "notifySubscribers", Is: Flag, Meaning: "whether subscribers are told"},
			{Name: "allowEmbedding", Is: Flag, Meaning: "whether other sites may show the video"},
			{Name: "madeForKids", Is: Flag, Meaning: "declares that the video is made for children"},
			{Name: "visibility", Is: Word, Values: []string{"public", "unlisted", "private"}, Meaning: "who sees the video"},
		},
		Notes: []string{
			"REEL publishes a Short. YouTube itself decides by the file: an upright or square video of up to 3 minutes is a Short, whatever was asked for.",
			"A video is at most 12 hours long; channels that YouTube has not verified may be held to 15 minutes.",
			"A channel takes a limited number of uploads in 24 hours, which YouTube does not publish.",
		},
	}
}
