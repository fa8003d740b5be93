package main

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/options"
	"fencepost.internal/services/console/internal/preview"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// sample is a post whose preview the page of the components shows.
type sample struct {
	Type    channel.Type
	Content platform.Content
}

const (
	sampleText = "Advent market in our yard: Saturday 28 November, 10 to 18 h. 120 pieces from the last three firings, " +
		"the first cobalt bowls, and seconds from €9. Bring a broken favourite: we repair it while you drink something hot. #advent " +
		"@acmestudio https://acme.com/market"
	sampleLetter = "A small market has to pay for a large kiln.\n\nLast winter 1,900 people came to our yard in one day and " +
		"bought a third of what we make in a year. So on Saturday 28 November we open it again: twelve hours, two ovens."
	sampleArabic = "سوق الشتاء في ساحتنا يوم السبت #شاي https://acme.com/market <b>no markup</b> " +
		"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
)

func samplePicture(width, height int) media.Asset {
	return media.Asset{
		Type: media.Image, ContentType: "image/jpeg", AltText: "Bowls on a shelf",
		Probe: media.Probe{Width: width, Height: height},
	}
}

func samplePictures(n int) []media.Asset {
	list := make([]media.Asset, n)
	for i := range list {
		list[i] = samplePicture(1200-i*150, 900+i*100)
	}
	return list
}

func sampleVideo(width, height int, length time.Duration) []media.Asset {
	return []media.Asset{{
		Type: media.Video, ContentType: "video/mp4", Probe: media.Probe{Width: width, Height: height, Duration: length},
	}}
}

// samples returns posts of every network.
func samples() []sample {
	paper := media.Asset{
		Type: media.Document, ContentType: "application/pdf", Name: "Prices of the winter.pdf",
		Probe: media.Probe{Width: 595, Height: 842, Frames: 12},
	}
	yes := true
	return append([]sample{
		{channel.Twitter, platform.Content{Text: sampleText + " " + sampleText, Media: samplePictures(3)}},
		{channel.Twitter, platform.Content{Text: "Plan your visit: https://acme.com/market"}},
		{channel.LinkedInPage, platform.Content{
			Text: sampleLetter, Title: "How a small market pays for a large kiln", Media: samplePictures(1),
			Options: post.Options{Link: "https://www.acme.com/kiln"},
		}},
		{channel.LinkedInPage, platform.Content{
			Text: sampleLetter, Title: "Prices of the winter", Media: []media.Asset{paper},
		}},
		{channel.TikTokPersonal, platform.Content{
			Text: sampleText, Media: sampleVideo(1080, 1920, 40*time.Second),
			Options: post.Options{BrandOrganic: &yes, Privacy: platform.PrivacyFriends},
		}},
		{channel.Threads, platform.Content{Text: sampleText, Media: samplePictures(3)}},
		{channel.Pinterest, platform.Content{
			Text: sampleText, Title: "Celadon vase, 31 cm, three firings: how the colour settles into the shoulder",
			Media: []media.Asset{samplePicture(1000, 1500)}, Options: post.Options{Link: "https://acme.com/vase"},
		}},
		{channel.InstagramProfessional, platform.Content{Text: sampleText, Media: samplePictures(3)}},
		{channel.InstagramProfessional, platform.Content{
			Text: sampleText, Media: sampleVideo(1080, 1920, time.Minute), ContentType: post.ContentReel,
		}},
		{channel.InstagramProfessional, platform.Content{
			Text: sampleText, Media: []media.Asset{samplePicture(1080, 1080)}, ContentType: post.ContentStory,
		}},
	}, moreSamples()...)
}

func moreSamples() []sample {
	return []sample{
		{channel.YouTube, platform.Content{
			Text: sampleText, Title: "Loading the kiln in a minute: 14 shelves, 1,240 °C and a cat",
			Media: sampleVideo(1080, 1920, time.Minute), ContentType: post.ContentReel,
		}},
		{channel.YouTube, platform.Content{
			Text:  sampleText,
			Title: "Firing diary: 14 shelves, one cracked plate and the best cobalt we ever had out of this kiln",
			Media: sampleVideo(1920, 1080, 768*time.Second), ContentType: post.ContentVideo,
		}},
		{channel.FacebookPage, platform.Content{Text: sampleText}},
		{channel.FacebookPage, platform.Content{Text: sampleArabic, Media: samplePictures(7)}},
		{channel.GoogleBusiness, platform.Content{Text: sampleText, Media: samplePictures(1), Options: post.Options{
			TopicType: "EVENT", CallToAction: "BOOK", EventTitle: "Advent market", EventStart: "2026-11-28T10:00",
			EventEnd: "2026-11-28T18:00",
		}}},
		{channel.Bluesky, platform.Content{Text: sampleText, Media: samplePictures(4)}},
		{channel.Mastodon, platform.Content{Text: sampleArabic, Media: samplePictures(2)}},
		{channel.Mastodon, platform.Content{Text: "Which glaze for the next kiln?", Options: post.Options{
			ContentWarning: "Pottery", PollOptions: []string{"Cobalt", "Celadon", "Tenmoku"},
		}}},
		{channel.TelegramChannel, platform.Content{Text: sampleText, Media: samplePictures(5)}},
		{channel.TelegramChannel, platform.Content{Text: sampleText}},
		{channel.TikTokPersonal, platform.Content{Text: sampleText, Title: "Six bowls", Media: samplePictures(3)}},
	}
}

