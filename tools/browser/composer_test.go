package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// saved is true when everything that was typed is kept by the service.
const saved = `!document.querySelector('#composer').hasAttribute('data-unsaved') && document.querySelector('#kept').textContent.includes('Saved')`

// writesPosts writes one text for three channels with a variant, loses the tab while typing and finds the text again, fixes
// what is too long with one click, schedules, and sees the posts in the calendar.
func writesPosts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "composer@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	of := func(network string) string {
		return postgrestest.Column(t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = $2`, workspace, network)[0]
	}
	postgrestest.Exec(t, a.dsn, `UPDATE workspace SET timezone = 'Europe/Stockholm' WHERE id = $1`, workspace)
	x, threads, bluesky := of("TWITTER"), of("THREADS"), of("BLUESKY")
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/posts")
	w.signIn(person, words)
	w.on("Posts")
	w.run(chromedp.KeyEvent("c"))
	w.wait(`document.activeElement?.id === 'text'`)
	w.run(chromedp.KeyEvent("Advent market"))
	w.wait(`location.search.startsWith('?scratch=')`)
	for _, id := range []string{x, threads, bluesky} {
		w.must(`(document.querySelector('input[value="`+id+`"]').click(), null)`, nil)
	}
	w.wait(`document.querySelector('#picked').textContent.startsWith('3 of')`)

	// The tab ends while a person types; the text, the picture and the channels are there again on the phone.
	w.pastes("yard.png", "image/png")
	w.wait(`document.querySelector('.shot[data-media] small')?.textContent === 'yard.png'`)
	w.run(chromedp.Focus(chromedp.CSS("#text")))
	w.run(chromedp.KeyEvent(" in our yard: cups, plates and bowls"))
	w.wait(saved)
	call(w, page.Close, cdp.Empty{})
	w = openTab(t, chromium, phone())
	w.open(path + "/compose")
	w.must(`document.querySelector('#text').value`, "")
	w.click(".unfinished summary")
	w.click(".unfinished a")
	w.wait(`document.readyState === 'complete' && document.querySelector('#text')?.value === 'Advent market in our yard: cups, plates and bowls'`)
	w.must(`document.querySelector('#picked').textContent.startsWith('3 of')`, true)
	w.must(`document.querySelector('.shot[data-media] small').textContent`, "yard.png")
	a.wroteNothing(workspace)

	// The desk has the same text: both versions are kept, and the phone says so.
	unfinished := eval[string](w, `location.href`)
	desktop := openTab(t, chromium, desk())
	desktop.open(unfinished)
	desktop.writes(" from the desk")
	w.writes(" from the phone")
	w.wait(`document.querySelector('#elsewhere [role=alert]')?.innerText.includes('changed elsewhere too. Both versions are kept.')`)
	require.ElementsMatch(t, []string{"from the desk", "from the phone"}, postgrestest.Column(t, a.dsn,
		`SELECT split_part(content->>'text', 'bowls ', 2) FROM scratch WHERE workspace_id = $1 AND content->>'text' LIKE 'Advent%'`, workspace))
	a.wroteNothing(workspace)
	w.requireQuiet()
	call(w, page.Close, cdp.Empty{})
	w = desktop
	w.must(`(document.querySelector('#text').value = document.querySelector('#text').value.replace(' from the desk', ''),
		document.querySelector('#text').dispatchEvent(new Event('input', {bubbles: true})), null)`, nil)
	w.must(`document.querySelector('.shot [data-remove]').click()`, nil)
	w.wait(saved)
	postgrestest.Exec(t, a.dsn, `DELETE FROM scratch WHERE workspace_id = $1 AND content->>'text' LIKE '%phone'`, workspace)

	zone, err := time.LoadLocation("Europe/Stockholm")
	require.NoError(t, err)
	day := time.Now().In(zone).AddDate(0, 0, 9).Format(time.DateOnly)
	w.click(`[name=when][value=time]`)
	w.must(fmt.Sprintf(`(document.querySelector('#day').value = '%s', document.querySelector('[name=clock]').value = '14:30',
		document.querySelector('#day').dispatchEvent(new Event('change', {bubbles: true})), null)`, day), nil)
	w.wait(`document.querySelector('#sum strong').textContent.startsWith('in ')`)

	// Threads gets words of its own; the other two follow the common text.
	w.click(`[data-target="` + threads + `"]`)
	w.wait(`document.activeElement?.id === 'text-` + threads + `'`)
	w.run(chromedp.KeyEvent(", come early"))
	w.wait(`document.querySelector('#sub-` + threads + ` .own')?.textContent === 'differs'`)
	w.click(`[data-target="all"]`)
	w.wait(`document.activeElement?.id === 'text'`)
	w.run(chromedp.KeyEvent(". " + strings.Repeat("clay ", 48)))
	w.wait(`document.querySelector('#findings').dataset.stops === '1'`)
	w.must(`document.querySelector('[data-for=all] .mirror mark')?.textContent.length > 0`, true)
	w.must(`document.querySelector('#text-`+threads+`').value`, "Advent market in our yard: cups, plates and bowls, come early")
	w.must(`document.querySelector('#text-`+bluesky+`').value.endsWith('clay ')`, true)
	w.inEveryLook("composer")

	// Ctrl Enter leads to the fault; one click fixes it for the channel.
	w.run(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	w.wait(`document.activeElement?.matches('.finding button[data-fix=text]')`)
	w.run(chromedp.KeyEvent("\r"))
	w.wait(`document.querySelector('#findings').dataset.stops === '0'`)
	w.must(`document.querySelector('#text-`+x+`').value.endsWith('…')`, true)

	w.wait(`document.querySelector('#go-text').textContent === 'Schedule 3 posts'`)

	// Publishing at once asks first, with the channels.
	w.click(`[name=when][value=now]`)
	w.wait(`document.querySelector('#go-text').textContent === 'Publish 3 now'`)
	w.run(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	w.wait(`document.querySelector('#sure').open && document.querySelectorAll('#sure li').length === 3`)
	w.must(`document.activeElement.textContent`, "Publish 3 now")
	w.run(chromedp.KeyEvent("\u001b"))
	w.wait(`!document.querySelector('#sure').open`)
	w.click(`[name=when][value=time]`)
	w.wait(`document.querySelector('#go-text').textContent === 'Schedule 3 posts'`)
	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('3 posts scheduled.')`)
	w.must(`location.pathname.endsWith('/calendar')`, true)
	w.must(`[...document.querySelectorAll('.slip')].filter(slip => slip.dataset.at === '`+day+`T14:30').map(slip => slip.querySelectorAll('.chs .ch').length).join()`, "3")
	require.Equal(t, []string{"SCHEDULED", "SCHEDULED", "SCHEDULED"}, postgrestest.Column(t, a.dsn, `SELECT status FROM post WHERE content LIKE 'Advent%'`))
	require.Empty(t, postgrestest.Column(t, a.dsn, `SELECT 1 FROM scratch WHERE workspace_id = $1`, workspace))

	// One tile has all three: a move asks which of them.
	w.run(chromedp.Focus(chromedp.CSS(`.slip[data-at="`+day+`T14:30"]`)), chromedp.KeyEvent("m"))
	w.on("Move")
	w.must(`document.querySelectorAll('[name=post]:checked').length`, 3)
	w.inEveryLook("calendar-move-set")
	for range 3 { // none is chosen
		w.click("[name=post]:checked")
	}
	w.click("main .primary")
	w.wait(`document.querySelector('.error')?.innerText === 'Choose at least one post.'`)
	w.expect("422", "422")
	w.must(`document.querySelectorAll('[name=post]:checked').length`, 0)
	w.must(`([...document.querySelectorAll('label.option')].find((label) => label.innerText.endsWith('X')).click(), null)`, nil)
	w.must(`document.querySelector('#clock').value = '16:00'`, "16:00")
	w.click("main .primary")
	w.shows(".calbar")
	require.Equal(t, []string{"14:30", "14:30", "16:00"}, postgrestest.Column(t, a.dsn,
		`SELECT to_char(scheduled_at AT TIME ZONE 'Europe/Stockholm', 'HH24:MI') FROM post WHERE content LIKE 'Advent%' ORDER BY scheduled_at`))

	// The set is changed: X keeps its own text, the others follow.
	group := postgrestest.Column(t, a.dsn, `SELECT group_id::text FROM post WHERE content LIKE 'Advent%' LIMIT 1`)[0]
	w.open(path + "/compose?group=" + group)
	w.must(`document.querySelector('#go-text').textContent`, "Save 3 posts")
	w.must(`(document.querySelector('#text').select(), null)`, nil)
	w.run(chromedp.KeyEvent("Winter market"))
	w.wait(saved)
	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('Saved 3 posts.')`)
	require.Equal(t, []string{"BLUESKY"}, postgrestest.Column(t, a.dsn,
		`SELECT c.type FROM post p JOIN channel c ON c.id = p.channel_id WHERE p.group_id = $1 AND p.content = 'Winter market'`, group))
	w.requireQuiet()
}

// writes appends to the text that all channels share, and waits until it is kept.
func (w *tab) writes(words string) {
	w.t.Helper()
	w.must(`(text => { text.focus(); text.setSelectionRange(text.value.length, text.value.length); })(document.querySelector('#text'))`, nil)
	w.run(chromedp.KeyEvent(words))
	w.wait(saved)
}

// wroteNothing requires that only the writer sees a text: there is no post, and no event.
func (a *application) wroteNothing(workspace string) {
	a.t.Helper()
	require.Equal(a.t, []string{"0"}, postgrestest.Column(a.t, a.dsn, `SELECT count(*)::text FROM post WHERE content LIKE 'Advent%'`))
	require.Empty(a.t, postgrestest.Column(a.t, a.dsn, `SELECT type FROM event WHERE workspace_id = $1 AND (type = 'post.updated' OR encode(body, 'escape') LIKE '%Advent%')`, workspace))
}

// TestComposerWithoutService types while the service is gone and in a tab that is closed meanwhile: no word is lost.
func TestComposerWithoutService(t *testing.T) {
	t.Parallel()
	a, chromium := newApplication(t), openBrowser(t)
	const person = "offline@example.com"
	var log output
	stop := runProgram(t, &log, "console", a.env...)
	path, _, _ := a.furnished(person)
	texts := func() []string { return postgrestest.Column(t, a.dsn, `SELECT content->>'text' FROM scratch`) }
	w := openTab(t, chromium, phone())
	w.open(path + "/compose")
	w.signIn(person, words)
	w.shows("#text")
	w.must(`(document.querySelector('#text').focus(), null)`, nil)
	w.run(chromedp.KeyEvent("Cups"))
	w.wait(saved)
	stop()
	w.run(chromedp.KeyEvent(" and plates"))
	w.wait(`document.querySelector('#kept').textContent.includes('kept on this device')`)
	require.Equal(t, []string{"Cups"}, texts())
	stop = runProgram(t, &log, "console", a.env...)
	w.wait(saved)
	require.Equal(t, []string{"Cups and plates"}, texts())

	stop()
	w.run(chromedp.KeyEvent(" and bowls"))
	w.wait(`document.querySelector('#kept').textContent.includes('kept on this device')`)
	call(w, page.Close, cdp.Empty{})
	runProgram(t, &log, "console", a.env...)
	w = openTab(t, chromium, phone())
	w.open(path + "/compose")
	w.wait(`document.querySelector('.notices a')?.textContent === 'Open it'`)
	require.Equal(t, []string{"Cups and plates and bowls"}, texts())
	w.click(".notices a")
	w.wait(`document.querySelector('#text')?.value === 'Cups and plates and bowls'`)
	w.takesShared()
	w.requireQuiet()
}

// takesShared shares a picture and a text with the installed application, as another application of a phone does, and chooses
// the time on the sheet of phones.
func (w *tab) takesShared() {
	w.t.Helper()
	manifest := `fetch('/manifest.webmanifest').then(response => response.json())`
	w.must(manifest+`.then(({display, icons, share_target: {action, method, enctype}}) => [display, icons.length > 1, action, method, enctype])`,
		[]any{"standalone", true, "/share", "POST", "multipart/form-data"})
	w.wait(`navigator.serviceWorker.controller`)
	w.must(manifest+`.then(async ({share_target: {action, method, enctype, params}}) => {
		const picture = await new OffscreenCanvas(400, 300).getContext('2d').canvas.convertToBlob({type: 'image/png'});
		const data = new DataTransfer();
		data.items.add(new File([picture], 'bowl one.png', {type: 'image/png'}));
		const form = Object.assign(document.createElement('form'), {action, method, enctype});
		form.append(Object.assign(document.createElement('input'), {name: params.text, value: 'Look'}),
			Object.assign(document.createElement('input'), {name: params.files[0].name, type: 'file', files: data.files}));
		document.body.append(form);
		form.submit();
	})`, nil)
	w.wait(`document.querySelector('.shot[data-media] small')?.textContent === 'bowl one.png'`)
	w.wait(saved)
	w.must(`document.querySelector('#text').value`, "Look")
	w.must(`caches.has('shared')`, false)
	w.must(`document.querySelector('#files').accept`, "") // of a phone: the gallery, the files and the camera
	w.must(`document.querySelector('.whenseg').checkVisibility()`, false)
	w.click(".whenopen")
	w.wait(`document.querySelector('.whenseg').checkVisibility()`)
	w.click(`[name=when][value=draft]`)
	w.click(".whendone")
	w.wait(`document.querySelector('#when-text').textContent === 'Draft' && !document.querySelector('.whenseg').checkVisibility()`)
	w.inEveryLook("composer-shared")
}
