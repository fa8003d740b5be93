package presentation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/presentation"
	"fencepost.internal/shared/platform/rules"
)

// view returns how a network shows a post.
func view(t *testing.T, kind channel.Type, content platform.Content) presentation.View {
	t.Helper()
	if content.ContentType == "" {
		content.ContentType = post.ContentPost
	}
	shown, ok := presentation.Of(connectors.Rules(), kind, content)
	require.True(t, ok)
	return shown
}

func images(n, width, height int) []media.Asset {
	list := make([]media.Asset, n)
	for i := range list {
		list[i] = media.Asset{
			Type: media.Image, ContentType: "image/jpeg", Probe: media.Probe{Width: width, Height: height},
		}
	}
	return list
}

func video(width, height int, length time.Duration) []media.Asset {
	return []media.Asset{{
		Type: media.Video, ContentType: "video/mp4", Probe: media.Probe{Width: width, Height: height, Duration: length},
	}}
}

// parts returns the shown text, the hidden rest and the excess.
func parts(v presentation.View) (shown, rest, excess string) {
	for _, run := range v.Text {
		switch {
		case run.Rest:
			rest += run.Text
		case run.Excess:
			excess += run.Text
		default:
			shown += run.Text
		}
	}
	return shown, rest, excess
}

func TestTextsAreCutWhereTheirNetworkCutsThem(t *testing.T) {
	t.Parallel()
	letters := func(n int) string { return strings.Repeat("a", n) }
	for name, tc := range map[string]struct {
		kind    channel.Type
		content platform.Content
		shown   int // characters
		more    string
	}{
		"Instagram at 125":        {channel.InstagramProfessional, platform.Content{Text: letters(126), Media: images(1, 4, 5)}, 125, "… more"},
		"Instagram fits in 125":   {channel.InstagramProfessional, platform.Content{Text: letters(125), Media: images(1, 4, 5)}, 125, ""},
		"a reel at 55":            {channel.InstagramProfessional, platform.Content{Text: letters(56), Media: video(9, 16, time.Minute), ContentType: post.ContentReel}, 55, "… more"},
		"LinkedIn at 210":         {channel.LinkedInPage, platform.Content{Text: letters(211)}, 210, "…more"},
		"LinkedIn at three lines": {channel.LinkedInPage, platform.Content{Text: "a\nb\nc\nd"}, 5, "…more"},
		"LinkedIn, a long line":   {channel.LinkedInPage, platform.Content{Text: letters(71) + "\n" + letters(71)}, 71 + 1 + 70, "…more"},
		"Facebook at 480":         {channel.FacebookPage, platform.Content{Text: letters(481)}, 480, "… See more"},
		"Facebook at five lines":  {channel.FacebookPage, platform.Content{Text: "a\nb\nc\nd\ne\nf"}, 9, "… See more"},
		"TikTok at 100":           {channel.TikTokPersonal, platform.Content{Text: letters(101), Media: video(9, 16, time.Minute)}, 100, "… more"},
		"Threads shows all":       {channel.Threads, platform.Content{Text: letters(500)}, 500, ""},
		"X shows all":             {channel.Twitter, platform.Content{Text: letters(280)}, 280, ""},
		"Telegram shows all":      {channel.TelegramChannel, platform.Content{Text: letters(4096)}, 4096, ""},
		"a long text on X": {channel.Twitter, platform.Content{
			Text: letters(1000), Options: post.Options{LongText: new(true)},
		}, 280, "Show more"},
		"a long text on Threads": {channel.Threads, platform.Content{
			Text: letters(1000), Options: post.Options{LongText: new(true)},
		}, 500, "Read more"},
		"white space after the cut hides nothing": {channel.InstagramProfessional, platform.Content{
			Text: letters(125) + "  \n", Media: images(1, 4, 5),
		}, 128, ""},
		"Pinterest shows the text later": {channel.Pinterest, platform.Content{Text: letters(3), Media: images(1, 2, 3)}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := view(t, tc.kind, tc.content)
			shown, _, _ := parts(got)
			require.Len(t, []rune(shown), tc.shown)
			require.Equal(t, tc.more, got.More)
		})
	}
}

