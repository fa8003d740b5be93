package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestQueue arranges the queue of a channel by buttons, keys and the mouse, takes it back, pauses, resumes and changes the
// weekly times.
func TestQueue(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person = "queue@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	of := postgrestest.Column(t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = 'THREADS'`, workspace)[0]
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false, timezone = 'UTC'
		WHERE id = $1`, of)
	postgrestest.Exec(t, a.dsn, `DELETE FROM channel_slot WHERE channel_id = $1`, of)
	postgrestest.Exec(t, a.dsn, `INSERT INTO channel_slot (channel_id, weekday, minute) SELECT $1, d, m FROM generate_series(0, 6) d, unnest('{540,1080}'::int[]) m`, of)
	ids := postgrestest.Column(t, a.dsn, `SELECT id::text FROM post WHERE workspace_id = $1 AND status = 'SCHEDULED' ORDER BY id LIMIT 2`, workspace)
	require.Len(t, ids, 2)
	now := time.Now().UTC()
	at := func(day, hour int) string {
		return time.Date(now.Year(), now.Month(), now.Day()+day, hour, 0, 0, 0, time.UTC).Format(time.RFC3339)
	}
	for i, id := range ids {
		postgrestest.Exec(t, a.dsn, `UPDATE post SET channel_id = $2, scheduled_at = $3, content = $4, title = '', media_ids = '{}',
			waiting_reason = NULL, publishing_since = NULL WHERE id = $1`, id, of, at(1+i, 9), []string{"Bowls", "Cups"}[i])
	}
	postgrestest.Exec(t, a.dsn, `UPDATE post SET scheduled_at = NULL, status = 'DRAFT' WHERE workspace_id = $1 AND status = 'SCHEDULED'
		AND channel_id = $2 AND id <> ALL ($3::uuid[])`, workspace, of, "{"+strings.Join(ids, ",")+"}")
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/queue/" + of)
	w.signIn(person, words)
	w.shows("#queue")
	is := func(id, want string) {
		t.Helper()
		w.wait(`document.querySelector('[data-post="` + id + `"]')?.dataset.at === '` + want + `'`)
		w.wait(`!document.querySelector('.qrow.lift')`)
	}
	is(ids[0], at(1, 9))
	w.inEveryLook("queue")

	w.click("#down-" + ids[0]) // to the free slot of the evening
	is(ids[0], at(1, 18))
	w.wait(`document.activeElement.id === 'down-` + ids[0] + `'`)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('“Bowls” is now ')`)
	w.click("#down-" + ids[0]) // to the place of Cups: they swap
	is(ids[0], at(2, 9))
	is(ids[1], at(1, 18))
	w.click(".toasts .undo")
	is(ids[0], at(1, 18))
	is(ids[1], at(2, 9))

	w.run(chromedp.Focus(chromedp.CSS("#grip-" + ids[1])))
	w.run(chromedp.KeyEvent("\r"))
	w.wait(`document.querySelector('#grip-` + ids[1] + `').getAttribute('aria-pressed') === 'true'`)
	w.must(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true, cancelable: true}))`, false)
	w.wait(`document.querySelector('#said').textContent.startsWith('now ')`)
	w.run(chromedp.KeyEvent("\x1b"))
	is(ids[1], at(2, 9))
	w.run(chromedp.KeyEvent("\r"))
	w.must(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true, cancelable: true}))`, false)
	w.run(chromedp.KeyEvent("\r"))
	is(ids[1], at(1, 18))
	is(ids[0], at(2, 9))

	top := eval[string](w, `document.querySelector('.qrow[data-at]').dataset.at`)
	w.click("#top-" + ids[0])
	is(ids[0], top)
	is(ids[1], at(1, 18))
	// Someone else has moved it since. A refresh of the page between two steps would undo the first.
	w.must(`(() => {
		const down = document.querySelector('#down-`+ids[0]+`')
		down.form.elements.from.value = '`+at(1, 17)+`'
		down.click()
	})()`, nil)
	w.wait(`document.querySelector('.toasts .bad')?.innerText.includes('Someone else moved this post')`)
	w.expect("422", "422")
	is(ids[0], top)

	// Two posts have one other order.
	w.open(path + "/queue/" + of)
	w.click(".queuebar .confirm:first-of-type summary")
	w.click(".queuebar [action$='/shuffle'] button")
	is(ids[0], at(1, 18))
	is(ids[1], top)

	w.click(".queuebar .confirm:last-of-type summary")
	w.click(".queuebar [action$='/pause'] button")
	w.wait(`document.querySelector('.paused')?.innerText.includes('is paused since')`)
	w.inEveryLook("queue-paused")
	w.click(".paused button")
	w.wait(`document.querySelector('#queue') && !document.querySelector('.paused')`)

	w.click(".weekslots > div:nth-child(2) summary")
	w.must(`(document.querySelector('#time-TUESDAY').value = '12:30', true)`, true)
	w.inEveryLook("queue-times")
	w.click(".addslot[open] .primary")
	w.wait(`document.querySelector('.notice')?.innerText.includes('12:30 added on Tue')`)
	w.click(`[name=remove][value="TUESDAY 12:30"]`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('Tue 12:30 removed')`)
	w.requireQuiet()
}
