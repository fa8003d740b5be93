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

// loses makes the network refuse the tokens of an account of X.
func (n *networked) loses(account string) {
	n.t.Helper()
	for step, kind := range map[string]string{"commit": "expired_token", "token": "reject"} {
		n.control(http.MethodPost, "/_sandbox/faults", map[string]any{
			"platform": "x", "account": account, "step": step, "kind": kind, "times": -1,
		})
	}
}

// posts waits until a condition holds for as many posts of the channel.
func (n *networked) posts(of, where string, want int) {
	n.t.Helper()
	require.Eventually(n.t, func() bool {
		return len(postgrestest.Column(n.t, n.dsn, `SELECT 1 FROM post WHERE channel_id = $1 AND `+where, of)) == want
	}, timeout, 100*time.Millisecond, "%s: %v", where, postgrestest.Column(n.t, n.dsn,
		`SELECT status || ' ' || COALESCE(waiting_reason, '') FROM post WHERE channel_id = $1`, of))
}

// reconnects revokes a channel's tokens at the network with three posts due, and connects the channel again.
func reconnects(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	n.starts(w, "twitter", "X")
	w.allows("eve")
	w.picks("eve")
	id := postgrestest.Column(t, n.dsn, `SELECT id::text FROM channel WHERE external_id = 'eve' AND type = 'TWITTER'`)[0]
	n.loses("eve")
	of, err := ident.Parse[ident.Channel](id)
	require.NoError(t, err)
	texts := []string{"first of eve", "second of eve", "third of eve"}
	for _, text := range texts {
		n.schedule(of, text, time.Now().Add(time.Second))
	}
	n.posts(id, `waiting_reason = 'channel_reconnect'`, len(texts))
	w.open(n.path + "/posts")
	w.must(`document.querySelector('#posts').innerText.split(' to publish this post. We hold it until ').length - 1`, len(texts))
	w.must(`document.querySelectorAll('#posts .badge').length === [...document.querySelectorAll('#posts .badge')].filter(e => e.innerText === 'On hold').length`, true)
	w.inEveryLook("posts-held")
	w.open(n.path + "/channels/" + id)
	w.must(`document.querySelector('.callout a').innerText`, "Reconnect "+eval[string](w, `document.querySelector('h1').innerText`))
	w.inEveryLook("channel-lost")
	w.click(".callout a")
	w.wait(`document.querySelector('h1')?.innerText.startsWith('Reconnect ') === true`)
	w.looked("reconnect-start")
	n.control(http.MethodDelete, "/_sandbox/faults", nil)
	w.click("main form .primary")
	w.on("You are X: as whom?")
	w.allows("mallory")
	w.wait(`document.querySelector('h1')?.innerText.endsWith(' was not reconnected') === true`)
	w.must(`document.querySelector('.callout').innerText.includes('You signed in as')`, true)
	w.looked("reconnect-other-account")
	n.posts(id, `waiting_reason = 'channel_reconnect'`, len(texts))
	w.click("main .button.primary")
	w.click("main form .primary")
	w.on("You are X: as whom?")
	w.allows("eve")
	w.wait(`document.querySelector('.notice')?.innerText.includes('is connected again.') === true`)
	w.looked("reconnected")
	require.Equal(t, []string{id}, postgrestest.Column(t, n.dsn,
		`SELECT id::text FROM channel WHERE external_id = 'eve' AND type = 'TWITTER'`))
	n.posts(id, `status = 'PUBLISHED'`, len(texts))
	w.open(n.path + "/posts")
	w.must(`document.querySelector('#posts').innerText.includes('We hold it')`, false)
	w.requireQuiet()
	feed := string(n.control(http.MethodGet, "/_sandbox/posts?"+url.Values{"platform": {"x"}, "account": {"eve"}}.Encode(), nil))
	for _, text := range texts {
		require.Equal(t, 1, strings.Count(feed, `"`+text+`"`), feed)
	}
}