func TestACutDividesNoCharacter(t *testing.T) {
	t.Parallel()
	family := "👨‍👩‍👧‍👦"
	got := view(t, channel.InstagramProfessional, platform.Content{
		Text: strings.Repeat("a", 124) + family + family, Media: images(1, 4, 5),
	})
	shown, rest, _ := parts(got)
	require.Equal(t, strings.Repeat("a", 124)+family, shown)
	require.Equal(t, family, rest)
}

func TestTheExcessIsMarkedFromTheFirstCharacterTooMany(t *testing.T) {
	t.Parallel()
	got := view(t, channel.Twitter, platform.Content{Text: strings.Repeat("a", 280) + "bc"})
	_, _, excess := parts(got)
	require.Equal(t, "bc", excess)
	require.Equal(t, 2, got.Over)
	require.Equal(t, "2 characters too many: the marked part does not fit.", got.Notes[0])

	// An emoji counts as 2, and a link as 23: it is marked as a whole.
	got = view(t, channel.Twitter, platform.Content{Text: strings.Repeat("a", 279) + "🙂"})
	_, _, excess = parts(got)
	require.Equal(t, "🙂", excess)
	got = view(t, channel.Twitter, platform.Content{Text: strings.Repeat("a", 256) + " https://example.com/" + strings.Repeat("b", 90)})
	_, _, excess = parts(got)
	require.Empty(t, excess)
	got = view(t, channel.Twitter, platform.Content{Text: strings.Repeat("a", 257) + " https://example.com/b"})
	_, _, excess = parts(got)
	require.Equal(t, "example.com/b", excess)
	require.Equal(t, 1, got.Over)

	// Servers of Mastodon have other limits.
	got = view(t, channel.Mastodon, platform.Content{Text: strings.Repeat("a", 501)})
	_, _, excess = parts(got)
	require.Empty(t, excess)
}

func TestMarksAreThoseOfTheNetwork(t *testing.T) {
	t.Parallel()
	const text = "See #one and #two by @acme.studio at https://www.example.com/a/very/long/path/to/the/market or example.com, #1"
	for kind, want := range map[channel.Type][]string{
		channel.Twitter: {
			"hashtag #one", "hashtag #two", "mention @acme", "link www.example.com/a/very/long…", "link example.com",
		},
		channel.Threads:               {"hashtag #one", "mention @acme.studio", "link www.example.com/a/very/long/pa…"},
		channel.InstagramProfessional: {"hashtag #one", "hashtag #two", "mention @acme.studio"},
		channel.LinkedInPage:          {"hashtag #one", "hashtag #two", "link https://www.example.com/a/very/long/path/to/the/market", "link example.com"},
		channel.Mastodon:              {"hashtag #one", "hashtag #two", "mention @acme.studio", "link www.example.com/a/very/long/pa…"},
		channel.GoogleBusiness:        nil,
	} {
		var got []string
		for _, run := range view(t, kind, platform.Content{Text: text, Media: images(1, 1, 1)}).Text {
			if run.Kind != presentation.Plain {
				got = append(got, string(run.Kind)+" "+run.Text)
			}
		}
		require.Equal(t, want, got, kind)
	}
}

func TestMastodonShowsMentionsWithoutTheirServers(t *testing.T) {
	t.Parallel()
	got := view(t, channel.Mastodon, platform.Content{Text: "By @acme@example.social!"})
	shown, _, _ := parts(got)
	require.Equal(t, "By @acme!", shown)
}

// rows returns the numbers of tiles in the rows of a mosaic.
func rows(tiles []presentation.Tile) (found []int) {
	for i := 0; i < len(tiles); i += max(1, tiles[i].InRow) {
		found = append(found, tiles[i].InRow)
	}
	return found
}

