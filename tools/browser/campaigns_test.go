package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// runsCampaign adds a campaign and writes a post of it: its link gets the parameters of the campaign, and is then shortened. The pages
// of the campaign and of the post show the clicks.
func runsCampaign(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "campaign@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	x := postgrestest.Column(t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = 'TWITTER'`, workspace)[0]
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/campaigns")
	w.signIn(person, words)
	w.on("Campaigns")
	w.inEveryLook("campaigns-empty")
	w.click(`a[href$="/campaigns/new"]`)
	w.on("New campaign")
	w.inEveryLook("campaign-form")
	w.fills(map[string]string{"#name": "Spring tiles", "#source": "{network}", "#campaign": "spring"}, "main form .primary")
	w.on("Spring tiles")
	w.click(`a[href*="/compose?campaign="]`)
	w.wait(`document.activeElement?.id === 'text' && !document.querySelector('[data-insert=shorten]').hidden`)
	w.must(`document.querySelector('#campaign').selectedOptions[0].textContent`, "Spring tiles")
	w.must(`(document.querySelector('input[value="`+x+`"][name=channel]').click(), null)`, nil)
	w.run(chromedp.Focus(chromedp.CSS("#text")), chromedp.KeyEvent("New tiles: https://tiles.example/a."))
	w.click(`[data-insert=links]`)
	w.wait(`document.querySelector('#text').value === 'New tiles: https://tiles.example/a?utm_source=x&utm_campaign=spring.' || document.querySelector('#text-` + x + `').value.includes('utm_source=x&utm_campaign=spring')`)
	w.click(`[data-insert=shorten]`)
	short := `/^New tiles: https?:\/\/[^ ]+\/s\/[0-9A-Za-z]{8}\.$/`
	w.wait(short + `.test(document.querySelector('#text-` + x + `').value || document.querySelector('#text').value)`)
	w.must(`(document.querySelector('[name=when][value=draft]').click(), null)`, nil)
	w.wait(`document.querySelector('#go-text')?.textContent === 'Save draft'`)
	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('Saved as a draft.')`)
	require.Equal(t, []string{"https://tiles.example/a?utm_source=x&utm_campaign=spring"},
		postgrestest.Column(t, a.dsn, `SELECT l.target FROM short_link l JOIN post p ON p.content LIKE '%/s/' || l.code || '.' WHERE p.workspace_id = $1`, workspace))
	postgrestest.Exec(t, a.dsn, `UPDATE short_link SET clicks = 12 WHERE workspace_id = $1`, workspace)
	w.click(`#post dl a[href*="/campaigns/"]`)
	w.on("Spring tiles")
	w.wait(`document.querySelector('main').innerText.includes('12 clicks')`)
	w.inEveryLook("campaign")
	w.open(path + "/campaigns")
	w.inEveryLook("campaigns")
	w.requireQuiet()
}

// reusesPosts makes a post evergreen, and sees why a feed of this machine is refused.
func reusesPosts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "reuse@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	post := postgrestest.Column(t, a.dsn, `SELECT p.id::text FROM post p JOIN channel c ON c.id = p.channel_id
		WHERE p.workspace_id = $1 AND c.type = 'TWITTER' ORDER BY p.id LIMIT 1`, workspace)[0]
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/evergreen")
	w.signIn(person, words)
	w.on("Evergreen")
	w.open(path + "/evergreen/new?post=" + post)
	w.on("Add to evergreen")
	w.inEveryLook("evergreen-new")
	w.click("main form .primary")
	w.on("Evergreen")
	w.wait(`document.querySelector('main').innerText.includes('Not again within 30 days')`)
	w.click(`main [name=active]`)
	w.click(`form[action$="/evergreen"] .primary`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('Free slots are filled.')`)
	w.inEveryLook("evergreen")

	w.open(path + "/feeds")
	w.on("Feeds")
	w.inEveryLook("feeds-empty")
	w.click(`a[href$="/feeds/new"]`)
	w.on("New feed")
	w.click(`main [name=channel]`)
	w.fills(map[string]string{"#url": "http://10.0.0.1/feed.xml"}, "main form .primary")
	w.wait(`document.querySelector('#url-fault')?.innerText.startsWith('The feed cannot be read: ')`)
	w.inEveryLook("feed-form")
	w.expect("422", "422")
	w.requireQuiet()
}
