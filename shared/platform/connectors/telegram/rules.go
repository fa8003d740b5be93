package telegram

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

func row() rules.Row {
	message := rules.Text{Max: longestMessage, Long: longestRich, Count: rules.UTF16Units()}
	caption := rules.Text{Max: 1_024, Count: rules.UTF16Units()}
	picture := rules.File{
		// Telegram sends pictures of other formats as files, and with them the whole album.
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG, rules.WebP}, Max: 10 * rules.MB,
		Shape: rules.Shape{
			Sum: rules.Span{Max: 10_000}, Ratio: rules.Ratios{Min: rules.Aspect(1, 20), Max: rules.Aspect(20, 1)},
		},
	}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4}, Maybe: []rules.Format{rules.MOV, rules.WebM},
		Max: 50 * rules.MB,
	}
	animation := rules.File{Type: media.GIF, Max: 50 * rules.MB}
	paper := rules.File{Type: media.Document, Max: 50 * rules.MB}
	return rules.Row{
		Type: channel.TelegramChannel, Name: "Telegram",
		Forms: []rules.Form{
			{Name: "Messages", As: rules.As(post.ContentPost), Text: message},
			{Name: "Photos and albums", As: rules.As(post.ContentPost), Media: rules.UpTo(10, picture, video), Text: caption},
			{Name: "Videos", As: rules.As(post.ContentVideo), Media: rules.One(video), Text: caption},
			{Name: "Animations", As: rules.As(post.ContentPost), Media: rules.One(animation), Text: caption},
			{Name: "Documents", As: rules.As(post.ContentPost), Media: rules.UpTo(10, paper), Text: caption},
		},
		Options: options(),
		Notes: []string{
			"A video that is not MP4 is sent as a file.",
			"A chat accepts about 20 messages a minute; each file of an album counts.",
		},
	}
}

func options() []rules.Option {
	const longestQuestion, longestChoice, mostChoices = 300, 100, 12
	poll := rules.PollOptions(rules.Span{Min: 2, Max: mostChoices}, longestChoice, "longText", "linkPreview")
	poll.Longest = longestQuestion
	return []rules.Option{
		rules.LongText("publishes a text of up to 32,768 characters as a rich message"),
		rules.Sensitive(), poll, rules.PollMultiple(),
		{
			Name: "linkPreview", Is: rules.Word, Values: []string{previewBelow, previewAbove, previewNone}, TextOnly: true,
			Meaning: "where the message shows the page of its first link",
		},
		{Name: "silent", Is: rules.Flag, Meaning: "whether subscribers are notified without a sound"},
		{Name: "protected", Is: rules.Flag, Meaning: "whether Telegram prevents forwarding and saving the post"},
	}
}