func TestPicturesAreArrangedAsOnTheirNetwork(t *testing.T) {
	t.Parallel()
	for kind, want := range map[channel.Type][][]int{ // by the number of pictures, from two
		channel.FacebookPage:    {{2}, {1, 2}, {2, 2}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}},
		channel.LinkedInPage:    {{2}, {1, 2}, {1, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}},
		channel.TelegramChannel: {{2}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {2, 2, 3}, {2, 3, 3}, {3, 3, 3}, {3, 3, 4}},
		channel.Twitter:         {{2}, nil, {2, 2}},
	} {
		for i, expected := range want {
			n := i + 2
			got := view(t, kind, platform.Content{Media: images(n, 1200, 1200)})
			require.Equal(t, presentation.Mosaic, got.Layout)
			if expected != nil {
				require.Equal(t, expected, rows(got.Tiles), "%s, %d pictures", kind, n)
			}
			last := got.Tiles[len(got.Tiles)-1]
			require.Equal(t, n, len(got.Tiles)+last.More, "%s, %d pictures", kind, n)
		}
	}
	for kind, layout := range map[channel.Type]presentation.Layout{
		channel.InstagramProfessional: presentation.Carousel, channel.Threads: presentation.Row,
		channel.Pinterest: presentation.Carousel, channel.TikTokPersonal: presentation.Carousel,
	} {
		got := view(t, kind, platform.Content{Media: images(5, 1080, 1350)})
		require.Equal(t, layout, got.Layout, kind)
		require.Len(t, got.Tiles, 5, kind)
	}
	got := view(t, channel.Bluesky, platform.Content{Media: images(7, 3, 2)})
	require.Equal(t, presentation.Row, got.Layout, "a gallery")
}

func TestTheFirstOfThreePicturesIsTallOnX(t *testing.T) {
	t.Parallel()
	got := view(t, channel.Twitter, platform.Content{Media: images(3, 1200, 1200)})
	require.True(t, got.Tiles[0].Lead)
	require.Equal(t, rules.Aspect(8, 9), got.Tiles[0].Shape)
	require.Equal(t, rules.Aspect(16, 9), got.Tiles[1].Shape)
	require.False(t, got.Tiles[2].Lead)
}

func TestPicturesAreCroppedToTheShapesOfTheirNetwork(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind          channel.Type
		width, height int
		shape         rules.Ratio
		cropped       bool
	}{
		"a square stays one":                 {channel.InstagramProfessional, 1080, 1080, rules.Aspect(1080, 1080), false},
		"too tall for Instagram":             {channel.InstagramProfessional, 1080, 1920, rules.Aspect(3, 4), true},
		"too wide for Instagram":             {channel.InstagramProfessional, 3000, 1000, rules.Aspect(1.91, 1), true},
		"the portrait of phones":             {channel.InstagramProfessional, 3024, 4032, rules.Aspect(3024, 4032), false},
		"rounding is no crop":                {channel.InstagramProfessional, 1080, 1443, rules.Aspect(1080, 1443), false},
		"Google's pictures":                  {channel.GoogleBusiness, 1000, 1000, rules.Aspect(4, 3), true},
		"bars on TikTok":                     {channel.TikTokPersonal, 1000, 1000, rules.Aspect(9, 16), false},
		"unknown dimensions":                 {channel.InstagramProfessional, 0, 0, rules.Aspect(4, 5), false},
		"a very tall pin":                    {channel.Pinterest, 500, 5000, rules.Aspect(1, 2.1), true},
		"a tall picture in a list of Google": {channel.GoogleBusiness, 900, 1600, rules.Aspect(4, 3), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tile := view(t, tc.kind, platform.Content{Media: images(1, tc.width, tc.height)}).Tiles[0]
			require.Equal(t, tc.shape, tile.Shape)
			require.Equal(t, tc.cropped, tile.Cropped)
		})
	}
}

