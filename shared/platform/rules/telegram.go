package rules

import (
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

func telegram() Row {
	message := Text{Max: 4_096, Count: utf16Units()}
	caption := Text{Max: 1_024, Count: utf16Units()}
	picture := File{
		Type: media.Image, Max: 10 * mB,
		Shape: Shape{Sum: Span{Max: 10_000}, Ratio: Ratios{Min: Ratio{1, 20}, Max: Ratio{20, 1}}},
	}
	film := File{Type: media.Video, Formats: []Format{MP4}, Maybe: []Format{MOV, WebM}, Max: 50 * mB}
	animation := File{Type: media.GIF, Max: 50 * mB}
	paper := File{Type: media.Document, Max: 50 * mB}
	return Row{
		Type: channel.TelegramChannel, Name: "Telegram",
		Forms: []Form{
			{Name: "Messages", As: as(post.ContentPost), Text: message},
			{Name: "Photos and albums", As: as(post.ContentPost), Media: upTo(10, picture, film), Text: caption},
			{Name: "Videos", As: as(post.ContentVideo), Media: one(film), Text: caption},
			{Name: "Animations", As: as(post.ContentPost), Media: one(animation), Text: caption},
			{Name: "Documents", As: as(post.ContentPost), Media: upTo(10, paper), Text: caption},
		},
		Notes: []string{
			"A video that is no MP4 goes out as a file.",
			"About 20 messages a minute reach one chat; each file of an album counts.",
		},
	}
}
