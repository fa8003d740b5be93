package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// Longest times in milliseconds.
const (
	longest = 50  // in which a page may not react
	drawing = 200 // from the first byte of a calendar to its last frame
	finding = 300 // from a key to what the service finds in the text
)

// task is a time in which a page did not react. Script is the part of it in scripts, with the layouts that they forced; Layout
// is the part after them.
type task struct {
	Duration float64  `json:"duration"`
	Script   float64  `json:"script"`
	Layout   float64  `json:"layout"`
	Scripts  []string `json:"scripts"`
}

// tasks makes the processor four times slower, and returns the longest tasks while something is done.
func (w *tab) tasks(what string, do func()) {
	w.t.Helper()
	slower := func(rate float64) {
		call(w, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate})
	}
	w.must(`(window.slow = [], window.watcher = new PerformanceObserver((list) => slow.push(...list.getEntries())),
		watcher.observe({type: 'long-animation-frame'}), watcher.observe({type: 'longtask'}), null)`, nil)
	slower(4)
	do()
	slower(1)
	found := eval[[]task](w, `(watcher.disconnect(), slow.map((f) => ({duration: f.duration,
		layout: f.styleAndLayoutStart ? f.startTime + f.duration - f.styleAndLayoutStart : 0,
		script: (f.scripts ?? []).reduce((sum, s) => sum + s.duration, 0),
		scripts: (f.scripts ?? []).map((s) => [s.invoker, s.sourceFunctionName, s.duration.toFixed(), s.forcedStyleAndLayoutDuration.toFixed()].join(' '))
		})))`)
	for _, one := range found {
		w.t.Logf("%s: %.0f ms, in scripts %.0f ms, drawing %.0f ms: %s", what, one.Duration, one.Script, one.Layout, strings.Join(one.Scripts, "; "))
		require.LessOrEqual(w.t, one.Script, float64(longest), "%s: %v", what, one)
	}
}

// drawn returns how long the page takes from its first byte to the frame after its last script, in the middle of five times.
func (w *tab) drawn(address string) float64 {
	w.t.Helper()
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `addEventListener('load', () => requestAnimationFrame(() => setTimeout(() => { window.drawn = performance.now(); })))`,
	})
	var times []float64
	for range 5 {
		w.open(address)
		w.wait(`window.drawn`)
		times = append(times, eval[float64](w, `drawn - performance.getEntriesByType('navigation')[0].responseStart`))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// found types keys one by one, and returns how long after the slowest but one the page shows what the service found.
func (w *tab) found(keys string) float64 {
	w.t.Helper()
	w.must(`(window.waits = [], document.addEventListener('input', () => { window.typed = performance.now(); }),
		document.addEventListener('htmx:afterRequest', (e) => { if (e.target.id === 'composer') waits.push(performance.now() - typed); }), null)`, nil)
	for i, key := range keys {
		w.run(chromedp.KeyEvent(string(key)))
		w.wait(fmt.Sprintf(`waits.length > %d`, i))
	}
	return eval[float64](w, `waits.sort((a, b) => a - b).at(-2)`)
}

// TestNoLongTasks types in the composer for 14 channels, and shows and drags in a month with 500 posts. It measures times, and
// is not parallel to others.
func TestNoLongTasks(t *testing.T) {
	a, chromium := openApplication(t), openBrowser(t)
	const person = "tasks@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	first := time.Now().UTC().AddDate(0, 1, 1-time.Now().UTC().Day()).Truncate(24 * time.Hour)
	postgrestest.Exec(t, a.dsn, `INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, scheduled_at, created_at, updated_at, revision)
		SELECT gen_random_uuid(), $1, c.id, 'Kiln day ' || i || ': cups, plates and bowls from the wood firing', 'POST', 'SCHEDULED',
			$2::timestamptz + i * interval '80 minutes', now(), now(), 1
		FROM generate_series(0, 499) AS i, LATERAL (SELECT id FROM channel WHERE workspace_id = $1 ORDER BY id OFFSET i % 14 LIMIT 1) AS c`,
		workspace, first.Format(time.RFC3339))
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/compose")
	w.signIn(person, words)
	w.wait(`document.activeElement?.id === 'text'`) // its script runs
	w.must(`([...document.querySelectorAll('#composer input[name=channel]')].slice(0, 14).forEach((box) => box.click()), null)`, nil)
	w.wait(`document.querySelector('#picked').textContent.startsWith('14 of')`)
	w.run(chromedp.Focus(chromedp.CSS("#text")))
	elapsed := w.found("Twenty letters typed")
	t.Logf("findings: %.0f ms after a key", elapsed)
	require.LessOrEqual(t, elapsed, float64(finding))
	w.tasks("typing", func() {
		for range 4 {
			for _, key := range "The kiln is open. #clay @mara " {
				w.run(chromedp.KeyEvent(string(key)))
			}
			w.wait(saved) // the page has saved and examined what was typed
		}
	})
	elapsed = w.drawn(path + "/calendar?view=month&day=" + first.Format(time.DateOnly))
	t.Logf("calendar of 500 posts: %.0f ms", elapsed)
	require.LessOrEqual(t, elapsed, float64(drawing))
	w.wait(`document.querySelector('.slip[data-move]')`)
	x := eval[float64](w, `document.querySelector('.slip[data-move]').getBoundingClientRect().left + 8`)
	y := eval[float64](w, `document.querySelector('.slip[data-move]').getBoundingClientRect().top + 8`)
	w.tasks("dragging", func() {
		w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
		for i := range 60 {
			w.mouse(input.DispatchMouseEventTypeMouseMoved, x+float64(i*10), y+float64(i*5))
		}
		w.run(chromedp.KeyEvent("\x1b"))
		w.mouse(input.DispatchMouseEventTypeMouseReleased, x+59*10, y+59*5) // where it is: on its slip, it would be a click
	})
	w.requireQuiet()
}
