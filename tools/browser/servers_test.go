package browser_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// names enters the server of a Mastodon account and continues.
func (w *tab) names(server string) {
	w.t.Helper()
	eval[string](w, `document.querySelector("#server").value = ""`)
	w.run(chromedp.SendKeys(chromedp.CSS("#server"), server+kb.Enter))
}

// connectsTwoServers names servers with which no account can be connected, connects accounts of one name at two servers,
// publishes to each, and connects one of them again.
func connectsTwoServers(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	w.open(n.path + "/connect/mastodon")
	w.must(`document.querySelector('#server').value`, "mastodon.sandbox.test")
	w.must(`document.querySelectorAll('#server-choices option').length`, 6)
	w.inEveryLook("connect-server")
	for server, fault := range map[string]string{
		"localhost": "This is not the name of a public server.", "down.fosstodon.org": "down.fosstodon.org does not respond.",
		"www.fosstodon.org": "www.fosstodon.org is not a Mastodon server.",
	} {
		w.names(server)
		w.wait(`document.querySelector('#server-fault')?.innerText.startsWith('` + fault + `') === true`)
		w.must(`document.querySelector('#server').value`, server)
		w.expect("422", "422")
	}
	w.inEveryLook("connect-server-fault")

	for _, at := range []string{"mastodon.sandbox.test", "fosstodon.org"} {
		w.open(n.path + "/connect/mastodon")
		w.names("@linnea@" + at)
		w.on("You are Mastodon: as whom?")
		w.allows("linnea")
		w.on("Choose the accounts to connect")
		w.must(`document.querySelector('.option.account').innerText.includes('linnea@`+at+`')`, true)
		w.inEveryLook("connect-server-pick")
		w.picks(at + "/linnea")
	}
	require.Equal(t, []string{"mastodon.sandbox.test/linnea", "fosstodon.org/linnea"}, n.connected(channel.Mastodon))
	w.must(`['linnea@mastodon.sandbox.test', 'linnea@fosstodon.org'].every(e => document.querySelector('main').innerText.includes(e))`, true)
	w.inEveryLook("connect-servers-done")

	for _, at := range []string{"mastodon.sandbox.test", "fosstodon.org"} {
		id := postgrestest.Column(t, n.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND external_id = $2`,
			n.workspace.String(), at+"/linnea")[0]
		of, err := ident.Parse[ident.Channel](id)
		require.NoError(t, err)
		n.schedule(of, "The kiln is open, says "+at, time.Now().Add(time.Second))
		n.posts(id, `status = 'PUBLISHED'`, 1)
		accepted := string(n.control(http.MethodGet,
			"/_sandbox/posts?"+url.Values{"platform": {"mastodon"}, "account": {at + "/linnea"}}.Encode(), nil))
		require.Equal(t, 1, strings.Count(accepted, "The kiln is open"), accepted)
		require.Contains(t, accepted, "The kiln is open, says "+at)

		w.open(n.path + "/channels/" + id + "/reconnect")
		w.must(`document.querySelector('main').innerText.includes('Sign in to `+at+` as')`, true)
		w.must(`document.querySelector('#server') === null`, true)
		w.click("main form .primary")
		w.on("You are Mastodon: as whom?")
		w.allows("linnea")
		w.wait(`document.querySelector('.notice')?.innerText.includes('is connected again.') === true`)
	}
	w.requireQuiet()
}
