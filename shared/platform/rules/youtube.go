package rules

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func youTube() Row {
	text := Text{Max: 5_000, Count: utf8Bytes()}
	title := Title{Use: Required, Max: 100, Count: characters()}
	film := File{Type: media.Video, Formats: []Format{MP4, MOV, WebM}, Max: 256 * gB, Length: Length{Max: 12 * time.Hour}}
	// YouTube decides by the file, regardless of the requested type.
	const regular = "will be a regular video"
	short := film
	short.Shape = Shape{Ratio: Ratios{Max: Ratio{1, 1}, Else: regular}}
	short.Length = Length{Max: 3 * time.Minute, Else: regular}
	return Row{
		Type: channel.YouTube, Name: "YouTube",
		Forms: []Form{
			{Name: "Videos", As: as(post.ContentVideo, post.ContentPost), Media: one(film), Text: text, Title: title},
			{Name: "Shorts", As: as(post.ContentReel), Media: one(short), Text: text, Title: title},
		},
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
			"Whether a video is a Short YouTube decides by the file: an upright or square one of up to 3 minutes is, whatever was asked for.",
			"Channels that YouTube has not verified may be held to 15 minutes.",
			"A channel takes a limited number of uploads in 24 hours, which YouTube does not publish.",
		},
	}
}
