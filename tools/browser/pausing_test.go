package browser_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// pauses pauses a channel with a post due, and then all publishing: nothing is published, every post says so, and each is
// published once after the end of the pause.
func pauses(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	n.starts(w, "twitter", "X")
	w.allows("paula")
	w.picks("paula")
	id := postgrestest.Column(t, n.dsn, `SELECT id::text FROM channel WHERE external_id = 'paula' AND type = 'TWITTER'`)[0]
	of, err := ident.Parse[ident.Channel](id)
	require.NoError(t, err)
	sent := func() int {
		feed := string(n.control(http.MethodGet, "/_sandbox/posts?"+url.Values{"platform": {"x"}, "account": {"paula"}}.Encode(), nil))
		return strings.Count(feed, ` of paula"`)
	}
	says := func(text string) {
		t.Helper()
		w.open(n.path + "/posts")
		w.wait(`document.querySelector('#posts .badge')?.innerText === 'Paused'`)
		w.click("#posts .what a")
		w.wait(`document.querySelector('#post .badge')?.innerText === 'Paused' && document.querySelector('#post').innerText.includes('` + text + `')`)
	}

	w.open(n.path + "/queue/" + id)
	w.click(".queuebar .confirm:last-of-type summary")
	const begun = 10 * time.Second // a worker holds the first step of the post already
	n.schedule(of, "first of paula", time.Now().Add(begun))
	w.click(".queuebar [action$='/pause'] button")
	w.shows(".paused")
	n.posts(id, `waiting_reason = 'channel_paused'`, 1)
	require.Zero(t, sent())
	says("first of paula")
	w.inEveryLook("post-paused")
	w.open(n.path + "/queue/" + id)
	w.wait(`document.querySelector('.paused [name=late][value=publish]')`)
	w.click(".paused [name=late][value=publish]")
	w.click(".paused button")
	n.posts(id, `status = 'PUBLISHED'`, 1)
	require.Equal(t, 1, sent())

	w.open(n.path + "/posts")
	w.click(".pagebar .confirm summary")
	w.click("[action$='/publishing/stop'] button")
	w.wait(`document.querySelector('#stopped')?.innerText.includes('All publishing is stopped')`)
	n.schedule(of, "second of paula", time.Now().Add(time.Second))
	n.posts(id, `waiting_reason = 'channel_paused'`, 1)
	require.Equal(t, 1, sent())
	says("second of paula")
	w.inEveryLook("post-stopped")
	w.click("#stopped a")
	w.on("Publishing")
	w.click("[name=late][value=publish]")
	w.click("main form .primary")
	n.posts(id, `status = 'PUBLISHED'`, 2)
	require.Equal(t, 2, sent())
	w.requireQuiet()
}
