package browser_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// repeatsPosts schedules a post that repeats every week, skips one of its days, and ends it.
func repeatsPosts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "again@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	channel := postgrestest.Column(t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = 'TWITTER'`, workspace)[0]
	planned := func() int {
		return len(postgrestest.Column(t, a.dsn, `SELECT id::text FROM post WHERE workspace_id = $1 AND content = 'Bowl of the week'
			AND status = 'SCHEDULED'`, workspace))
	}
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/posts")
	w.signIn(person, words)
	w.on("Posts")
	w.open(path + "/compose?" + url.Values{
		"channel": {channel}, "text": {"Bowl of the week"}, "at": {time.Now().UTC().Add(48 * time.Hour).Format("2006-01-02T15:04")},
	}.Encode())
	w.wait(`document.readyState === 'complete' && document.querySelector('#go-text')?.textContent === 'Schedule 1 post'`)
	w.must(`(document.querySelector('[name=repeat]').value = 'week', null)`, nil)
	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('Repeats every week on ')`)
	require.Equal(t, 5, planned(), "a month ahead")
	w.open(path + "/series")
	w.on("Recurring posts")
	w.inEveryLook("series-list")
	w.click(`main .list a`)
	w.on("Bowl of the week")
	w.inEveryLook("series")
	w.click(`form[action$="/skip"] button`)
	w.wait(`document.querySelector('.notice')?.innerText === 'Skipped.'`)
	require.Equal(t, 4, planned())
	w.click(`main a[href*="/posts/"]`)
	w.wait(`document.querySelector('#post dl a[href*="/series/"]') !== null`)
	w.click(`#post dl a[href*="/series/"]`)
	w.on("Bowl of the week")
	w.click(`#endit + .row details:last-child summary`)
	w.click(`#endit + .row details:last-child button`)
	w.wait(`document.querySelector('.notice')?.innerText.startsWith('Ended.')`)
	require.Equal(t, 0, planned())
	w.requireQuiet()
}