// previews shows posts as every network does.
func previews(a *app.App) func(v *frame.Visit) error {
	return func(v *frame.Visit) error {
		var drawn []template.HTML
		for _, one := range samples() {
			one.Content.ContentType = cmp.Or(one.Content.ContentType, post.ContentPost)
			view, _ := a.Shown(channel.Channel{Type: one.Type}, one.Content)
			shown := preview.Preview{
				View: view, Account: preview.Account{Name: "Acme Studio", Username: "acmestudio"}, Head: true, Notes: true,
				At: time.Date(2026, time.November, 28, 8, 30, 0, 0, time.UTC),
			}
			for i, asset := range one.Content.Media {
				shown.Pictures = append(shown.Pictures, preview.Picture{
					Alt: asset.AltText, Name: asset.Name,
					URL: fmt.Sprintf("/-/components/pictures/%d/%dx%d", i, asset.Probe.Width, asset.Probe.Height),
				})
			}
			html, err := preview.Render(shown)
			if err != nil {
				return err
			}
			drawn = append(drawn, html)
		}
		return v.Page(frame.Page{
			Name: "gallery/previews", Title: "Previews", Bare: true, Wide: true, Styles: []string{preview.Style}, Data: drawn,
		})
	}
}

// forms shows the options of every network.
func forms(a *app.App) func(v *frame.Visit) error {
	type shown struct {
		Type channel.Type
		HTML template.HTML
	}
	return func(v *frame.Visit) error {
		var drawn []shown
		for _, kind := range channel.Types() {
			c := channel.Channel{Type: kind}
			source := options.Source{Channel: c, Options: a.OptionsOf(c), Said: options.Said{
				Creator: &platform.CreatorInfo{
					Nickname: "Acme Studio", PrivacyLevelOptions: []string{platform.PrivacyPublic, platform.PrivacySelf},
					DuetDisabled: true, MaxVideoDurationSec: 600, //nolint:mnd // of a sample
				},
				Boards: []platform.Board{{ID: "1", Name: "Winter"}, {ID: "2", Name: "Kiln", Privacy: "SECRET"}},
			}}
			if kind.Network() != channel.NetworkTikTok {
				source.Said.Creator = nil
			}
			form := source.Form(post.Options{BoardID: "1"}, string(kind)+".")
			if form.Empty() {
				continue
			}
			html, err := form.HTML()
			if err != nil {
				return err
			}
			drawn = append(drawn, shown{kind, html})
		}
		return v.Page(frame.Page{
			Name: "gallery/options", Title: "Options of the networks", Bare: true, Wide: true,
			Styles: []string{options.Style}, Data: drawn,
		})
	}
}

// picture responds with a drawing of the size in the address.
func picture(v *frame.Visit) error {
	var width, height, hue int
	n, _ := fmt.Sscanf(v.Request.PathValue("hue")+" "+v.Request.PathValue("size"), "%d %dx%d", &hue, &width, &height)
	if n != 3 || width < 1 || height < 1 {
		http.NotFound(v.Out, v.Request)
		return nil
	}
	v.Out.Header().Set("Content-Type", "image/svg+xml")
	_, err := fmt.Fprintf(v.Out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d"`+
		` height="%[2]d"><rect width="100%%" height="100%%" fill="hsl(%[3]d 40%% 72%%)"/>`+
		`<circle cx="50%%" cy="42%%" r="22%%" fill="hsl(%[3]d 60%% 45%%)"/>`+
		`<rect y="80%%" width="100%%" height="20%%" fill="hsl(%[3]d 30%% 30%%)"/></svg>`, width, height, hue*67+20)
	return err
}
