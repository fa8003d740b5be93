package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// person is the browser's User-Agent. Without it, visits would count as a bot's.
const person = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

// look is a device and color scheme of a visitor.
type look struct {
	width, height int64
	mobile, dark  bool
	zone          string
}

func phone() look { return look{width: 390, height: 844, mobile: true, zone: "Europe/Stockholm"} }

func desk() look { return look{width: 1280, height: 900, zone: "Europe/Stockholm"} }

func (l look) atNight() look {
	l.dark = true
	return l
}

func (l look) name() string {
	if l.dark {
		return "dark"
	}
	return "light"
}

// chrome is a running browser.
type chrome struct {
	context.Context

	rules string // script of the accessibility rules
}

// openBrowser starts Chromium for the test, with further options.
func openBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) chrome {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserAgent(person),
		chromedp.Flag("headless", "new"), chromedp.Flag("disable-dev-shm-usage", true))
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(options, more...)...)
	t.Cleanup(stop)
	browser, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	require.NoError(t, chromedp.Do(browser)) // starts the browser
	return chrome{browser, axe(t)}
}

// profile returns the same browser with cookies of its own, as in a private window, so that tests run side by side.
func (c chrome) profile(t *testing.T) chrome {
	t.Helper()
	ctx, end := chromedp.NewContext(c, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	require.NoError(t, chromedp.Do(ctx)) // creates it
	return chrome{ctx, c.rules}
}

// tab is a browser window and the problems that it reported.
type tab struct {
	context.Context

	t     *testing.T
	look  look // with which it was opened
	rules string
	keys  int64 // held down while the mouse moves
	mu    sync.Mutex
	// violations contains console, script and network errors, and policy violations.
	violations []string
}

// openTab opens a window with a look.
func openTab(t *testing.T, browser chrome, l look) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	w := &tab{Context: ctx, t: t, look: l, rules: browser.rules}
	require.NoError(t, chromedp.Listen(ctx, w.hear))
	call(w, audits.Enable, cdp.Empty{})
	call(w, log.Enable, cdp.Empty{})
	call(w, network.Enable, network.EnableParams{})
	call(w, runtime.Enable, cdp.Empty{})
	call(w, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: l.zone})
	call(w, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en-GB"})
	call(w, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	w.appears(l)
	return w
}

// appears gives the window the size, the input and the color scheme of a look.
func (w *tab) appears(l look) {
	w.t.Helper()
	call(w, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: l.width, Height: l.height, DeviceScaleFactor: 2, Mobile: l.mobile,
	})
	call(w, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: l.mobile})
	call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.name()}},
	})
}

// call sends a protocol command to the window.
func call[P, R any](w *tab, command cdp.Command[P, R], parameters P) R {
	w.t.Helper()
	response, err := chromedp.Call(w.Context, command, parameters)
	require.NoError(w.t, err)
	return response
}

func (w *tab) hear(event any) {
	violation := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		raw, _ := json.Marshal(e.ExceptionDetails)
		violation = "exception: " + string(raw)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			violation = fmt.Sprintf("console: %v", e.Args)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			violation = "log: " + e.Entry.Text + " " + e.Entry.URL
		}
	case *audits.EventIssueAdded:
		// A consent ends with redirects across sites, as it must.
		if raw, _ := json.Marshal(e.Issue); !strings.Contains(string(raw), "BounceTrackingIssue") {
			violation = "issue: " + string(raw)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			violation = fmt.Sprintf("network: %d %s", e.Response.Status, e.Response.URL)
		}
	}
	if violation != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.violations = append(w.violations, violation)
	}
}

// requireQuiet requires that the browser reported no problems.
func (w *tab) requireQuiet() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Empty(w.t, w.violations)
}

const timeout = 60 * time.Second

func (w *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.Context, timeout)
	defer cancel()
	var err error
	for range 5 { // a part of the page that is just being replaced is looked for again
		if err = chromedp.Do(ctx, actions...); err == nil || !strings.Contains(err.Error(), "Could not find node with given id") {
			break
		}
	}
	require.NoError(w.t, err)
}

