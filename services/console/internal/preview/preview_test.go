package preview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/preview"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/presentation"
)

func view(t *testing.T, kind channel.Type, content platform.Content) presentation.View {
	t.Helper()
	if content.ContentType == "" {
		content.ContentType = post.ContentPost
	}
	shown, ok := presentation.Of(connectors.Rules(), kind, content)
	require.True(t, ok)
	return shown
}

// drawn returns the drawing of a post.
func drawn(t *testing.T, kind channel.Type, content platform.Content) string {
	t.Helper()
	p := preview.Preview{
		View: view(t, kind, content), Account: preview.Account{Name: "Acme <Studio>", Username: "acme"}, Head: true, Notes: true,
		At: time.Date(2026, time.November, 28, 8, 30, 0, 0, time.UTC),
	}
	for i := range content.Media {
		p.Pictures = append(p.Pictures, preview.Picture{
			URL: fmt.Sprintf("https://files.example.com/%d", i), Alt: content.Media[i].AltText, Name: `"><script>alert(1)</script>.jpg`,
		})
	}
	html, err := preview.Render(p)
	require.NoError(t, err)
	return string(html)
}

func images(n int) []media.Asset {
	list := make([]media.Asset, n)
	for i := range list {
		list[i] = media.Asset{Type: media.Image, ContentType: "image/jpeg", Probe: media.Probe{Width: 4, Height: 5}}
	}
	return list
}

// TestTextsOfStrangersAreText checks every place of every frame.
func TestTextsOfStrangersAreText(t *testing.T) {
	t.Parallel()
	const attack = `<script>alert(1)</script>" onload="x`
	attacked := images(2)
	for i := range attacked {
		attacked[i].AltText = attack
	}
	for _, kind := range channel.Types() {
		if !kind.Capabilities().Publish {
			continue
		}
		for _, contentType := range []post.ContentType{post.ContentPost, post.ContentReel, post.ContentStory, post.ContentVideo} {
			for _, assets := range [][]media.Asset{
				nil, attacked[:1], attacked, {{Type: media.Video, ContentType: "video/mp4"}}, {{Type: media.Document, ContentType: "application/pdf"}},
			} {
				html := drawn(t, kind, platform.Content{
					Text: strings.Repeat(attack, 30) + " https://example.com/<b>", Title: attack, Media: assets, ContentType: contentType,
					Options: post.Options{
						Link: "https://example.com/" + attack, EventTitle: attack, CouponCode: attack, CallToAction: attack,
						Visibility: attack, TopicType: "OFFER",
					},
				})
				require.NotContains(t, html, "<script", "%s %s", kind, contentType)
				require.NotContains(t, html, `" onload="`, "%s %s", kind, contentType)
				require.NotContains(t, html, "<b>", "%s %s", kind, contentType)
				require.NotContains(t, html, "Acme <Studio>", "%s %s", kind, contentType)
				require.NotContains(t, html, "style=", "the policy forbids it")
				require.NotContains(t, html, "ZgotmplZ", "%s %s", kind, contentType)
			}
		}
	}
}

func TestTheHiddenRestIsBehindItsWord(t *testing.T) {
	t.Parallel()
	html := drawn(t, channel.InstagramProfessional, platform.Content{
		Text: strings.Repeat("a", 125) + "hidden", Media: images(1),
	})
	require.Contains(t, html, `<details class="pvrest"><summary>… more</summary>hidden</details>`)
	html = drawn(t, channel.InstagramProfessional, platform.Content{Text: "short", Media: images(1)})
	require.NotContains(t, html, "<details")
	html = drawn(t, channel.Pinterest, platform.Content{Text: "described", Media: images(1)})
	require.Contains(t, html, "<summary>Description</summary>")
}

func TestTheExcessIsMarked(t *testing.T) {
	t.Parallel()
	html := drawn(t, channel.Twitter, platform.Content{Text: strings.Repeat("a", 280) + "bc"})
	require.Contains(t, html, `a<mark class="pvexcess">bc</mark>`)
	require.Contains(t, html, "2 characters too many")
}

func TestATagIsShownAsALink(t *testing.T) {
	t.Parallel()
	html := drawn(t, channel.Twitter, platform.Content{Text: "Hi #there"})
	require.Contains(t, html, `Hi <span class="pvlink">#there</span>`)
}

