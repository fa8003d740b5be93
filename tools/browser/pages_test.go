package browser_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
)

// axe returns the script of the accessibility rules.
func axe(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "run with `make browser`, which installs it")
	return string(raw)
}

// TestLinkPages tests the pages of one site with one browser.
func TestLinkPages(t *testing.T) {
	t.Parallel()
	s, chromium := openSite(t), openBrowser(t)
	page := s.publish(linkpage.New{
		Handle: "mara", Title: "Mara Lindqvist", Bio: bio, Theme: linkpage.Theme{Avatar: s.avatar},
	}, s.everyBlock()...)
	t.Run("at once", func(t *testing.T) {
		for name, story := range map[string]func(*testing.T, *site, chrome){
			"every block in every look": looks, "every theme": themes, "without scripts": withoutScripts,
			"nothing there": messages, "a countdown runs in the visitor's zone": countdown, "a coupon is copied": coupon,
			"questions open by keyboard": questions, "hostile texts are texts": hostile,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				story(t, s.in(t), chromium.profile(t))
			})
		}
	})
	t.Run("a click is counted once and lands", func(t *testing.T) { click(t, s.in(t), chromium, page) })
}

func looks(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	narrow := phone()
	narrow.width = 320
	for name, l := range map[string]look{
		"phone": phone(), "phone-dark": phone().atNight(), "desk": desk(), "desk-dark": desk().atNight(), "narrow": narrow,
	} {
		t.Run(name, func(t *testing.T) {
			w := openTab(t, chromium, l)
			w.open(s.base + "/mara")
			w.requireFits()
			w.must(`document.querySelectorAll('main > *').length`, len(s.everyBlock()))
			w.must(`[...document.images].every(i => i.naturalWidth > 0)`, true)
			// WCAG 2.2, 2.5.8
			w.must(`[...document.querySelectorAll('a, button, summary')].every(e => e.getBoundingClientRect().height >= 24)`,
				true)
			w.must(`document.querySelector('.notice[role=note]').innerText.includes('Studio sale')`, true)
			w.must(`document.querySelector('.post').innerText.includes('The kiln is open!')`, true)
			w.must(`document.querySelector('.post img').naturalWidth > 0`, true)
			w.must(`document.querySelector('.post a').pathname.startsWith('/l/')`, true)
			require.Empty(t, call(w, network.GetCookies, network.GetCookiesParams{}).Cookies)
			w.keep(name)
			w.requireQuiet()
			w.requireAccessible()
		})
	}
}

func themes(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	handle := func(theme linkpage.ThemeName) string { return "theme-" + strings.ToLower(string(theme)) }
	for _, theme := range linkpage.ThemeNames() {
		s.publish(linkpage.New{Handle: handle(theme), Title: "Mara Lindqvist", Bio: bio, Theme: linkpage.Theme{Name: theme}},
			s.everyBlock()...)
	}
	for _, l := range []look{phone(), phone().atNight()} {
		w := openTab(t, chromium, l)
		for _, theme := range linkpage.ThemeNames() {
			w.open(s.base + "/" + handle(theme))
			w.keep(handle(theme) + "-" + l.name())
			w.requireAccessible()
		}
		w.requireQuiet()
	}
}

// withoutScripts checks that all content is available and usable without scripts, except features that need one.
func withoutScripts(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	w := openTab(t, chromium, phone())
	call(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	w.run(chromedp.Navigate(s.base + "/mara"))
	call(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	w.must(`document.querySelector('.clock').hidden && document.querySelector('.copy').hidden`, true)
	w.must(`document.querySelector('.countdown time').textContent`, "10 January 2031, 08:30 UTC")
	w.must(`document.querySelector('.code code').innerText`, "SPRING-10")
	w.requireAccessible()
}

func messages(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	for _, l := range []look{phone(), desk().atNight()} {
		w := openTab(t, chromium, l)
		w.run(chromedp.Navigate(s.base + "/unknown"))
		w.must(`document.querySelector('h1').textContent`, "Nothing here")
		w.requireFits()
		w.keep("nothing-" + l.name())
		w.requireAccessible()
	}
}

func countdown(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	w := openTab(t, chromium, desk())
	for zone, shown := range map[string]string{
		"Europe/Stockholm": "10 January 2031, 09:30 CET", "Asia/Tokyo": "10 January 2031, 17:30 GMT+9",
		"America/Los_Angeles": "10 January 2031, 00:30 GMT-8",
	} {
		call(w, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone})
		w.open(s.base + "/mara")
		w.must(`document.querySelector('.countdown time').textContent`, shown)
		left := eval[float64](w,
			`(([d, h, m, s]) => ((d * 24 + h) * 60 + m) * 60 + s)([...document.querySelectorAll('.clock b')].map(e => Number(e.textContent)))`)
		require.InDelta(t, time.Until(ends).Seconds(), left, 5)
		before := eval[string](w, `document.querySelector('.clock').textContent`)
		require.Eventually(t, func() bool {
			return eval[string](w,
				`document.querySelector('.clock').textContent`) != before
		}, timeout, 50*time.Millisecond)
	}
	soon := time.Now().Add(12 * time.Second)
	s.publish(linkpage.New{Handle: "soon", Title: "Soon"},
		block(t, "COUNTDOWN", map[string]any{
			"title": "Opening", "endsAt": soon.UTC().Format(time.RFC3339Nano), "endedText": "We are open!",
		}))
	w.open(s.base + "/soon")
	w.must(`document.querySelector('.clock') !== null`, true)
	w.wait(`document.querySelector('.ended') !== null`)
	require.False(t, time.Now().Before(soon.Truncate(time.Second)), "not before its time")
	w.must(`document.querySelector('.ended').textContent`, "We are open!")
	w.requireQuiet()
}

func coupon(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	w := openTab(t, chromium, phone())
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(w.Context, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, Origin: s.base,
			BrowserContextID: chromedp.FromContext(w.Context).BrowserContextID,
		})
		require.NoError(t, err)
	}
	w.open(s.base + "/mara")
	w.run(chromedp.Click(chromedp.CSS(".copy"), chromedp.NodeVisible))
	w.wait(`document.querySelector('.copy').textContent === 'Copied'`)
	w.must(`navigator.clipboard.readText()`, "SPRING-10")
	w.must(`document.querySelector('.copy').getAttribute('aria-live')`, "polite")
	w.wait(`document.querySelector('.copy').textContent === 'Copy the code'`)
	w.requireQuiet()
}

