package instagram

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

func row() rules.Row {
	caption := rules.Text{Max: 2_200, Count: rules.Characters()}
	picture := rules.File{
		Type: media.Image, Formats: []rules.Format{rules.JPEG}, Max: 8 * rules.MB,
		Shape: rules.Shape{
			// Instagram documents an error for an aspect ratio out of bounds but none for a width, and is known to
			// scale such images. A violation is therefore a warning.
			Width: rules.Span{Min: 320, Max: 1_440, Else: "will be scaled"},
			// Documented as 4:5, but 3:4, the portrait of phones, has been accepted since 2025.
			Ratio: rules.Ratios{Min: rules.Aspect(3, 4), Max: rules.Aspect(1.91, 1)},
		},
	}
	reel := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4, rules.MOV}, Max: 300 * rules.MB,
		Shape: rules.Shape{
			Width: rules.Span{Max: 1_920}, Ratio: rules.Ratios{Min: rules.Aspect(0.01, 1), Max: rules.Aspect(10, 1)},
		},
		Length: rules.Length{Min: 3 * time.Second, Max: 15 * time.Minute},
	}
	photo := rules.File{Type: media.Image, Formats: []rules.Format{rules.JPEG}, Max: 8 * rules.MB}
	videoStory := rules.File{
		Type: media.Video, Formats: []rules.Format{rules.MP4, rules.MOV}, Max: 100 * rules.MB,
		Length: rules.Length{Min: 3 * time.Second, Max: 60 * time.Second},
	}
	feed := rules.UpTo(10, picture, reel)
	feed.Alike = rules.Cropped
	return rules.Row{
		// At most 300 characters, 4 hashtags and 1 URL (Instagram Platform: IG Comment).
		Reply: rules.Text{Max: 300, Count: rules.Characters()},
		// Instagram documents no limit of comments under media. Those of its app are the limits of a caption.
		Comment: rules.Comment{
			Text: caption, Limits: []rules.Limit{{Of: rules.Hashtags(), Max: 30}}, Without: rules.As(post.ContentStory),
		},
		Type: channel.InstagramProfessional, Name: "Instagram",
		Forms: []rules.Form{
			{Name: "Feed posts", As: rules.As(post.ContentPost), Media: feed, Text: caption},
			{Name: "Reels", As: rules.As(post.ContentReel, post.ContentVideo), Media: rules.One(reel).Covered(photo), Text: caption},
			{
				Name: "Stories", As: rules.As(post.ContentStory), Media: rules.One(photo, videoStory),
				Text: rules.Text{Dropped: true},
			},
		},
		AltText: rules.AltText{Of: []media.Type{media.Image}, As: rules.As(post.ContentPost), Max: 1_000},
		Limits: []rules.Limit{
			// Instagram's own limit since 2025-12-19. Its API documents 30, and no response to 6 is known.
			{Of: rules.Hashtags(), Max: 5, Unsure: true},
			{Of: rules.Hashtags(), Max: 30},
			{Of: rules.Mentions(), Max: 20},
		},
		Options: options(),
		// Meta documents 50 and 100. The number of an account can be read, and is then used instead.
		// https://developers.facebook.com/docs/instagram-platform/content-publishing#limitations
		Quota:        rules.Quota{Max: 50, Unsure: true},
		OptionFaults: optionFaults,
		Notes: []string{
			"A feed post of one video is shown as a reel; of several files it is a carousel.",
			"A video has H.264 or HEVC with AAC, 23 to 60 frames a second and at most 25 Mbit a second. 9:16 is recommended.",
		},
	}
}

// permanent returns the content types of posts that are no stories.
func permanent() []post.ContentType {
	return rules.As(post.ContentPost, post.ContentReel, post.ContentVideo)
}

// longestName is the longest user name.
const longestName = 30

// optionFaults refuses two covers, and names that are none.
func optionFaults(o post.Options) map[string]string {
	for name, list := range map[string][]string{"collaborators": o.Collaborators, "userTags": o.UserTags} {
		if slices.ContainsFunc(list, func(user string) bool { return !namePattern.MatchString(user) }) {
			return map[string]string{name: name + " are user names on Instagram, such as acme.tiles, without @."}
		}
	}
	if o.CoverURL != "" && o.ThumbOffset != nil {
		return map[string]string{"thumbOffset": "thumbOffset has no effect with coverUrl; remove one of them."}
	}
	return nil
}

func options() []rules.Option {
	label := rules.AIGenerated()
	label.As = permanent()
	return []rules.Option{
		{Name: "coverUrl", Is: rules.Address, Max: 2_048, Meaning: "URL of a reel's cover", Only: media.Video},
		{Name: "thumbOffset", Is: rules.Moment, Meaning: "the frame that is the cover", Only: media.Video},
		{Name: "shareToFeed", Is: rules.Flag, Meaning: "whether a reel is also shown in the feed", Only: media.Video},
		{
			Name: "collaborators", Is: rules.List, Range: rules.Span{Min: 1, Max: 3}, Max: longestName, As: permanent(),
			Meaning: "user names of accounts that are invited as authors",
		},
		{
			Name: "userTags", Is: rules.List, Range: rules.Span{Min: 1, Max: 20}, Max: longestName, As: permanent(),
			Meaning: "user names of accounts that are tagged in the first file",
		},
		{
			Name: "locationId", Is: rules.ID, As: permanent(), Meaning: "id of the Facebook Page of the place",
		},
		{
			Name: "trialReel", Is: rules.Word, Values: []string{"manual", "automatic"}, Only: media.Video, Strict: true,
			Excludes: []string{"collaborators", "shareToFeed"},
			Meaning:  "shows a reel to people who do not follow first, and to followers by hand or when it does well",
		},
		label,
	}
}
