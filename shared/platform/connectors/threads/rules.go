package threads

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

func row() rules.Row {
	// Threads documents 500 characters, and has refused texts of more than 500 bytes.
	text := rules.Text{Max: textLimit, Count: rules.EmojiByBytes(), Safe: 500}
	long := text
	long.Long = 10_000
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG}, Max: 8 * rules.MB,
		Shape: rules.Shape{
			Width: rules.Span{Min: 320, Max: 1_440, Unsure: true},
			Ratio: rules.Ratios{Max: rules.Aspect(10, 1), Unsure: true},
		},
	}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4, rules.MOV}, Max: 1 * rules.GB,
		Shape: rules.Shape{
			Width: rules.Span{Max: 1_920, Unsure: true},
			Ratio: rules.Ratios{Min: rules.Aspect(0.01, 1), Max: rules.Aspect(10, 1), Unsure: true},
		},
		Length: rules.Length{Max: 5 * time.Minute},
	}
	longText := rules.LongText("a text of more than 500 characters is attached, and the post shows its beginning")
	longText.TextOnly = true
	return rules.Row{
		Type: channel.Threads, Name: "Threads",
		Forms: []rules.Form{
			{Name: "Text posts", As: rules.As(post.ContentPost), Text: long},
			{Name: "Posts with media", As: rules.As(post.ContentPost), Media: rules.UpTo(20, picture, video), Text: text},
			{Name: "Videos", As: rules.As(post.ContentVideo), Media: rules.One(video), Text: text},
		},
		Threads: true,
		AltText: rules.AltText{Of: []media.Type{media.Image, media.Video}, Max: 1_000},
		Limits: []rules.Limit{
			{Of: rules.ThreadsLinks(), Max: 5},
			{Of: rules.Hashtags(), Max: 1, Unsure: true}, // a post has one topic
		},
		Options: []rules.Option{
			longText,
			rules.Replies("everyone", "following", "followers", "mentioned"),
			rules.Sensitive(),
			rules.PollOptions(rules.Span{Min: 2, Max: 4}, 25, "longText", "link"),
			{Name: "link", Is: rules.Address, Max: 2_048, Meaning: "URL of the card", TextOnly: true, Excludes: []string{longText.Name}},
			{Name: "topicTag", Is: rules.Prose, Max: 50, Meaning: "topic of the post, without #"},
		},
		OptionFaults: optionFaults,
		Quota:        rules.Quota{Max: 250}, // https://developers.facebook.com/docs/threads/overview#rate-limiting
		Notes: []string{
			"A post has one topic: topicTag, or the first hashtag. Others stay plain text.",
			"A poll is open for 24 hours.",
			"A video has H.264 or HEVC with AAC and 23 to 60 frames a second. 9:16 is recommended.",
		},
	}
}