func TestACarouselCountsItsTiles(t *testing.T) {
	t.Parallel()
	html := drawn(t, channel.InstagramProfessional, platform.Content{Media: images(3)})
	for _, place := range []string{"1/3", "2/3", "3/3"} {
		require.Contains(t, html, `<span class="pvof">`+place+`</span>`)
	}
	require.Contains(t, html, `tabindex="0" role="group" aria-label="Attachments, 3"`)
	require.Contains(t, html, `viewBox="0 0 800 1000"`)
}

func TestAttachmentsThatAreNotShownAreCounted(t *testing.T) {
	t.Parallel()
	html := drawn(t, channel.FacebookPage, platform.Content{Media: images(9)})
	require.Contains(t, html, `<span class="pvplus">+4</span>`)
	require.Equal(t, 5, strings.Count(html, "<img "))
}

func TestAltMarkOnlyWhereTheTextIsPublished(t *testing.T) {
	t.Parallel()
	described := images(1)
	described[0].AltText = "Bowls"
	require.Contains(t, drawn(t, channel.Twitter, platform.Content{Media: described}), ">ALT<")
	require.NotContains(t, drawn(t, channel.TelegramChannel, platform.Content{Media: described}), ">ALT<")
	require.NotContains(t, drawn(t, channel.Twitter, platform.Content{Media: images(1)}), ">ALT<")
}

func TestAPreviewWithoutPicturesAndTimesIsDrawn(t *testing.T) {
	t.Parallel()
	for _, kind := range channel.Types() {
		if !kind.Capabilities().Publish {
			continue
		}
		html, err := preview.Render(preview.Preview{View: view(t, kind, platform.Content{Media: images(2)})})
		require.NoError(t, err)
		require.NotContains(t, string(html), "<img ", kind)
		require.NotContains(t, string(html), "pvnote", kind)
		_, err = preview.Render(preview.Preview{View: view(t, kind, platform.Content{})})
		require.NoError(t, err)
	}
}

func TestLengthsOfVideos(t *testing.T) {
	t.Parallel()
	for length, want := range map[time.Duration]string{
		9 * time.Second: "0:09", 768 * time.Second: "12:48", 3*time.Hour + 2*time.Minute: "3:02:00",
	} {
		html := drawn(t, channel.YouTube, platform.Content{
			Title: "Kiln", ContentType: post.ContentVideo,
			Media: []media.Asset{{Type: media.Video, Probe: media.Probe{Width: 16, Height: 9, Duration: length}}},
		})
		require.Contains(t, html, `<span class="len">`+want+`</span>`)
	}
}

func TestEventsHaveTheirTimes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ start, end, want string }{
		{"2026-11-28T10:00", "2026-11-28T18:00", "28 Nov, 10:00 to 18:00"},
		{"2026-11-28", "2026-11-30", "28 Nov to 30 Nov"},
		{"2026-11-28", "2026-11-28", "28 Nov"},
		{"2026-11-28T10:00", "2026-11-29T02:00", "28 Nov, 10:00 to 29 Nov, 02:00"},
	} {
		html := drawn(t, channel.GoogleBusiness, platform.Content{Text: "Hi", Options: post.Options{
			TopicType: "EVENT", EventTitle: "Market", EventStart: tc.start, EventEnd: tc.end,
		}})
		require.Contains(t, html, "<small>"+tc.want+"</small>")
	}
}

func TestAccountsAndPicturesAreThoseOfTheChannel(t *testing.T) {
	t.Parallel()
	account := preview.AccountOf(channel.Channel{Name: "Acme", Username: "@acme"}, "https://files.example.com/face")
	require.Equal(t, preview.Account{Name: "Acme", Username: "acme", Picture: "https://files.example.com/face"}, account)
	pictures := preview.PicturesOf([]app.DeliveredAsset{{
		Asset: media.Asset{AltText: "Bowls", Name: "a.jpg"}, ThumbnailURL: "https://files.example.com/1",
	}})
	require.Equal(t, []preview.Picture{{URL: "https://files.example.com/1", Alt: "Bowls", Name: "a.jpg"}}, pictures)
}
