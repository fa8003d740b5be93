package tiktok

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

func personalRow() rules.Row {
	video := rules.File{
		Max:    4 * rules.GB,
		Shape:  rules.Shape{Short: rules.Span{Min: 360}, Long: rules.Span{Max: 4_096}},
		Length: rules.Length{Min: 3 * time.Second, Max: 10 * time.Minute},
	}
	// The documentation allows images "up to 1080p". This is certain only for the shorter side.
	picture := rules.File{Shape: rules.Shape{Short: rules.Span{Max: 1_080}, Long: rules.Span{Max: 1_920, Unsure: true}}}
	row := rowOf(channel.TikTokPersonal, video, picture, privacy())
	label := rules.AIGenerated()
	label.Only = media.Video
	draft := &row.Options[len(row.Options)-1]
	draft.Overrules = append(draft.Overrules, label.Name)
	row.Options = slices.Insert(row.Options, len(row.Options)-1, label)
	return row
}

// businessRow differs in the limits of files. Its accounts publish through another TikTok API, whose limits only
// integrators document.
func businessRow() rules.Row {
	video := rules.File{
		Max: 1 * rules.GB, Unsure: true,
		Shape:  rules.Shape{Short: rules.Span{Min: 360, Unsure: true}},
		Length: rules.Length{Min: 3 * time.Second, Max: 10 * time.Minute, Unsure: true},
	}
	picture := rules.File{
		Shape: rules.Shape{Short: rules.Span{Max: 1_080, Unsure: true}, Long: rules.Span{Max: 1_920, Unsure: true}},
	}
	// The Accounts API has no privacy level for videos: they get that of the account's settings in the app.
	photos := privacy()
	photos.Only, photos.Strict = media.Image, true
	return rowOf(channel.TikTokBusiness, video, picture, photos)
}

func privacy() rules.Option {
	return rules.Option{
		Name: "privacy", Is: rules.Word, Meaning: "who may watch: a level that the creator's information lists",
		Values: []string{
			platform.PrivacyPublic, platform.PrivacyFriends, platform.PrivacyFollowers, platform.PrivacySelf,
		},
	}
}

// optionFaults refuses a paid partnership that only its creator sees, as TikTok does.
func optionFaults(options post.Options) map[string]string {
	if options.Privacy == platform.PrivacySelf && isTrue(options.BrandContent) && !isTrue(options.UploadToDraft) {
		return map[string]string{"brandContent": "brandContent cannot be used with the privacy SELF_ONLY; remove it, or " +
			"choose another privacy."}
	}
	return nil
}

func rowOf(t channel.Type, video, picture rules.File, privacy rules.Option) rules.Row {
	video.Type, video.Formats = media.Video, []rules.Format{rules.MP4, rules.WebM, rules.MOV}
	picture.Type, picture.Formats, picture.Max = media.Image, []rules.Format{rules.JPEG, rules.WebP}, 20*rules.MB
	return rules.Row{
		Type: t, Name: "TikTok",
		Forms: []rules.Form{
			{
				Name: "Videos", As: rules.As(post.ContentPost, post.ContentVideo, post.ContentReel), Media: rules.One(video),
				Text: rules.Text{Max: 2_200, Count: rules.UTF16Units()},
			},
			{
				Name: "Photo posts", As: rules.As(post.ContentPost), Media: rules.UpTo(35, picture),
				Text:  rules.Text{Max: 4_000, Count: rules.UTF16Units()},
				Title: rules.Title{Use: rules.Optional, Max: 90, Count: rules.UTF16Units()},
			},
		},
		OptionFaults: optionFaults,
		// https://developers.tiktok.com/doc/content-sharing-guidelines: typically 15, of all applications
		Quota: rules.Quota{Max: 15, Unsure: true},
		Options: []rules.Option{
			privacy,
			{Name: "allowComments", Is: rules.Flag, Meaning: "whether others may comment, by default as the account has it"},
			{Name: "allowDuet", Is: rules.Flag, Only: media.Video, Meaning: "whether others may make duets with the video"},
			{Name: "allowStitch", Is: rules.Flag, Only: media.Video, Meaning: "whether others may stitch the video into theirs"},
			{Name: "thumbOffset", Is: rules.Moment, Only: media.Video, Meaning: "the frame that is the cover"},
			{Name: "brandContent", Is: rules.Flag, Meaning: "discloses a paid partnership"},
			{Name: "brandOrganic", Is: rules.Flag, Meaning: "discloses that the account promotes its own business"},
			{
				Name: "uploadToDraft", Is: rules.Flag, Meaning: "sends a draft to the creator's inbox instead of publishing",
				Overrules:   []string{"privacy", "allowComments", "allowDuet", "allowStitch", "thumbOffset", "brandContent", "brandOrganic"},
				DropsTextOf: media.Video,
			},
		},
		ContentType: func(assets []media.Asset, _ post.Options) post.ContentType {
			if slices.ContainsFunc(assets, func(a media.Asset) bool { return a.Type == media.Video }) {
				return post.ContentVideo
			}
			return post.ContentPost
		},
		Notes: []string{
			"A video is at most as long as the account allows (see the creator's information).",
			"A video has 23 to 60 frames a second.",
			"An account can have at most 5 pending drafts.",
			"A private account accepts drafts, and posts with a privacy that it offers.",
			"An application that TikTok has not audited (TIKTOK_AUDITED=false) publishes drafts, and posts that only their " +
				"creator sees.",
		},
	}
}
