package browser_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// networked is the application with the sandbox network and a worker, and a person who connects accounts.
type networked struct {
	*application

	sandbox   string
	connecter string // address of the person
	workspace ident.Workspace
	path      string // of the workspace
}

func openNetworked(t *testing.T) *networked {
	t.Helper()
	address := free(t)
	n := &networked{sandbox: "http://" + address}
	startProgram(t, "sandbox", "SANDBOX_ADDR="+address, "SANDBOX_DATA="+t.TempDir(), "SANDBOX_PUBLIC_URL="+n.sandbox)
	n.application = newApplication(t)
	n.start([]string{
		"NETWORKS_SANDBOX_URL=" + n.sandbox, "RETRY_SCALE=0.01", "INSIGHTS_SCHEDULES=false", "SWEEP_INTERVAL=1s",
	}, "worker", "api", "console")
	return n
}

// in returns the same application for a subtest, with a person and a workspace of its own.
func (n *networked) in(t *testing.T) *networked {
	t.Helper()
	part := *n
	part.application = n.application.in(t)
	part.connecter = "ingrid-" + ident.New[ident.User]().String() + "@example.com"
	part.workspace = part.person(part.connecter, "Northern Lights Ceramics")[0]
	part.path = n.base + "/w/" + part.workspace.String()
	return &part
}

// window opens a window in which the person is signed in.
func (n *networked) window(chromium chrome, l look) *tab {
	n.t.Helper()
	w := openTab(n.t, chromium, l)
	w.clearCookies()
	w.open(n.path + "/connect")
	w.signIn(n.connecter, words)
	w.on("Connect a channel")
	return w
}

// TestConnecting tests the pages on which people connect accounts, at the sandbox network.
func TestConnecting(t *testing.T) {
	t.Parallel()
	n, chromium := openNetworked(t), openBrowser(t)
	// First, because Threads refuses an application with a wrong secret in all workspaces.
	t.Run("applications at networks", func(t *testing.T) { entersApplications(t, n.in(t), chromium.profile(t)) })
	for name, story := range map[string]func(*testing.T, *networked, chrome){
		"one account": connectsOne, "several accounts": connectsSeveral, "every network": connectsEveryNetwork,
		"entered values": entersValues, "attempts that fail": attemptsFail,
		"by keyboard, without scripts": connectsByKeyboard, "disconnecting": disconnects,
		"a lost token with posts due": reconnects, "two servers": connectsTwoServers, "pausing": pauses,
		"every page in every look": connectLooks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, n.in(t), chromium.profile(t))
		})
	}
}

// starts opens the page of a way and continues to the network.
func (n *networked) starts(w *tab, way, network string) {
	n.t.Helper()
	w.open(n.path + "/connect/" + way)
	w.click("main form .primary")
	w.on("You are " + network + ": as whom?")
}

// allows chooses an account on the network's page.
func (w *tab) allows(account string) {
	w.t.Helper()
	w.run(chromedp.SendKeys(chromedp.CSS("[name=other]"), account))
	w.click(`[value=allow]`)
}

// picks ticks accounts by their ids and connects them.
func (w *tab) picks(ids ...string) {
	w.t.Helper()
	w.on("Choose the accounts to connect")
	for _, id := range ids {
		box := `[name=account][value="` + id + `"]`
		if !eval[bool](w, `document.querySelector('`+box+`').checked`) {
			w.click(box)
		}
	}
	w.click("main form .primary")
	w.wait(`document.readyState === 'complete' && !location.pathname.includes('/attempts/')`)
}

// connected returns the ids of the accounts of a type that the workspace has.
func (n *networked) connected(t channel.Type) []string {
	n.t.Helper()
	return postgrestest.Column(n.t, n.dsn, `SELECT external_id FROM channel WHERE workspace_id = $1 AND type = $2
		AND is_connected AND token_status = 'HEALTHY' ORDER BY id`, n.workspace.String(), string(t))
}

