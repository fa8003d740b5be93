package report_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/chart"
	"fencepost.internal/services/internal/report"
	"fencepost.internal/services/internal/report/reporttest"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

func count(v int64) *int64 { return &v }

// sample is a report with the texts at every place where texts of people or networks are.
func sample(t *testing.T, channels, posts int, text string) app.Report {
	t.Helper()
	month, ok := analytics.ParseMonth("2026-03")
	require.True(t, ok)
	r := app.Report{Workspace: text, City: "America/New_York", Month: month, At: time.Date(2026, 4, 4, 8, 0, 0, 0, time.UTC)}
	r.Range, r.Before, r.Zone = month.Range(), month.Previous().Range(), time.UTC
	var all []analytics.Source
	for range channels {
		c := app.ChannelFigures{Channel: channel.Channel{ID: ident.New[ident.Channel](), Name: text, Type: channel.Mastodon}}
		c.Stopped = text
		source := analytics.Source{Channel: c.Channel.ID}
		for d := range analytics.DaysFrom(r.From, r.To) {
			source.Days = append(source.Days, analytics.ChannelDay{Date: d, ChannelFigures: analytics.ChannelFigures{Impressions: count(int64(d.Day)), Followers: count(1234)}})
		}
		all = append(all, source)
		for _, f := range append(analytics.Charted(), analytics.Engagements) {
			c.Figures = append(c.Figures, app.Compared{Series: analytics.Compose(f, r.Range, []analytics.Source{source})})
		}
		r.Channels = append(r.Channels, c)
	}
	for _, f := range append(analytics.Charted(), analytics.Engagements) {
		r.Figures = append(r.Figures, app.Compared{Series: analytics.Compose(f, r.Range, all), Earlier: analytics.Compose(f, r.Before, nil)})
	}
	for range posts {
		r.Results = append(r.Results, postgres.MeasuredPost{Words: text, PostResult: analytics.PostResult{
			ID: ident.New[ident.Post](), PublishedAt: r.At, Latest: analytics.PostDay{PostFigures: analytics.PostFigures{Likes: count(7)}},
		}})
	}
	return r
}

func TestReportHasFigures(t *testing.T) {
	t.Parallel()
	r := sample(t, 2, 3, "Acme Studio")
	var logo bytes.Buffer
	picture := image.NewNRGBA(image.Rect(0, 0, 64, 16))
	picture.Set(1, 1, color.NRGBA{255, 0, 0, 128})
	require.NoError(t, png.Encode(&logo, picture))
	r.Logo = logo.Bytes()
	raw, err := report.Write(r)
	require.NoError(t, err)
	require.Contains(t, string(raw), "/Subtype /Image")
	texts := reporttest.Texts(t, raw)
	require.Contains(t, texts, "Acme Studio")
	require.Contains(t, texts, "Report for March 2026")
	require.Contains(t, texts, chart.Text(analytics.Impressions, r.Of(analytics.Impressions).Total))
	require.Contains(t, texts, chart.Text(analytics.Followers, r.Of(analytics.Followers).Total))
	require.Contains(t, texts, "No figures.", "no reach")
	at := slices.Index(texts, "Reach")
	require.Equal(t, []string{"Reach", chart.None, chart.None}, texts[at:at+3], "what is unknown is not zero")
	again, err := report.Write(r)
	require.NoError(t, err)
	require.Equal(t, raw, again, "the same figures are the same file")
}

// TestHostileTextsBreakNothing writes texts that break lines, words, scripts, the syntax of PDF and the shape of others.
func TestHostileTextsBreakNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"long words":    strings.Repeat("Donaudampfschifffahrt", 200),
		"wide words":    strings.Repeat("W", 5000),
		"syntax of PDF": `\) Tj ET endstream endobj 1 0 obj << /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >> (\`,
		"emoji":         "Launch 🚀🚀🚀 👩‍👩‍👧‍👦 \U0001F1E9\U0001F1EA day",
		"right to left": "שלום עולם 123 مرحبا بالعالم",
		"marks":         "\u202eevil\u202c \u2066x\u2069 \ufeff\u200b\u00ad",
		"controls":      "a\x00b\x1bc\r\nd\te\x7f\u0085\u2028f",
		"not UTF-8":     "a\xff\xfe\xc3(b",
		"combining":     "Z" + strings.Repeat("\u0300", 500),
		"other planes":  "𝕳𝖊𝖑𝖑𝖔 \U0010FFFF \uFFFE \uFFFF",
		"other scripts": "日本語 ไทย हिन्दी",
		"markup":        "<b>&amp;</b>",
		"nothing":       "",
		"spaces":        " \t ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := report.Write(sample(t, 40, 12, text))
			require.NoError(t, err)
			texts := reporttest.Texts(t, raw)
			require.Contains(t, texts, "Report for March 2026")
			require.NotContains(t, strings.Join(texts, ""), "\u202e")
			require.NotContains(t, string(raw), "/OpenAction")
			require.NotContains(t, string(raw), "/JavaScript")
			require.Less(t, len(raw), 2<<20)
			require.GreaterOrEqual(t, bytes.Count(raw, []byte("/Type /Page\n")), 2, "a long table goes on")
		})
	}
	texts := reporttest.Texts(t, written(t, "Launch 🚀🚀 day"))
	require.Contains(t, texts, "Launch □ day")
	texts = reporttest.Texts(t, written(t, "שלום"))
	require.Contains(t, texts, "םולש", "as it is seen, from the left")
	texts = reporttest.Texts(t, written(t, `a) Tj (b\`))
	require.Contains(t, texts, `a) Tj (b\`)
}

func written(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := report.Write(sample(t, 1, 1, text))
	require.NoError(t, err)
	return raw
}

func TestPictureThatCannotBeReadIsLeftOut(t *testing.T) {
	t.Parallel()
	r := sample(t, 0, 0, "Acme")
	r.Logo = []byte("no picture")
	raw, err := report.Write(r)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "/Subtype /Image")
	require.Contains(t, reporttest.Texts(t, raw), "No channel is connected.")
}
