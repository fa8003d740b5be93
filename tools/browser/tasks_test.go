package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// longest is the longest time, in milliseconds, in which a page may not react.
const longest = 50

// task is a time in which a page did not react. Script is the part of it in scripts, with the layouts that they forced.
type task struct {
	Duration float64  `json:"duration"`
	Script   float64  `json:"script"`
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
		script: (f.scripts ?? []).reduce((sum, s) => sum + s.duration, 0),
		scripts: (f.scripts ?? []).map((s) => [s.invoker, s.sourceFunctionName, s.duration.toFixed(), s.forcedStyleAndLayoutDuration.toFixed()].join(' '))
		})))`)
	for _, one := range found {
		w.t.Logf("%s: %.0f ms, in scripts %.0f ms: %s", what, one.Duration, one.Script, strings.Join(one.Scripts, "; "))
		require.LessOrEqual(w.t, one.Script, float64(longest), "%s: %v", what, one)
	}
}

// TestNoLongTasks types in the composer for 14 channels, and drags in a month with 500 posts.
func TestNoLongTasks(t *testing.T) {
	t.Parallel()
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
	w.shows("#text")
	w.must(`([...document.querySelectorAll('#composer input[name=channel]')].slice(0, 14).forEach((box) => box.click()), null)`, nil)
	w.wait(`document.querySelector('#picked').textContent.startsWith('14 of')`)
	w.run(chromedp.Focus(chromedp.CSS("#text")))
	w.tasks("typing", func() {
		for range 4 {
			for _, key := range "The kiln is open. #clay @mara " {
				w.run(chromedp.KeyEvent(string(key)))
			}
			w.wait(saved) // the page has saved and examined what was typed
		}
	})
	w.findsFaults()
	w.open(path + "/calendar?view=month&day=" + first.Format(time.DateOnly))
	w.wait(`document.querySelector('.slip[data-move]')`)
	x := eval[float64](w, `document.querySelector('.slip[data-move]').getBoundingClientRect().left + 8`)
	y := eval[float64](w, `document.querySelector('.slip[data-move]').getBoundingClientRect().top + 8`)
	w.tasks("dragging", func() {
		w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
		for i := range 60 {
			w.mouse(input.DispatchMouseEventTypeMouseMoved, x+float64(i*10), y+float64(i*5))
		}
		w.run(chromedp.KeyEvent("\x1b"))
		w.mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
	})
	w.requireQuiet()
}

// findsFaults requires that findings follow the last key within 300 ms, 95 times of 100.
func (w *tab) findsFaults() {
	w.t.Helper()
	const times, slow = 40, 300
	w.must(`(window.took = [], document.querySelector('#composer').addEventListener('htmx:oobAfterSwap', (event) => {
		if (event.target.id === 'findings' && window.typed) took.push(performance.now() - typed), window.typed = 0;
	}), document.addEventListener('input', () => { window.typed = performance.now(); }, true), null)`, nil)
	for i := range times {
		w.run(chromedp.KeyEvent("a"))
		w.wait(fmt.Sprintf("took.length === %d", i+1))
		w.wait(saved)
	}
	late := eval[float64](w, `took.sort((a, b) => a - b)[Math.floor(took.length * 0.95) - 1]`)
	w.t.Logf("findings after %.0f ms (p95)", late)
	require.LessOrEqual(w.t, late, float64(slow))
}