func connectsOne(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	w.looked("connect-networks")
	w.run(chromedp.Click(chromedp.CSS(`a[href$="/connect/twitter"]`), chromedp.NodeVisible))
	w.on("Connect X")
	w.looked("connect-start")
	w.click("main form .primary")
	w.on("You are X: as whom?")
	w.allows("mara")
	w.on("Choose the accounts to connect")
	w.must(`document.querySelectorAll('[name=account]').length`, 1)
	w.must(`document.querySelector('[name=account]').checked`, true) // the only one
	w.looked("connect-pick-one")
	w.must(`location.search`, "") // the code is not in the address
	w.click("main form .primary")
	w.on("Channels")
	w.must(`document.querySelector('.notice').innerText.includes(' connected.')`, true)
	w.looked("connect-done")
	w.requireQuiet()
	require.Equal(t, []string{"mara"}, n.connected(channel.Twitter))

	n.starts(w, "twitter", "X")
	w.allows("mara")
	w.on("Choose the accounts to connect")
	w.must(`document.querySelector('.option.account').innerText.includes('already connected')`, true)
	w.picks("mara")
	require.Equal(t, []string{"mara"}, n.connected(channel.Twitter), "the same account is not added twice")
}

func connectsSeveral(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	n.starts(w, "facebook-page", "Facebook")
	w.allows("mara")
	w.on("Choose the accounts to connect")
	w.must(`document.querySelectorAll('[name=account]:checked').length`, 0) // the person chooses
	w.must(`document.querySelector('main').innerText.includes('through mara Holding')`, true)
	w.must(`document.querySelectorAll('.option.account input:disabled').length`, 1) // no right to publish
	w.looked("connect-pick-pages")
	w.click("main form .primary")
	w.wait(`document.querySelector('[role=alert]')?.innerText === 'Choose at least one account.'`)
	w.looked("connect-pick-none")
	w.expect("422", "422")
	w.picks("mara", "mara-group")
	w.must(`document.querySelector('.notice').innerText`, "2 channels connected.")
	require.Equal(t, []string{"mara", "mara-group"}, n.connected(channel.FacebookPage))

	n.starts(w, "linkedin-page", "LinkedIn")
	w.allows("mara")
	w.picks("mara", "mara-labs")
	require.Equal(t, []string{"mara", "mara-labs"}, n.connected(channel.LinkedInPage))

	n.starts(w, "google-business", "Google Business")
	w.allows("mara")
	w.picks("accounts/1/locations/mara", "accounts/2/locations/mara-harbor")
	require.Len(t, n.connected(channel.GoogleBusiness), 2)
	w.requireQuiet()
}

func connectsEveryNetwork(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, phone())
	for _, one := range []struct {
		way, network string
		typ          channel.Type
	}{
		{"threads", "Threads", channel.Threads},
		{"youtube", "YouTube", channel.YouTube},
		{"pinterest", "Pinterest", channel.Pinterest},
		{"tiktok-personal", "TikTok", channel.TikTokPersonal},
		{"tiktok-business", "TikTok", channel.TikTokBusiness},
		{"instagram-professional-instagram-login", "Instagram", channel.InstagramProfessional},
		{"instagram-professional-facebook-login", "Instagram", channel.InstagramProfessional},
		{"linkedin-profile", "LinkedIn", channel.LinkedInProfile},
		{"mastodon", "Mastodon", channel.Mastodon},
	} {
		n.starts(w, one.way, one.network)
		account := "sol-" + one.way
		w.allows(account)
		w.on("Choose the accounts to connect")
		w.requireFits()
		w.must(`document.querySelectorAll('[name=account]').length > 0`, true)
		if !eval[bool](w, `document.querySelector('[name=account]').checked`) {
			w.click("[name=account]")
		}
		w.click("main form .primary")
		w.on("Channels")
		require.NotEmpty(t, n.connected(one.typ), one.way)
	}
	w.requireQuiet()
}