func TestTheFirstPictureSetsTheShapeOfACarousel(t *testing.T) {
	t.Parallel()
	list := append(images(1, 1080, 1350), images(1, 1080, 1080)...)
	got := view(t, channel.InstagramProfessional, platform.Content{Media: list})
	require.Equal(t, "Instagram carousel", got.Name)
	require.False(t, got.Tiles[0].Cropped)
	require.Equal(t, got.Tiles[0].Shape, got.Tiles[1].Shape)
	require.True(t, got.Tiles[1].Cropped)
}

func TestACardIsShownOnlyWhereTheNetworkShowsOne(t *testing.T) {
	t.Parallel()
	const text = "Plan your visit: https://www.example.com/market"
	link := post.Options{Link: "https://example.com/other"}
	for name, tc := range map[string]struct {
		kind    channel.Type
		content platform.Content
		domain  string // empty: no card
	}{
		"X":                                     {channel.Twitter, platform.Content{Text: text}, "example.com"},
		"X, with a picture":                     {channel.Twitter, platform.Content{Text: text, Media: images(1, 1, 1)}, ""},
		"X, without a protocol":                 {channel.Twitter, platform.Content{Text: "See example.com/market"}, "example.com"},
		"X, no link":                            {channel.Twitter, platform.Content{Text: "Plan your visit"}, ""},
		"Threads, without a protocol":           {channel.Threads, platform.Content{Text: "See example.com/market"}, ""},
		"Facebook":                              {channel.FacebookPage, platform.Content{Text: text}, "example.com"},
		"Facebook, with the option":             {channel.FacebookPage, platform.Content{Text: "Hi", Options: link}, "example.com"},
		"Facebook, with a picture":              {channel.FacebookPage, platform.Content{Text: text, Media: images(1, 1, 1), Options: link}, ""},
		"LinkedIn, without a title":             {channel.LinkedInPage, platform.Content{Text: text}, ""},
		"LinkedIn, with a title":                {channel.LinkedInPage, platform.Content{Text: text, Title: "Visit"}, "example.com"},
		"LinkedIn, with the option":             {channel.LinkedInPage, platform.Content{Text: "Hi", Options: link}, "example.com"},
		"LinkedIn, with the option, a picture":  {channel.LinkedInPage, platform.Content{Text: "Hi", Media: images(1, 1, 1), Options: link}, "example.com"},
		"LinkedIn, with the option, 2 pictures": {channel.LinkedInPage, platform.Content{Text: "Hi", Media: images(2, 1, 1), Options: link}, ""},
		"Bluesky":                               {channel.Bluesky, platform.Content{Text: text}, ""},
		"Telegram":                              {channel.TelegramChannel, platform.Content{Text: text}, "example.com"},
		"Mastodon":                              {channel.Mastodon, platform.Content{Text: text}, "example.com"},
		"Google Business":                       {channel.GoogleBusiness, platform.Content{Text: text}, ""},
		"Instagram":                             {channel.InstagramProfessional, platform.Content{Text: text}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := view(t, tc.kind, tc.content)
			if tc.domain == "" {
				require.Nil(t, got.Card)
				return
			}
			require.NotNil(t, got.Card)
			require.Equal(t, tc.domain, got.Card.Domain)
		})
	}
}

func TestTheCardOfLinkedInHasTheTitleAndThePictureOfThePost(t *testing.T) {
	t.Parallel()
	got := view(t, channel.LinkedInPage, platform.Content{
		Text: "Hi", Title: "How a small market pays", Media: images(1, 1, 1), Options: post.Options{Link: "https://example.com"},
	})
	require.Equal(t, "LinkedIn article", got.Name)
	require.Equal(t, "How a small market pays", got.Card.Title)
	require.Equal(t, 0, got.Card.Picture)
	require.Empty(t, got.Tiles)
}

