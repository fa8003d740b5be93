package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// composesByKeys writes for three channels, with saved hashtags, into their next slots without a mouse, goes through lists and
// finds pages by keys, and turns single keys off.
func composesByKeys(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "fingers@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `DELETE FROM post WHERE workspace_id = $1`, workspace)
	postgrestest.Exec(t, a.dsn, `DELETE FROM channel WHERE workspace_id = $1 AND type NOT IN ('TWITTER', 'THREADS', 'BLUESKY')`, workspace)
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false, timezone = 'UTC' WHERE workspace_id = $1`, workspace)
	postgrestest.Exec(t, a.dsn, `DELETE FROM channel_slot WHERE channel_id IN (SELECT id FROM channel WHERE workspace_id = $1)`, workspace)
	postgrestest.Exec(t, a.dsn, `INSERT INTO channel_slot (channel_id, weekday, minute) SELECT id, d, 540 FROM channel, generate_series(0, 6) d WHERE workspace_id = $1`, workspace)
	postgrestest.Exec(t, a.dsn, `INSERT INTO snippet (id, workspace_id, kind, key, name, content, settings, created_at, updated_at)
		VALUES (gen_random_uuid(), $1, 'HASHTAGS', 'clay', 'Clay', '#clay #kiln', '{}', now(), now())`, workspace)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/posts")
	w.signIn(person, words)
	w.on("Posts")
	w.run(chromedp.KeyEvent("c"))
	w.wait(`document.activeElement?.id === 'text' && !document.querySelector('[data-insert=emoji]').hidden`)
	w.wait(`performance.getEntriesByType('resource').some(entry => entry.name.endsWith('/compose/texts'))`)
	w.run(chromedp.KeyEvent("Kiln day #cl"))
	w.wait(`document.querySelector('#completion-0 small')?.textContent === '#clay #kiln'`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.must(`document.querySelector('#text').value`, "Kiln day #clay #kiln")
	for range 3 {
		w.reach(".chan .tick:not(:checked)")
		w.run(chromedp.KeyEvent(" "))
	}
	w.wait(`document.querySelector('#go-text').textContent === 'Schedule 3 posts'`)
	w.run(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	w.wait(`document.readyState === 'complete' && document.querySelector('.notice')?.innerText.includes('3 posts scheduled.')`)
	require.Equal(t, []string{"Kiln day #clay #kiln 09:00"}, postgrestest.Column(t, a.dsn,
		`SELECT DISTINCT content || to_char(scheduled_at AT TIME ZONE 'UTC', ' HH24:MI') FROM post WHERE workspace_id = $1`, workspace))

	// The same text at the same time is warned of.
	w.run(chromedp.KeyEvent("c"))
	w.wait(`document.readyState === 'complete' && document.activeElement?.id === 'text'`)
	w.run(chromedp.KeyEvent("Kiln day #clay #kiln"))
	w.run(chromedp.KeyEvent(kb.Escape))
	w.must(`(document.querySelector('.chan .tick').click(), null)`, nil)
	w.wait(`document.querySelector('#findings').innerText.includes('The same text was published or is planned here.')`)
	w.wait(saved)

	// Lists and the finder.
	w.open(path + "/posts?status=scheduled")
	w.run(chromedp.KeyEvent("j"), chromedp.KeyEvent("m"))
	w.on("Move")
	w.must(`document.querySelectorAll('[name=post]:checked').length`, 3)
	w.open(path + "/posts?status=scheduled")
	w.run(chromedp.KeyEvent("j"), chromedp.KeyEvent("k"), chromedp.KeyEvent("e"))
	w.wait(`document.readyState === 'complete' && document.querySelector('#go-text')?.textContent === 'Save 3 posts'`)
	w.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	w.wait(`document.querySelector('#find').open && document.activeElement.id === 'find-text'`)
	w.run(chromedp.KeyEvent("profile"))
	w.wait(`document.querySelector('#find .found a')?.innerText.includes('profile')`)
	w.inEveryLook("find")
	w.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	w.on("Settings")
	w.click("[name=shortcuts]")
	w.click(`form[action$="/shortcuts"] button`)
	w.wait(`document.querySelector('.toasts .notice')`)
	for _, key := range []string{"c", "?", "/", "g", "h"} {
		w.run(chromedp.KeyEvent(key))
	}
	w.on("Settings")
	w.must(`document.querySelector('#shortcuts').open`, false)
	w.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))) // no single key
	w.wait(`document.querySelector('#find').open`)
	w.requireQuiet()
}

// needsPerson goes on a phone from what failed, lost its access and waits for approval to nothing of that.
func needsPerson(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "today@example.com"
	path, _, failed := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	w := openTab(t, chromium, phone())
	w.clearCookies()
	w.open(a.base + "/")
	w.signIn(person, words)
	w.begins()
	w.open(path + "/today")
	causes := `[...document.querySelectorAll('[aria-labelledby=needs] .cause')]`
	w.must(causes+`.some(cause => cause.innerText.includes('Is it on '))`, true)
	w.must(causes+`.some(cause => cause.classList.contains('pending') && cause.innerText.includes('for your approval'))`, true)
	w.must(causes+`.some(cause => cause.querySelector('a.primary')?.href.endsWith('/reconnect'))`, true)
	w.must(`document.querySelector('#thumb .count') !== null`, true)
	w.inEveryLook("today")

	// The failed post says what happened, and has one action.
	w.click(`#need-` + failed)
	w.wait(`document.querySelector('#post .verdict')?.innerText.includes('The network did not respond.')`)
	w.must(`document.querySelectorAll('#post .verdict .primary').length`, 1)

	// One cause after the other goes away while the page is shown.
	w.open(path + "/today")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET token_status = 'HEALTHY', is_connected = true, is_queue_paused = false WHERE workspace_id = $1`, workspace)
	postgrestest.Exec(t, a.dsn, `UPDATE post SET status = 'DRAFT', scheduled_at = NULL, error_code = NULL, error_message = NULL, error_retryable = NULL
		WHERE workspace_id = $1 AND status IN ('FAILED', 'PENDING_APPROVAL', 'SCHEDULED')`, workspace)
	w.open(path + "/today")
	w.must(`document.querySelector('.allwell').innerText.includes('All is well')`, true)
	at := time.Now().UTC().Add(20 * time.Hour).Truncate(time.Minute)
	postgrestest.Exec(t, a.dsn, `UPDATE post SET status = 'SCHEDULED', scheduled_at = $2 WHERE id = $1`, failed, at)
	w.open(path + "/today")
	w.must(`document.querySelector('.allwell').innerText.includes('Next post `+at.Format("Mon 2 Jan, 15:04")+` on ')`, true)
	w.inEveryLook("today-well")

	// The bar below begins a post.
	w.click("#thumb .new")
	w.shows("#text")
	w.requireQuiet()
}
