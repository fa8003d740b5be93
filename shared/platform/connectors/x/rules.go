package x

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

// Longest videos. X documents the longer one for its own apps only.
const (
	usualVideo   = 140 * time.Second
	premiumVideo = 4 * time.Hour
)

func row() rules.Row {
	text := rules.Text{Max: 280, Long: 25_000, Count: rules.Weighted()}
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG, rules.WebP, rules.GIF}, Max: 5 * rules.MB,
	}
	gif := rules.File{
		Type: media.GIF, Formats: []rules.Format{rules.GIF}, Max: 15 * rules.MB, Frames: 350,
		Shape: rules.Shape{Width: rules.Span{Max: 1_280}, Height: rules.Span{Max: 1_080}},
	}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4, rules.MOV}, Max: 512 * rules.MB,
		Shape: rules.Shape{
			// The documentation allows 32 × 32 to 1280 × 1024 pixels. It mentions neither portrait videos nor the
			// handling of larger ones.
			Short: rules.Span{Min: 32, Max: 1_024, Unsure: true}, Long: rules.Span{Max: 1_280, Unsure: true},
			Ratio: rules.Ratios{Min: rules.Aspect(1, 3), Max: rules.Aspect(3, 1)},
		},
		Length: rules.Length{Min: time.Second / 2, Max: usualVideo},
	}
	return rules.Row{
		Type: channel.Twitter, Name: "X",
		Forms: []rules.Form{
			{Name: "Text posts", As: rules.As(post.ContentPost), Text: text},
			{Name: "Photo posts", As: rules.As(post.ContentPost), Media: rules.UpTo(4, picture), Text: text},
			{Name: "GIF posts", As: rules.As(post.ContentPost), Media: rules.One(gif), Text: text},
			{Name: "Videos", As: rules.As(post.ContentPost, post.ContentVideo), Media: rules.One(video), Text: text},
		},
		Threads: true,
		AltText: rules.AltText{Of: []media.Type{media.Image, media.GIF}, Max: 1_000},
		// The limit of cashtags applies to most apps, but not to all.
		Limits: []rules.Limit{{Of: rules.Cashtags(), Max: 1, Unsure: true}},
		Options: []rules.Option{
			rules.LongText("publishes a text of up to 25,000 characters, for accounts with X Premium"),
			rules.Replies(everyone, "following", "mentioned", "subscribers", "verified"),
			rules.PollOptions(rules.Span{Min: 2, Max: 4}, 25, "quote"),
			rules.PollMinutes(rules.Span{Min: 5, Max: 7 * 24 * 60}),
			quoteOption(),
			rules.AIGenerated(),
			{Name: "brandContent", Is: rules.Flag, Meaning: "whether the post is labelled as a paid partnership"},
		},
		OptionFaults: optionFaults,
		// https://docs.x.com/x-api/getting-started/pricing: post create, with a URL, media metadata
		Price: rules.Price{Post: 15, Linked: 200, AltText: 5, AsOf: "2026-08"},
		// https://docs.x.com/x-api/fundamentals/rate-limits: POST /2/tweets, per app. The publisher waits for the end of the
		// account's limit of 15 minutes.
		Quota:     rules.Quota{Max: 10_000, Shared: true},
		Known:     known,
		Forbidden: []rules.Forbidden{{Characters: "\uFFFE\uFEFF\uFFFF", Name: "an invisible character (a byte order mark)"}},
		Notes: []string{
			"A link counts as 23 regardless of its length, an emoji as 2. Accented letters are composed before they are " +
				"counted.",
			"A video has H.264 with AAC and at most 60 frames a second.",
			"longText needs X Premium. X shows the first 280 characters and the rest on request.",
			"An account with X Premium can publish videos of up to 4 hours.",
			"X allows quotes to applications with its Enterprise plan, and refuses those of others.",
		},
	}
}

// known adapts the rules to the account's subscription.
func known(row *rules.Row, facts channel.Facts) {
	if facts.Premium == nil {
		return
	}
	if *facts.Premium {
		video := &row.Forms[len(row.Forms)-1].Media.Of[0]
		video.Length.Max, video.Length.Unsure, video.Unsure = premiumVideo, true, true
		return
	}
	row.OptionFaults = func(options post.Options) map[string]string {
		faults := optionFaults(options)
		if !isTrue(options.LongText) {
			return faults
		}
		if faults == nil {
			faults = make(map[string]string)
		}
		faults["longText"] = "longText needs X Premium, which this account does not have; remove it."
		return faults
	}
}

// quoteOption is a quote, which X does not take beside files.
func quoteOption() rules.Option {
	quote := rules.Quote("address of the post to quote")
	quote.TextOnly, quote.Strict = true, true
	return quote
}