func TestVideosAreShownAsTheirNetworkShowsThem(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind    channel.Type
		content platform.Content
		frame   presentation.Frame
		as      string
	}{
		"an upright video on YouTube":     {channel.YouTube, platform.Content{Media: video(1080, 1920, time.Minute), ContentType: post.ContentVideo}, presentation.Tall, "YouTube Short"},
		"a long one":                      {channel.YouTube, platform.Content{Media: video(1080, 1920, 4*time.Minute), ContentType: post.ContentReel}, presentation.Video, "YouTube video"},
		"a wide one, asked for as a reel": {channel.YouTube, platform.Content{Media: video(1920, 1080, time.Minute), ContentType: post.ContentReel}, presentation.Video, "YouTube video"},
		"an unknown one":                  {channel.YouTube, platform.Content{Media: video(0, 0, 0), ContentType: post.ContentReel}, presentation.Tall, "YouTube Short"},
		"a video alone on Instagram":      {channel.InstagramProfessional, platform.Content{Media: video(0, 0, 0)}, presentation.Tall, "Instagram reel"},
		"a video beside a picture":        {channel.InstagramProfessional, platform.Content{Media: append(video(4, 5, time.Minute), images(1, 4, 5)...)}, presentation.Caption, "Instagram carousel"},
		"a story":                         {channel.InstagramProfessional, platform.Content{Text: "Hi", Media: images(1, 9, 16), ContentType: post.ContentStory}, presentation.Story, "Instagram story"},
		"an upright video on Facebook":    {channel.FacebookPage, platform.Content{Media: video(1080, 1920, time.Minute)}, presentation.Tall, "Facebook reel"},
		"a wide video on Facebook":        {channel.FacebookPage, platform.Content{Media: video(1920, 1080, time.Minute)}, presentation.Feed, "Facebook video"},
		"a video on X":                    {channel.Twitter, platform.Content{Media: video(1920, 1080, time.Minute)}, presentation.Feed, "X video"},
		"photos on TikTok":                {channel.TikTokPersonal, platform.Content{Media: images(3, 4, 5)}, presentation.Tall, "TikTok carousel"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := view(t, tc.kind, tc.content)
			require.Equal(t, tc.frame, got.Frame)
			require.Equal(t, tc.as, got.Name)
		})
	}
}

func TestAStoryShowsNoText(t *testing.T) {
	t.Parallel()
	got := view(t, channel.InstagramProfessional, platform.Content{
		Text: "Hi", Media: images(1, 9, 16), ContentType: post.ContentStory,
	})
	require.Empty(t, got.Text)
	require.Contains(t, got.Notes, "The text is not shown.")
}

func TestACoverIsThePictureOfItsVideo(t *testing.T) {
	t.Parallel()
	got := view(t, channel.YouTube, platform.Content{
		Title: strings.Repeat("t", 101), Media: append(images(1, 16, 9), video(1920, 1080, 768*time.Second)...),
		ContentType: post.ContentVideo,
	})
	require.Len(t, got.Tiles, 1)
	require.Equal(t, 1, got.Tiles[0].Index)
	require.Equal(t, 0, got.Tiles[0].Picture)
	require.Equal(t, 768*time.Second, got.Tiles[0].Length)
	require.Len(t, got.Title, 3, "shown, hidden and too long")
	require.Len(t, got.Title[0].Text, 70)
	require.True(t, got.Title[1].Rest)
	require.True(t, got.Title[2].Excess)
}

func TestADocumentIsShownByItsPages(t *testing.T) {
	t.Parallel()
	paper := []media.Asset{{
		Type: media.Document, ContentType: "application/pdf", Probe: media.Probe{Width: 595, Height: 842, Frames: 12},
	}}
	got := view(t, channel.LinkedInPage, platform.Content{Title: "Prices", Media: paper})
	require.Equal(t, "LinkedIn document", got.Name)
	require.Equal(t, presentation.Pages, got.Layout)
	require.Equal(t, 12, got.Tiles[0].Pages)
	require.Equal(t, "Prices", got.Title[0].Text)
	require.Equal(t, presentation.Files, view(t, channel.TelegramChannel, platform.Content{Media: paper}).Layout)
}