func entersValues(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	w.open(n.path + "/connect/telegram-channel")
	w.looked("connect-telegram")
	w.must(`document.querySelector('#token').type`, "password")
	w.run(chromedp.SendKeys(chromedp.CSS("#token"), "77:sandbox-mara"), chromedp.SendKeys(chromedp.CSS("#chat"), "@readers"))
	w.click("main form .primary")
	w.wait(`document.querySelector('#chat')?.getAttribute('aria-invalid') === 'true'`)
	w.must(`document.querySelector('#chat').value`, "@readers")
	w.must(`document.querySelector('#token').value`, "")
	w.looked("connect-telegram-failed")
	w.expect("422", "422")
	w.must(`document.querySelector('#chat').value = ''`, "")
	w.run(chromedp.SendKeys(chromedp.CSS("#token"), "77:sandbox-mara"), chromedp.SendKeys(chromedp.CSS("#chat"), "@mara"))
	w.click("main form .primary")
	w.on("Choose the accounts to connect")
	w.click("main form .primary")
	w.on("Channels")
	require.Len(t, n.connected(channel.TelegramChannel), 1)

	w.open(n.path + "/connect/bluesky")
	w.run(chromedp.SendKeys(chromedp.CSS("#handle"), "mara.sandbox.test"),
		chromedp.SendKeys(chromedp.CSS("#password"), "abcd-efgh-ijkl-mnop"))
	w.click("main form .primary")
	w.on("Choose the accounts to connect")
	w.click("main form .primary")
	w.on("Channels")
	require.Len(t, n.connected(channel.Bluesky), 1)
	w.requireQuiet()
}

func attemptsFail(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	n.starts(w, "twitter", "X")
	w.click(`[value=deny]`)
	w.on("X was not connected")
	w.must(`document.querySelector('.callout').innerText.includes('You did not allow access at X.')`, true)
	w.looked("connect-denied")

	w.click("main .button.primary") // again
	w.on("Connect X")
	w.click("main form .primary")
	w.on("You are X: as whom?")
	w.click(`[value="tweet.write"]`)
	w.click(`[value=allow]`)
	w.on("X was not connected")
	w.must(`document.querySelector('.callout').innerText.includes('X did not grant tweet.write')`, true)
	w.must(`document.querySelector('.timeline pre').textContent.includes('granted: ')`, true)
	w.looked("connect-scope-missing")

	n.starts(w, "linkedin-page", "LinkedIn")
	w.click(`[name=expired]`)
	w.click(`[value=allow]`)
	w.on("LinkedIn was not connected")
	w.must(`document.querySelector('.timeline').textContent.includes('CONSENT_REFUSED')`, true)
	w.must(`document.querySelector('.timeline pre').textContent.includes('status 4')`, true) // the network's own words
	w.looked("connect-code-refused")
	w.requireQuiet()

	n.starts(w, "twitter", "X")
	back := eval[string](w, `new URL(location.href).searchParams.get('redirect_uri') + '?code=x&state=' + new URL(location.href).searchParams.get('state')`)
	other := openTab(t, chromium, desk()) // of the same browser: it has the same session
	other.clearCookies()
	other.open(n.base + "/sign-in")
	other.signIn(n.connecter, words)
	other.begins()
	other.open(back)
	other.on("This attempt to connect is over")
	other.looked("connect-other-session")
	other.expect("410", "410")
}