// open navigates to an address and waits until it is loaded completely.
func (w *tab) open(address string) {
	w.t.Helper()
	w.run(chromedp.Navigate(address))
	// Images further down load only when the user scrolls to them.
	w.must(`Promise.all([...document.images].map(i => { i.loading = 'eager'; return i.decode(); })).then(() => true)`,
		true)
}

// eval evaluates an expression and awaits its promise.
func eval[T any](w *tab, expression string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.Context, timeout)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise,
		func(p *runtime.EvaluateParams) {
			yes := true
			p.UserGesture = &yes
		}))
	require.NoError(w.t, err, expression)
	return got
}

func (w *tab) must(expression string, want any) {
	w.t.Helper()
	require.EqualValues(w.t, want, eval[any](w, expression), expression)
}

// wait waits until an expression is true. An expression on a page that is being left fails, which is not final.
func (w *tab) wait(expression string) {
	w.t.Helper()
	require.EventuallyWithT(w.t, func(c *assert.CollectT) {
		ctx, cancel := context.WithTimeout(w.Context, timeout)
		defer cancel()
		got, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		require.NoError(c, err)
		if !got {
			page, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText"))
			require.True(c, got, "%s is not true at %s", expression, page)
		}
	}, timeout, 20*time.Millisecond)
}

// requireAccessible checks the page with the rules of axe-core (WCAG 2.2 and best practice).
func (w *tab) requireAccessible() {
	w.t.Helper()
	if !eval[bool](w, `typeof axe === 'object'`) {
		w.must(w.rules+"; true", true)
	}
	w.settle()
	type result struct {
		Passes int      `json:"passes"`
		Faults []string `json:"faults"`
	}
	got := eval[result](w, `axe.run({resultTypes: ['violations']}).then(r => ({passes: r.passes.length,
		faults: r.violations.map(v => v.id + ': ' + v.help + '\n  ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join('\n  '))}))`)
	require.Greater(w.t, got.Passes, 10, "the rules did not run")
	require.Empty(w.t, got.Faults, strings.Join(got.Faults, "\n"))
}

// settle ends the animations. A change of the color scheme fades the colors, which would be seen half-way.
func (w *tab) settle() {
	w.t.Helper()
	w.must(`document.getAnimations().filter(a => a.effect.getComputedTiming().endTime < Infinity).forEach(a => a.finish())`, nil)
}

// requireFits requires that no element extends beyond the width of the window (WCAG 2.2, 1.4.10).
func (w *tab) requireFits() {
	w.t.Helper()
	w.must(`document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] : [location.pathname, ...[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > document.documentElement.clientWidth).map(e => e.outerHTML.slice(0, 200))]`, []any{})
	// Inputs scroll their text; regions for tables that can be focused, tabs, filters, sets and the days of a week scroll sideways; slips and bars show the start of a
	// text. A network's mark overlaps the corner of a face. On a phone, the bar with the buttons of a form extends beyond it
	// to the edges of the window. The channels and the media of the composer scroll sideways, and so may previews.
	const meant = `.hidden, .unseen, .scroll[tabindex], input, form:has(.actions), nav.tabs, .face, .row:has(> .face), .subbar, .filters, .weekwrap, .board, .lead-top *, .slip .words, .slip .why, .set, ` +
		`.postbar h1, .chanlist ul, .chan .name, .chan .name *, .daymark span, .corner *, .clip1, .clip2, .strip, .shot small, .whenbar fieldset, ` +
		`.opts summary > span, .sheetbox .ib, .pvshow, .pvshow *`
	w.must(
		`[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && e.clientWidth > 0 && e.scrollWidth > e.clientWidth && !e.matches('`+meant+`')).map(e => e.outerHTML)`, []any{})
}

// keep writes a screenshot of the whole page if screenshots are enabled.
func (w *tab) keep(name string) {
	w.t.Helper()
	path := shot(name)
	if path == "" {
		return
	}
	w.wait(`document.documentElement?.clientWidth > 0`) // a page that is being replaced has no width
	const whole = 100
	ctx, cancel := context.WithTimeout(w.Context, timeout)
	defer cancel()
	raw, err := chromedp.Run(ctx, chromedp.FullScreenshot(whole))
	require.NoError(w.t, err)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, raw, 0o600))
}