func TestTheAltMarkIsThatOfTextsThatArePublished(t *testing.T) {
	t.Parallel()
	list := images(1, 1, 1)
	list[0].AltText = "A bowl"
	require.True(t, view(t, channel.Twitter, platform.Content{Media: list}).Tiles[0].Described)
	require.False(t, view(t, channel.TelegramChannel, platform.Content{Media: list}).Tiles[0].Described)
}

func TestOptionsShow(t *testing.T) {
	t.Parallel()
	got := view(t, channel.TikTokPersonal, platform.Content{
		Media: video(9, 16, time.Minute), Options: post.Options{BrandContent: new(true), Privacy: platform.PrivacyFriends},
	})
	require.Equal(t, "Paid partnership", got.Label)
	require.Equal(t, "friends", got.Audience)
	got = view(t, channel.GoogleBusiness, platform.Content{Options: post.Options{
		TopicType: "OFFER", CallToAction: "SHOP", EventTitle: "Sale", EventStart: "2026-12-01", EventEnd: "2026-12-24T18:00",
		CouponCode: "BOWL",
	}})
	require.Equal(t, "Buy", got.Button)
	require.True(t, got.Event.Offer)
	require.False(t, got.Event.Timed)
	require.Equal(t, 24, got.Event.End.Day())
	got = view(t, channel.Pinterest, platform.Content{
		Media: images(1, 2, 3), Options: post.Options{Link: "https://user@www.Example.com:8080/x"},
	})
	require.Equal(t, "example.com:8080", got.Site)
}

func TestEveryNetworkThatPublishesHasALook(t *testing.T) {
	t.Parallel()
	for _, kind := range channel.Types() {
		_, ok := presentation.Of(connectors.Rules(), kind, platform.Content{ContentType: post.ContentPost, Text: "Hi"})
		require.Equal(t, kind.Capabilities().Publish, ok, kind)
	}
}

func TestTheTextOfTheRunsIsThatOfThePost(t *testing.T) {
	t.Parallel()
	const text = "مرحبا #شاي, @a.b $ACME\r\n\n\x00" + "https://example.com/?q=#x 👩‍🚀 <b>&amp; "
	for _, kind := range []channel.Type{channel.LinkedInPage, channel.TelegramChannel, channel.Bluesky, channel.FacebookPage} {
		var got strings.Builder
		for _, run := range view(t, kind, platform.Content{Text: text}).Text {
			got.WriteString(run.Text)
		}
		require.Equal(t, text, got.String(), kind)
	}
}

func TestTheGridOfAProfileHasPostsWithPictures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind    channel.Type
		content platform.Content
		want    bool
	}{
		"a picture":                {channel.InstagramProfessional, platform.Content{Media: images(1, 4, 5)}, true},
		"a reel":                   {channel.InstagramProfessional, platform.Content{Media: video(9, 16, time.Minute), ContentType: post.ContentReel}, true},
		"a reel beside the grid":   {channel.InstagramProfessional, platform.Content{Media: video(9, 16, time.Minute), ContentType: post.ContentReel, Options: post.Options{ShareToFeed: new(false)}}, false},
		"a story":                  {channel.InstagramProfessional, platform.Content{Media: images(1, 9, 16), ContentType: post.ContentStory}, false},
		"no picture yet":           {channel.InstagramProfessional, platform.Content{Text: "Bowls"}, false},
		"a video":                  {channel.TikTokPersonal, platform.Content{Media: video(9, 16, time.Minute)}, true},
		"a draft on the network":   {channel.TikTokPersonal, platform.Content{Media: video(9, 16, time.Minute), Options: post.Options{UploadToDraft: new(true)}}, false},
		"a profile without a grid": {channel.Twitter, platform.Content{Media: images(1, 4, 5)}, false},
	} {
		require.Equal(t, tc.want, view(t, tc.kind, tc.content).Grid, name)
	}
	profile, is := presentation.ProfileOf(channel.NetworkInstagram)
	require.True(t, is)
	require.Equal(t, presentation.Profile{Columns: 3, Shape: rules.Aspect(3, 4)}, profile)
	_, is = presentation.ProfileOf(channel.NetworkX)
	require.False(t, is)
}