// connectsByKeyboard connects an account without a mouse and without scripts.
func connectsByKeyboard(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	call(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	w.run(chromedp.Navigate(n.path + "/connect/threads"))
	w.on("Connect Threads")
	w.reach(`main form .primary`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.on("You are Threads: as whom?")
	w.reach(`[name=other]`)
	w.run(chromedp.KeyEvent("keys"))
	w.reach(`[value=allow]`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.on("Choose the accounts to connect")
	w.reach(`main form .primary`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.on("Channels")
	require.Contains(t, n.connected(channel.Threads), "keys")
	w.requireQuiet()
}

// reach moves the focus to the element with the tabulator.
func (w *tab) reach(selector string) {
	w.t.Helper()
	const most = 60
	for range most {
		w.run(chromedp.KeyEvent(kb.Tab))
		if eval[bool](w, `document.activeElement === document.querySelector('`+selector+`')`) {
			return
		}
	}
	require.FailNow(w.t, "the keyboard does not reach "+selector, eval[string](w, `document.activeElement.outerHTML`))
}

// control calls the sandbox network's control API.
func (n *networked) control(method, path string, body any) []byte {
	n.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(n.t, err)
	request, err := http.NewRequestWithContext(n.t.Context(), method, n.sandbox+path, bytes.NewReader(raw))
	require.NoError(n.t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: timeout}).Do(request)
	require.NoError(n.t, err)
	defer func() { _ = response.Body.Close() }()
	var got bytes.Buffer
	_, err = got.ReadFrom(response.Body)
	require.NoError(n.t, err)
	require.Less(n.t, response.StatusCode, http.StatusBadRequest, got.String())
	return got.Bytes()
}

// schedule creates a post as the person does.
func (n *networked) schedule(of ident.Channel, text string, at time.Time) {
	n.t.Helper()
	change, err := post.Create(post.NewPost{
		WorkspaceID: n.workspace, ChannelID: of, ContentType: post.ContentPost, Content: text,
		ScheduleAt: at.UTC().Truncate(time.Millisecond),
	}, time.Now().UTC().Truncate(time.Millisecond), "user Mara Lindqvist")
	require.NoError(n.t, err)
	require.NoError(n.t, postgres.NewPosts(n.db).Insert(n.t.Context(), []post.Change{change}))
}

func disconnects(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, phone())
	n.starts(w, "twitter", "X")
	w.allows("olaf")
	w.picks("olaf")
	id := postgrestest.Column(t, n.dsn, `SELECT id::text FROM channel WHERE external_id = 'olaf'`)[0]
	of, err := ident.Parse[ident.Channel](id)
	require.NoError(t, err)
	n.schedule(of, "Later", time.Now().Add(48*time.Hour))
	w.open(n.path + "/channels/" + id)
	w.click(`a[href$="/disconnect"]`)
	w.wait(`document.querySelector('[value=drafts]') !== null`)
	w.looked("disconnect")
	w.click("main form .danger") // the browser requires a choice
	w.wait(`!document.querySelector('[value=drafts]').validity.valid`)
	w.click(`[value=drafts]`)
	w.click("main form .danger")
	w.wait(`document.querySelector('.notice')?.innerText.includes('X revoked the access.') === true`)
	w.looked("disconnected")
	w.requireQuiet()
	require.Equal(t, []string{"DRAFT"}, postgrestest.Column(t, n.dsn, `SELECT status FROM post WHERE channel_id = $1`, id))
}

// entersApplications stores an application with a wrong secret, then with a right one, and checks both.
func entersApplications(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	postgrestest.Exec(t, n.dsn, `INSERT INTO installation_operator (user_id) SELECT id FROM app_user WHERE email = $1`, n.connecter)
	w := n.window(chromium, desk())
	for i, step := range []struct{ secret, verdict string }{
		{"wrong-secret", "The network refused them."}, {"right-secret", "ID and secret work."},
	} {
		w.open(n.path + "/settings/networks")
		w.click(`section[aria-labelledby=THREADS_APP_ID] > details:first-of-type > summary`)
		w.run(chromedp.SendKeys(chromedp.CSS("#id-THREADS_APP_ID"), "an-id"),
			chromedp.SendKeys(chromedp.CSS("#secret-THREADS_APP_ID"), step.secret))
		w.click(`section[aria-labelledby=THREADS_APP_ID] details .primary`)
		w.wait(`document.querySelector('.notice')?.innerText.startsWith('Saved.') === true`)
		w.must(`document.body.innerHTML.includes('`+step.secret+`')`, false)
		w.click(`form[action$="/THREADS_APP_ID/check"] button`)
		w.wait(`document.querySelector('.callout[role=status]')?.innerText.includes('` + step.verdict + `') === true`)
		w.must(`document.querySelector('.callout pre').innerText.includes('`+step.secret+`')`, false)
		w.looked("applications-" + []string{"refused", "accepted"}[i])
	}
	w.requireQuiet()
}

func connectLooks(t *testing.T, n *networked, chromium chrome) {
	t.Helper()
	w := n.window(chromium, desk())
	n.starts(w, "facebook-page", "Facebook")
	w.allows("looks")
	w.on("Choose the accounts to connect")
	picking := eval[string](w, `location.href`)
	n.starts(w, "twitter", "X")
	w.click(`[value="tweet.write"]`)
	w.click(`[value=allow]`)
	w.on("X was not connected")
	failed := eval[string](w, `location.href`)
	for page, address := range map[string]string{
		"networks": n.path + "/connect", "start": n.path + "/connect/mastodon", "enter": n.path + "/connect/telegram-channel",
		"pick": picking, "failed": failed, "channels": n.path + "/channels", "guide": n.path + "/connect/tiktok-business/guide",
		"applications": n.path + "/settings/networks",
	} {
		w.open(address)
		w.inEveryLook("connecting-" + page)
		w.requireQuiet()
	}
}
