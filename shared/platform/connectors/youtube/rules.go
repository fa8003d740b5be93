package youtube

import (
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/connectors/internal/readback"
	"fencepost.internal/shared/platform/rules"
	"fencepost.internal/shared/platform/rules/textlen"
)

const longestComment = 10_000

func row() rules.Row {
	text := rules.Text{Max: 5_000, Count: rules.UTF8Bytes()}
	title := rules.Title{Use: rules.Required, Max: 100, Count: rules.Characters()}
	video := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4, rules.MOV, rules.WebM}, Max: 256 * rules.GB,
		Length: rules.Length{Max: 12 * time.Hour},
	}
	// YouTube decides by the file, regardless of the requested type.
	const regular = "will be a regular video"
	short := video
	short.Shape = rules.Shape{Ratio: rules.Ratios{Max: rules.Aspect(1, 1), Else: regular}}
	short.Length = rules.Length{Max: 3 * time.Minute, Else: regular}
	cover := rules.File{Type: media.Image, Formats: []rules.Format{rules.JPEG, rules.PNG}, Max: 50 * rules.MB}
	return rules.Row{
		Reply:   rules.Text{Max: longestComment, Count: rules.Characters()},
		Comment: rules.Comment{Text: rules.Text{Max: longestComment, Count: rules.Characters()}},
		Type:    channel.YouTube, Name: "YouTube",
		Forms: []rules.Form{
			{
				Name: "Videos", As: rules.As(post.ContentVideo, post.ContentPost), Media: rules.One(video).Covered(cover),
				Text: text, Title: title,
			},
			{
				Name: "Shorts", As: rules.As(post.ContentReel), Media: rules.One(short).Covered(cover), Text: text, Title: title,
			},
		},
		Forbidden: []rules.Forbidden{{Characters: "<>", Name: "< or >"}},
		Options: []rules.Option{
			{Name: "videoType", Is: rules.Word, Values: []string{"video", "short"}, Meaning: "a regular video or a Short"},
			{Name: "category", Is: rules.Number, Meaning: "the number of YouTube's category, such as 22"},
			{
				Name: "license", Is: rules.Word, Values: []string{"youtube", "creativeCommon"},
				Meaning: "the licence of the video",
			},
			{Name: "notifySubscribers", Is: rules.Flag, Meaning: "whether subscribers are notified"},
			{Name: "allowEmbedding", Is: rules.Flag, Meaning: "whether other sites may embed the video"},
			{Name: "madeForKids", Is: rules.Flag, Meaning: "whether the video is made for children"},
			{
				Name: "visibility", Is: rules.Word, Values: []string{"public", "unlisted", "private"},
				Meaning: "visibility of the video",
			},
			{Name: "tags", Is: rules.List, Range: rules.Span{Min: 1, Max: mostTags}, Max: longestTags, Meaning: "tags of the video"},
			rules.AIGenerated(),
		},
		OptionFaults: optionFaults,
		ContentType: func(_ []media.Asset, options post.Options) post.ContentType {
			if options.VideoType == "short" {
				return post.ContentReel
			}
			return post.ContentVideo
		},
		// https://developers.google.com/youtube/v3/determine_quota_cost: videos.insert, per project and day
		Quota: rules.Quota{Max: 100, Shared: true, Zone: readback.Pacific},
		Notes: []string{
			"YouTube decides by the file: a vertical or square video of up to 3 minutes is a Short, regardless of videoType.",
			"Channels that YouTube has not verified may be limited to 15 minutes.",
			"YouTube sets thumbnails only for channels with a verified phone number. A post without its thumbnail is published " +
				"all the same.",
			"A post for which no upload is left waits for the next day.",
			"A channel accepts a limited number of uploads in 24 hours. YouTube does not publish the limit.",
		},
	}
}

// Limits of tags.
const (
	mostTags    = 100
	longestTags = 500 // characters of all tags, with the separators
)

// optionFaults refuses tags that are too long together. YouTube puts tags with spaces into quotes.
func optionFaults(o post.Options) map[string]string {
	length := max(0, len(o.Tags)-1)
	for _, tag := range o.Tags {
		if length += textlen.Characters(tag); strings.Contains(tag, " ") {
			length += len(`""`)
		}
		if strings.ContainsAny(tag, "<>") {
			return map[string]string{"tags": "tags must not contain < or >; remove them."}
		}
	}
	if length > longestTags {
		return map[string]string{"tags": "tags have at most 500 characters together; remove some."}
	}
	return nil
}
