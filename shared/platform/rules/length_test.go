package rules_test

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
	"fencepost.internal/shared/platform/rules"
)

// TestShortenedTextsFit shortens texts of every kind for every network: the result fits, and what fits of the text is its
// longest start that does.
func TestShortenedTextsFit(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"words":           strings.Repeat("clay and glaze, ", 6000),
		"without a space": strings.Repeat("a", 70_000),
		"emoji":           strings.Repeat("👩‍🎨🏺", 9000),
		"Japanese":        strings.Repeat("陶器の市場。", 12_000),
		"a link at last":  strings.Repeat("clay ", 14_000) + "https://acme.com/market",
		"text after it":   "https://acme.com/market " + strings.Repeat("clay ", 14_000),
	}
	over := 0
	for _, row := range connectors.Rules().All() {
		for name, text := range texts {
			content := platform.Content{ContentType: post.ContentPost, Text: text}
			l, ok := connectors.Rules().TextLength(row.Type, content)
			require.True(t, ok)
			if l.Over() == 0 {
				continue
			}
			over++
			content.Text = l.Short
			again, _ := connectors.Rules().TextLength(row.Type, content)
			require.Zero(t, again.Over(), "%s %s: %d of %d", row.Name, name, again.Used, again.Max)
			require.Empty(t, again.Short)
			content.Text = text[:l.Fits]
			again, _ = connectors.Rules().TextLength(row.Type, content)
			require.Zero(t, again.Over(), "%s %s", row.Name, name)
		}
	}
	require.Greater(t, over, 60)
}

// TestContentWarningsCount measures a text with a warning, which only counts on networks that show both as one text.
func TestContentWarningsCount(t *testing.T) {
	t.Parallel()
	for typ, used := range map[channel.Type]int{channel.Mastodon: 505, channel.Bluesky: 495} {
		content := platform.Content{
			ContentType: post.ContentPost, Text: strings.Repeat("a", 495), Options: post.Options{ContentWarning: "A kiln 🔥🔥🔥"},
		}
		l, ok := connectors.Rules().TextLength(typ, content)
		require.True(t, ok)
		require.Equal(t, used, l.Used, typ)
		if typ == channel.Mastodon {
			require.Equal(t, 490, l.Fits)
		}
	}
}

func TestShorteningKeepsTheLink(t *testing.T) {
	t.Parallel()
	short := func(text string) string {
		l, _ := connectors.Rules().TextLength(channel.Twitter, platform.Content{ContentType: post.ContentPost, Text: text})
		return l.Short
	}
	words := strings.Repeat("clay ", 60)
	require.Regexp(t, `clay… https://acme\.com/market$`, short(words+"at https://acme.com/market"))
	require.Equal(t, "Plan your visit: https://acme.com/market", short("Plan your visit: https://acme.com/market "+words))
	require.Regexp(t, `clay clay…$`, short(words))
	require.Empty(t, short("clay"))
}

// TestTextsWithoutLinks drops links as a person would: nothing of them stays, and the rest reads on.
func TestTextsWithoutLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"clay":                                    "clay",
		"See https://acme.com/market now":         "See now",
		"See https://acme.com/market.":            "See.",
		"https://acme.com/a and https://b.com/c?": "and?",
		"Visit us (https://acme.com/a_(b)) today": "Visit us today",
		"Visit us:\nhttps://acme.com\n\nBowls":    "Visit us:\n\nBowls",
		"Bowls\n\nhttps://bücher.example.com/日":   "Bowls",
		"https://acme.com":                        "",
		"acme.com stays, @acme.com too":           "acme.com stays, @acme.com too",
	} {
		got, links := rules.Unlinked(text)
		require.Equal(t, want, got, text)
		require.Equal(t, strings.Count(text, "https://"), links, text)
		again, none := rules.Unlinked(got)
		require.Equal(t, got, again)
		require.Zero(t, none)
	}
	unlinked := func(text string) string {
		l, _ := connectors.Rules().TextLength(channel.Twitter, platform.Content{ContentType: post.ContentPost, Text: text})
		return l.Unlinked
	}
	words := strings.TrimSpace(strings.Repeat("clay ", 53))
	require.Equal(t, words, unlinked(words+" https://acme.com/market"))
	require.Empty(t, unlinked(words), "it fits")
	require.Empty(t, unlinked(words+words+" https://acme.com/market"), "too long without the link")
}

func TestAttachmentsThatFit(t *testing.T) {
	t.Parallel()
	picture := media.Asset{Type: media.Image, ContentType: "image/jpeg", Size: 1 << 20}
	video := media.Asset{Type: media.Video, ContentType: "video/mp4", Size: 1 << 20}
	described := picture
	described.AltText = "Three bowls"
	table := connectors.Rules()
	of := func(kind channel.Type, files ...media.Asset) []int {
		return table.Fitting(kind, platform.Content{ContentType: post.ContentPost, Media: files})
	}
	require.Nil(t, of(channel.Twitter, picture, picture), "all of them")
	require.Nil(t, of(channel.Twitter))
	require.Equal(t, []int{0, 1, 2, 3}, of(channel.Twitter, picture, picture, picture, picture, picture))
	require.Equal(t, []int{1}, of(channel.YouTube, media.Asset{Type: media.Document, ContentType: "application/pdf"}, video))
	require.Equal(t, []int{1}, table.Undescribed(channel.Twitter, platform.Content{
		ContentType: post.ContentPost, Media: []media.Asset{described, picture},
	}))
	require.Nil(t, table.Undescribed(channel.TelegramChannel, platform.Content{ContentType: post.ContentPost, Media: []media.Asset{picture}}))
	require.Nil(t, rules.NewTable().Fitting(channel.Twitter, platform.Content{Media: []media.Asset{picture}}))
}

// TestTrimmedVideosResolveTheFinding trims a video that is too long: the network has nothing against its length any more.
func TestTrimmedVideosResolveTheFinding(t *testing.T) {
	t.Parallel()
	table := connectors.Rules()
	content := platform.Content{ContentType: post.ContentPost, Text: "Kiln", Media: []media.Asset{{
		Type: media.Video, ContentType: media.ContentTypeMP4, Size: 1 << 20, Probe: media.Probe{Duration: 200 * time.Second, Width: 720, Height: 720},
	}}}
	about := func(kind channel.Type) string {
		for _, f := range table.Check(kind, content) {
			if f.Member == "mediaIds/0" && !f.Warning {
				return f.Message
			}
		}
		return ""
	}
	message := about(channel.Twitter)
	require.Equal(t, 140*time.Second, table.Trimmed(channel.Twitter, content, 0, message))
	require.Equal(t, 200*time.Second, content.Media[0].Probe.Duration, "the content stays as it is")
	premium := true
	content.Facts.Premium = &premium
	require.Empty(t, about(channel.Twitter), "an account with Premium has other limits")
	content.Facts.Premium = nil
	content.Media[0].ContentType = "video/unknown"
	require.Zero(t, table.Trimmed(channel.Twitter, content, 0, about(channel.Twitter)), "its length is not the reason")
	content.Media[0].Type = media.Image
	require.Zero(t, table.Trimmed(channel.Twitter, content, 0, message))
	content.Media[0].Type = media.Video
	content.Media[0].ContentType = media.ContentTypeMP4
	content.ContentType = post.ContentStory
	require.Equal(t, time.Minute, table.Trimmed(channel.InstagramProfessional, content, 0, about(channel.InstagramProfessional)), "the length of a story, not of a reel")
}
