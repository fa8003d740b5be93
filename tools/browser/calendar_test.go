package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// mouse moves the mouse to a point, and presses or releases its button, with the keys of keys held down.
func (w *tab) mouse(what input.DispatchMouseEventType, x, y float64) {
	w.t.Helper()
	call(w, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: what, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1, Modifiers: w.keys,
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
	w.shows(".calbar")
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
	w.shows(".calbar")
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

	postgrestest.Exec(t, a.dsn, `UPDATE post SET scheduled_at = $2 WHERE id = $1`, id, at.UTC())
	a.meet(w, chromium, path, id, at)
	a.keepsClock(w, path, id, zone)
	knowsDays(w, path, at)
	a.movesOneOfSet(w, path, at)
}

// colleague adds a person to the workspace of a path, who may edit.
func (a *application) colleague(path, email string) {
	a.t.Helper()
	a.person(email)
	postgrestest.Exec(a.t, a.dsn, `INSERT INTO workspace_member (user_id, workspace_id, role, created_at)
		SELECT id, $2, 'EDITOR', now() FROM app_user WHERE email = $1`, email, path[len(path)-36:])
}

// meet lets two people, in two time zones, move the same post: one drags it while the other one moves it by keys.
func (a *application) meet(w *tab, chromium chrome, path, id string, at time.Time) {
	w.t.Helper()
	const colleague = "colleague@example.com"
	a.colleague(path, colleague)
	week, slip := path+"/calendar?view=week&day="+at.Format(time.DateOnly), "#slip-"+id
	abroad := desk()
	abroad.zone = "Asia/Tokyo"
	other := openTab(w.t, chromium.profile(w.t), abroad)
	other.open(week)
	other.signIn(colleague, words)
	other.shows(".calbar")
	other.must(`document.querySelector('.weekgrid.twozones .corner .second').textContent`, "Tokyo")
	w.open(week)
	rect := `document.querySelector(` + quoted(slip) + `).getBoundingClientRect()`
	w.must(`(document.querySelector(`+quoted(slip)+`).scrollIntoView({block: 'center'}), null)`, nil)
	x, y := eval[float64](w, rect+`.left + 8`), eval[float64](w, rect+`.top + 8`)
	column := eval[float64](w, `document.querySelector('.daycol').getBoundingClientRect().width`)
	w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, x+column, y)
	w.wait(`document.querySelector('.draghint')`)

	other.run(chromedp.Focus(chromedp.CSS(slip)))
	other.must(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', altKey: true, bubbles: true, cancelable: true}))`, false)
	other.wait(`document.querySelector('.toasts')?.innerText.startsWith('Moved to ')`)
	w.mouse(input.DispatchMouseEventTypeMouseReleased, x+column, y)
	w.wait(`document.querySelector('.toasts .bad')?.innerText.includes('Someone else moved this post meanwhile.')`)
	w.expect("422", "422")
	later := at.Add(15 * time.Minute).Format("2006-01-02T15:04")
	for _, window := range []*tab{w, other} {
		window.wait(`document.querySelector(` + quoted(slip) + `)?.dataset.at === '` + later + `'`)
		window.requireQuiet()
	}
}

// keepsClock drags a post from a Friday to the Monday after the clocks change: it keeps its time of day.
func (a *application) keepsClock(w *tab, path, id string, zone *time.Location) {
	w.t.Helper()
	now := time.Now().In(zone)
	sunday := time.Date(now.Year(), now.Month(), now.Day()+7, 0, 0, 0, 0, zone)
	for sunday.AddDate(0, 0, 1).Sub(sunday) == 24*time.Hour || sunday.AddDate(0, 0, 1).Month() != sunday.Month() {
		sunday = sunday.AddDate(0, 0, 1)
	}
	friday, monday := sunday.AddDate(0, 0, -2).Add(9*time.Hour), sunday.AddDate(0, 0, 1)
	friday = time.Date(friday.Year(), friday.Month(), friday.Day(), 9, 0, 0, 0, zone)
	postgrestest.Exec(w.t, a.dsn, `UPDATE post SET scheduled_at = $2 WHERE id = $1`, id, friday.UTC())
	w.open(path + "/calendar?view=month&day=" + monday.Format(time.DateOnly))
	w.must(`document.querySelector('[data-day="`+sunday.Format(time.DateOnly)+`"] .clock').innerText.startsWith('Clocks go ')`, true)
	cell := func(day time.Time, side string) float64 {
		return eval[float64](w, `document.querySelector('[data-day="`+day.Format(time.DateOnly)+`"]').getBoundingClientRect().`+side)
	}
	w.drags("#slip-"+id, cell(monday, "left")-cell(friday, "left"), cell(monday, "top")-cell(friday, "top"), true)
	w.wait(`document.querySelector('#slip-` + id + `')?.dataset.at === '` + monday.Format(time.DateOnly) + `T09:00'`)
	w.wait(`document.querySelector('.toasts')?.innerText.startsWith('Moved to ')`)
	moved := time.Date(monday.Year(), monday.Month(), monday.Day(), 9, 0, 0, 0, zone)
	require.NotZero(w.t, moved.Sub(friday)%(24*time.Hour), "the clocks change")
	require.Equal(w.t, []string{moved.UTC().Format("2006-01-02 15:04")}, postgrestest.Column(w.t, a.dsn,
		`SELECT to_char(scheduled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') FROM post WHERE id = $1`, id))
	w.requireQuiet()
}

// knowsDays writes a note, chooses a country's holidays, sees a gap, and begins a post by a click on empty time.
func knowsDays(w *tab, path string, at time.Time) {
	w.t.Helper()
	day := at.Format(time.DateOnly)
	w.open(path + "/calendar?view=day&day=" + day)
	w.types("#note", "Glaze <b>delivery</b>")
	w.click(".noteform button")
	w.wait(`document.querySelector('.dayfacts')?.innerText.includes('Glaze <b>delivery</b>')`)
	w.open(path + "/calendar/holidays")
	w.click(`[name=country][value=SE] ~ span`)
	w.click("main .primary")
	w.shows(".calbar")
	w.open(path + "/calendar?view=month&day=" + at.AddDate(1, 0, 0).Format("2006") + "-12-01")
	w.must(`[...document.querySelectorAll('.daymark')].some(mark => mark.innerText.includes('Juldagen'))`, true)
	w.open(path + "/calendar?view=list")
	w.must(`[...document.querySelectorAll('.gap')].some(gap => gap.innerText.startsWith('Nothing on '))`, true)
	w.inEveryLook("calendar-days")

	w.open(path + "/calendar?view=week&day=" + day)
	w.must(`document.querySelector('.dayhead .daymark[title^=Glaze]').innerText.includes('Glaze <b>delivery</b>')`, true)
	slot := eval[string](w, `document.querySelector('a.freeslot time').textContent`)
	w.click("a.freeslot")
	w.shows("#text")
	w.must(`[document.querySelector('[name=when]:checked').value, document.querySelector('[name=clock]').value]`, []any{"time", slot})
	w.must(`document.querySelectorAll('.chan .tick:checked').length > 0`, true)
	w.open(path + "/calendar?view=week&day=" + day)
	column := `document.querySelector('.daycol[data-day="` + day + `"]')`
	w.must(`(scrollTo(0, 0), document.querySelector('.weekgrid').dataset.from !== undefined)`, true)
	from := eval[float64](w, `Number(document.querySelector('.weekgrid').dataset.from)`)
	x, y := eval[float64](w, column+`.getBoundingClientRect().left + 20`), eval[float64](w, column+`.getBoundingClientRect().top + 2 * 60 + 5`)
	w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	w.mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
	w.shows("#text")
	w.must(`[document.querySelector('[name=when]:checked').value, document.querySelector('#day').value, document.querySelector('[name=clock]').value]`,
		[]any{"time", day, fmt.Sprintf("%02d:00", int(from)+2)})
	w.requireQuiet()
}