// questions navigates the page with the keyboard only.
func questions(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	w := openTab(t, chromium, desk())
	w.open(s.base + "/mara")
	stops := eval[int](w, `document.querySelectorAll('a[href], button:not([hidden]), summary').length`)
	reached := 0
	for range stops + 1 {
		w.run(chromedp.KeyEvent(kb.Tab))
		if eval[bool](w, `document.activeElement === document.body`) {
			break
		}
		reached++
		w.must(`getComputedStyle(document.activeElement).outlineStyle !== 'none'`, true) // WCAG 2.2, 2.4.7
		if !eval[bool](w, `document.activeElement.tagName === 'SUMMARY'`) {
			continue
		}
		w.must(`document.activeElement.parentElement.open`, false)
		w.run(chromedp.KeyEvent(kb.Enter))
		w.must(
			`document.activeElement.parentElement.open && document.activeElement.nextElementSibling.getBoundingClientRect().height > 0`, true)
		w.run(chromedp.KeyEvent(" "))
		w.must(`document.activeElement.parentElement.open`, false)
		w.run(chromedp.KeyEvent(kb.Enter))
	}
	require.Equal(t, stops, reached, "everything can be reached, in the order of the page")
	w.must(`document.querySelectorAll('details[open]').length`, 2)
	w.keep("questions")
	w.requireQuiet()
}

func hostile(t *testing.T, s *site, chromium chrome) {
	t.Helper()
	w := openTab(t, chromium, phone())
	for i, lines := range []string{
		`<script>window.broken=1</script>`, `</script><script>window.broken=1</script>`,
		`"><img src=x onerror=window.broken=1>`, `' onfocus=window.broken=1 autofocus '`,
		`</style><svg onload=window.broken=1>`, `<!--<script>`, `javascript:window.broken=1`, "a\u2028window.broken=1",
		`\"};window.broken=1//`,
	} {
		handle := "hostile-" + strconv.Itoa(i)
		text := strings.ReplaceAll(lines, "\u2028", " ") // for fields that allow only one line
		s.publish(linkpage.New{Handle: handle, Title: text, Bio: lines, SEO: linkpage.SEO{Title: text, Description: text}},
			linkpage.Samples(linkpage.Sampling{
				Image: s.picture, Post: s.post, Time: "2999-01-01T00:00:00Z",
				Text: func(f linkpage.Field) string {
					given := text
					if f.Kind == linkpage.KindText {
						given = lines
					}
					return string([]rune(given)[:min(len([]rune(given)), f.Max)])
				},
			})...)
		w.open(s.base + "/" + handle)
		w.must(`typeof window.broken`, "undefined")
		w.must(`document.querySelector('h1').textContent`, strings.TrimSpace(text))
		w.must(`document.querySelectorAll('main > *').length`, len(linkpage.BlockTypes()))
		w.requireFits()
		w.requireQuiet() // no injected code was even attempted
	}
}

func click(t *testing.T, s *site, chromium chrome, page linkpage.Page) {
	t.Helper()
	w := openTab(t, chromium, phone())
	visited := make(chan *fetch.EventRequestPaused, 10)
	require.NoError(t, chromedp.Listen(w.Context, func(event any) {
		if e, ok := event.(*fetch.EventRequestPaused); ok {
			visited <- e
		}
	}))
	call(w, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "https://shop.example/*"}}})
	w.open(s.base + "/mara")
	before := s.counted(t.Context(), page)
	const want = "https://shop.example/cups?from=page&n=1"
	clicked := make(chan error, 1)
	go func() {
		clicked <- chromedp.Do(w.Context, chromedp.Click(chromedp.CSS(".featured"), chromedp.NodeVisible))
	}()
	requested := <-visited
	require.Equal(t, want, requested.Request.URL)
	call(w, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: requested.RequestID, ResponseCode: 200, Body: []byte("<title>The shop</title>"),
		ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}},
	})
	require.NoError(t, <-clicked)
	w.wait(`document.title === 'The shop'`)
	w.must(`location.href`, want)
	w.must(`document.referrer`, s.base+"/") // only the origin of the site
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, before.Clicks+1, s.counted(t.Context(), page).Clicks)
	}, time.Minute, 100*time.Millisecond)
	s.stop()
	got := s.counted(t.Context(), page)
	require.Equal(t, before.Clicks+1, got.Clicks, "once")
	require.Positive(t, got.Views)
	require.LessOrEqual(t, got.Visitors, int64(2), "one browser, on two days when it is midnight")
}

func (s *site) counted(ctx context.Context, page linkpage.Page) linkpage.DayVisits {
	s.t.Helper()
	now := time.Now().UTC()
	days, _, err := postgres.NewVisits(s.db).Read(ctx, page.ID, linkpage.Period{From: now.AddDate(0, 0, -1), To: now})
	require.NoError(s.t, err)
	var sum linkpage.DayVisits
	for _, d := range days {
		sum.Views += d.Views
		sum.Visitors += d.Visitors
		sum.Clicks += d.Clicks
	}
	return sum
}
