package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// mouse moves the mouse to a point, and presses or releases its button.
func (w *tab) mouse(what input.DispatchMouseEventType, x, y float64) {
	w.t.Helper()
	call(w, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: what, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1,
	})
}

// drags drags an element by the mouse, and ends over another one or, with a key, without a drop.
func (w *tab) drags(from string, byX, byY float64, drop bool) {
	w.t.Helper()
	w.must(`(document.querySelector(`+quoted(from)+`).scrollIntoView({block: 'center'}), null)`, nil)
	x := eval[float64](w, `document.querySelector(`+quoted(from)+`).getBoundingClientRect().left + 8`)
	y := eval[float64](w, `document.querySelector(`+quoted(from)+`).getBoundingClientRect().top + 8`)
	w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	for i := range 5 {
		part := float64(i+1) / 5
		w.mouse(input.DispatchMouseEventTypeMouseMoved, x+byX*part, y+byY*part)
	}
	w.wait(`document.querySelector('.draghint')`)
	if !drop {
		w.run(chromedp.KeyEvent("\x1b"))
	}
	w.mouse(input.DispatchMouseEventTypeMouseReleased, x+byX, y+byY)
	w.wait(`!document.querySelector('.draghint')`)
}

func quoted(selector string) string { return "'" + selector + "'" }

// movesPosts moves a post of the calendar by mouse, by keys and by its page, takes a move back, and is refused.
func movesPosts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "calendar@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	id := postgrestest.Column(t, a.dsn, `SELECT id::text FROM post WHERE content = 'Late' AND workspace_id = $1`, workspace)[0]
	// Of a network that takes a text without media: a move is checked like every change of a post.
	postgrestest.Exec(t, a.dsn, `UPDATE post SET channel_id =
		(SELECT id FROM channel WHERE workspace_id = $2 AND type = 'THREADS') WHERE id = $1`, id, workspace)
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false
		WHERE id = (SELECT channel_id FROM post WHERE id = $1)`, id)
	// A Wednesday at 15:00: neither the past nor the end of the week is near.
	zone, err := time.LoadLocation("Europe/Stockholm")
	require.NoError(t, err)
	now := time.Now().In(zone)
	at := time.Date(now.Year(), now.Month(), now.Day()-int(now.Weekday())+int(time.Wednesday)+14, 15, 0, 0, 0, zone)
	postgrestest.Exec(t, a.dsn, `UPDATE post SET scheduled_at = $2 WHERE id = $1`, id, at.UTC())
	postgrestest.Exec(t, a.dsn, `UPDATE workspace SET timezone = 'Europe/Stockholm' WHERE id = $1`, workspace)
	slip := "#slip-" + id
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/calendar?view=week&day=" + at.Format(time.DateOnly))
	w.signIn(person, words)
	w.wait(`document.querySelector(".calbar")`)
	is := func(want time.Time) {
		t.Helper()
		w.wait(`document.querySelector(` + quoted(slip) + `)?.dataset.at === '` + want.Format("2006-01-02T15:04") + `'`)
		w.wait(`!document.querySelector('.moving')`)
	}
	is(at)
	w.inEveryLook("calendar-week")
	column := eval[float64](w, `document.querySelector('.daycol').getBoundingClientRect().width`)

	w.drags(slip, column, -60, true) // one day later, an hour earlier
	moved := time.Date(at.Year(), at.Month(), at.Day()+1, 14, 0, 0, 0, zone)
	is(moved)
	w.wait(`document.querySelector('.toasts')?.innerText.startsWith('Moved to ')`)
	w.must(`new Date('`+postgrestest.Column(t, a.dsn, `SELECT to_char(scheduled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM post WHERE id = $1`, id)[0]+`').toISOString()`,
		moved.UTC().Format("2006-01-02T15:04:05.000Z"))
	w.click(".toasts .undo")
	is(at)
	w.drags(slip, column, 0, false)
	is(at)

	w.run(chromedp.Focus(chromedp.CSS(slip)))
	w.must(`document.activeElement.id`, "slip-"+id)
	w.must(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', altKey: true, bubbles: true, cancelable: true}))`, false)
	is(at.Add(15 * time.Minute))
	w.wait(`document.activeElement.id === 'slip-` + id + `'`)

	w.run(chromedp.KeyEvent("m"))
	w.on("Move")
	w.inEveryLook("calendar-move")
	w.must(`document.querySelector('#clock').value`, "15:15")
	w.must(`(document.querySelector('#day').value = '2020-01-01', true)`, true)
	w.click("main .primary")
	w.wait(`document.querySelector('.error')?.innerText.includes('That time has passed')`)
	w.expect("422", "422")
	w.click("[name=later][value=week]")
	w.wait(`document.querySelector(".calbar")`)
	w.wait(`document.querySelector('.notice')?.innerText.startsWith('Moved to Wed ')`)

	// Its time is over: the slip returns to its place, with the reason.
	w.open(path + "/calendar?view=month&day=" + at.Format(time.DateOnly))
	is(at.AddDate(0, 0, 7).Add(15 * time.Minute))
	w.inEveryLook("calendar-month")
	above := `document.querySelector('.cell[data-day="` + at.Format(time.DateOnly) + `"]')` // rows differ in height
	cell := eval[float64](w, above+`.getBoundingClientRect().height`)
	// The month may show no day of the past: the day above the slip becomes one.
	w.must(above+`.dataset.day = '2020-01-08'`, "2020-01-08")
	w.drags(slip, 0, -cell, true)
	w.wait(`document.querySelector('.toasts .bad')`)
	is(at.AddDate(0, 0, 7).Add(15 * time.Minute))
	w.expect("422", "422")
	w.requireQuiet()
}
