package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// furnished creates a person with a workspace that has channels and posts in every state, and returns the path of the
// workspace, and the channel and the failed post.
func (a *application) furnished(email string) (path, of, failed string) {
	a.t.Helper()
	workspace := a.person(email, "Northern Lights Ceramics and Household Goods Wholesale", "Café Berg")[0]
	keys, err := secretbox.ParseKeys("test:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=")
	require.NoError(a.t, err)
	ring, err := secretbox.NewKeyring(keys)
	require.NoError(a.t, err)
	channels := postgres.NewChannels(a.db, ring)
	var created []channel.Channel
	for i, typ := range channel.Types() {
		c := channel.Channel{
			ID: ident.New[ident.Channel](), WorkspaceID: workspace, Name: "Northern Lights " + string(typ), Type: typ,
			Username: "northernlights", ExternalID: string(typ), IsConnected: i != 1,
			TokenStatus: []channel.TokenStatus{
				channel.TokenHealthy, channel.TokenExpiring, channel.TokenNeedsReconnect,
			}[i%3],
			IsQueuePaused: i == 4, Timezone: "Europe/Stockholm", CreatedAt: time.Now().UTC(),
		}
		require.NoError(a.t, channels.Insert(a.t.Context(), c, channel.Credentials{AccessToken: "x"}))
		created = append(created, c)
	}
	require.NoError(a.t, channels.SetSlots(a.t.Context(), created[0].ID, []slot.Slot{
		{Weekday: time.Monday, Hour: 9}, {Weekday: time.Monday, Hour: 17, Minute: 30}, {Weekday: time.Saturday, Hour: 11},
	}))
	ids := make([]string, 0, 7)
	for i, content := range []string{
		"The kiln is open! Forty cups came out without a crack.", strings.Repeat("Unbroken", 30), "<img src=x onerror=window.broken=1>",
		"Autumn glazes: a first look at the moss green one.\n\nTell us which you like best.", "Late", "Waiting for the network", "Old",
	} {
		change, err := post.Create(post.NewPost{
			WorkspaceID: workspace, ChannelID: created[i*2].ID, ContentType: post.ContentPost, Content: content,
			ScheduleAt: time.Now().UTC().Add(48 * time.Hour),
		}, time.Now().UTC().Truncate(time.Millisecond), "user Mara Lindqvist")
		require.NoError(a.t, err)
		require.NoError(a.t, postgres.NewPosts(a.db).Insert(a.t.Context(), []post.Change{change}))
		ids = append(ids, change.Post.ID.String())
	}
	for i, change := range []string{
		`status = 'PUBLISHED', published_at = now() - interval '2 days', post_url = 'http://threads.example/post/1'`,
		`status = 'FAILED', error_code = 'OUTCOME_UNKNOWN', error_message = 'The network did not respond.', error_retryable = false`,
		`status = 'DRAFT', scheduled_at = null`, `status = 'PENDING_APPROVAL'`, `content = content`,
		`waiting_reason = 'rate_limited', waiting_until = now() + interval '1 hour'`, `status = 'ARCHIVED', archived_from = 'DRAFT'`,
	} {
		postgrestest.Exec(a.t, a.dsn, `UPDATE post SET `+change+` WHERE id = $1`, ids[i])
	}
	return a.base + "/w/" + workspace.String(), created[0].ID.String(), ids[1]
}

func workspaceLooks(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "sigrid.of.northern.lights.ceramics.and.daughters@example.com"
	path, of, failed := a.furnished(person)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/developers/webhooks")
	w.signIn(person, words)
	w.on("Developers") // the page that was asked for
	w.run(chromedp.SendKeys(chromedp.CSS("#url"), "https://hooks.example.com/receiver"))
	w.click("[name=all] ~ span") // ticked already: without any event the form is refused
	w.click("section .primary[type=submit]")
	w.wait(`document.querySelector('.fault[role=alert]') !== null`)
	w.keep("webhook-fault")
	w.expect("422", "422")
	w.click("[name=all] ~ span")
	w.click("section .primary[type=submit]")
	w.on("https://hooks.example.com/receiver")
	w.must(`document.querySelector('.secret code').innerText.startsWith('whsec_')`, true)
	w.looked("webhook-created")
	hook := eval[string](w, `document.querySelector('.row.filters form').action.replace(/.test$/, '')`)
	w.click(".row.filters button")
	w.wait(`document.querySelector('.notice') !== null`)
	w.requireQuiet()
	live := a.telegram(path)
	pages := map[string]string{
		"post-live": path + "/posts/" + live, "channel-avatar": path + "/channels/" + of + "/avatar",
		"channel-styles": path + "/channels/" + of + "/styles", "logo": path + "/settings/logo",
		"calendar-list": path + "/calendar?view=list", "calendar-day": path + "/calendar?view=day", "holidays": path + "/calendar/holidays",
		"today": path + "/today", "posts": path + "/posts", "posts-scheduled": path + "/posts?status=scheduled", "publishing": path + "/publishing", "posts-none": path + "/posts?status=published&channel=" + of[:35] + "0", "post-failed": path + "/posts/" + failed,
		"channels": path + "/channels", "channel": path + "/channels/" + of, "keys": path + "/developers/keys",
		"webhooks": path + "/developers/webhooks", "webhook": hook, "events": path + "/developers/events",
		"requests": a.requested(path), "requests-none": path + "/developers/requests?request=x",
		"members": path + "/settings/members", "labels": path + "/settings/labels",
		"label": path + "/settings/labels/edit?label=" + a.labeled(path), "audit": path + "/settings/audit",
		"programs-of-workspace": path + "/settings/programs", "settings": path + "/settings",
		"profile": path + "/settings/profile", "missing": path + "/posts/" + of, "components": a.base + "/-/components",
		"previews": a.base + "/-/components/previews", "options": a.base + "/-/components/options",
	}
	for page, address := range pages {
		w.open(address)
		w.must(`document.querySelector('script:not([src]), [style]')`, nil)
		w.must(`typeof window.broken`, "undefined")
		w.inEveryLook(page)
		if page == "missing" {
			w.expect("404", "404")
		}
		w.requireQuiet()
	}
}

// shortcuts goes through the pages by keyboard.
func shortcuts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "keys@example.com"
	path, _, _ := a.furnished(person)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(a.base + "/")
	w.on("Sign in")
	w.signIn(person, words)
	w.begins()
	w.run(chromedp.KeyEvent("?"))
	w.wait(`document.querySelector('#shortcuts').open`)
	w.must(`document.querySelectorAll('#shortcuts dt').length > 5`, true)
	w.must(`document.activeElement.id`, "")
	w.keep("shortcuts")
	w.run(chromedp.KeyEvent("\x1b"))
	w.wait(`!document.querySelector('#shortcuts').open`)
	for _, page := range [][2]string{{"h", "Channels"}, {"d", "Developers"}, {"s", "Settings"}, {"p", "Posts"}} {
		w.run(chromedp.KeyEvent("g"), chromedp.KeyEvent(page[0]))
		w.on(page[1])
		w.wait(`document.readyState === 'complete'`)
	}
	w.open(path + "/posts") // the first workspace has no channels, thus no filter
	w.run(chromedp.KeyEvent("/"))
	w.must(`document.activeElement.id`, "search")
	w.run(chromedp.KeyEvent("g"), chromedp.KeyEvent("h")) // the filter is in use
	w.on("Posts")
	w.requireQuiet()
}

// telegram moves the published post of a workspace to its Telegram channel, adds a picture, and returns the post.
func (a *application) telegram(path string) string {
	a.t.Helper()
	workspace, err := ident.Parse[ident.Workspace](path[len(path)-36:])
	require.NoError(a.t, err)
	postgrestest.Asset(a.t, a.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: workspace, Name: "The potter with a very long name beside the kiln.png",
		Type: media.Image, ContentType: "image/png", Size: 5, CreatedAt: time.Now().UTC(),
	})
	moved := postgrestest.Column(a.t, a.dsn, `UPDATE post SET channel_id = c.id FROM channel c
		WHERE c.type = 'TELEGRAM_CHANNEL' AND c.workspace_id = post.workspace_id AND post.status = 'PUBLISHED'
		AND post.workspace_id = $1 RETURNING post.id::text`, workspace.String())
	require.Len(a.t, moved, 1)
	return moved[0]
}

// requested adds requests of a key with a long name to its log, and returns the page that shows them.
func (a *application) requested(path string) string {
	a.t.Helper()
	workspace := path[len(path)-36:]
	postgrestest.Exec(a.t, a.dsn, `WITH k AS (INSERT INTO api_key (id, workspace_id, name, display, hash, scopes, created_at)
			VALUES (gen_random_uuid(), $1, 'The newsletter of the northern lights ceramics', 'svc_live_x', sha256(uuid_send($1)), '{}', now()) RETURNING id)
		INSERT INTO request_log (id, workspace_id, key_id, at, method, operation, path, query, status, code, duration_us, request_id, client, agent)
		SELECT gen_random_uuid(), $1, k.id, now(), r.method, r.operation, r.path, r.query, r.status, r.code, 12345, gen_random_uuid()::text,
			'192.0.2.0/24', 'fencepost-python/1.0 (a long text of a client about itself and its environment)'
		FROM k, (VALUES ('GET', 'list-posts', '/v1/posts', 'limit=50&q=…&status=SCHEDULED', 200, ''),
			('POST', 'schedule-post', '/v1/posts/0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60/schedule', '', 422, 'VALIDATION_FAILED'),
			('POST', 'tools/call create_post', '/mcp', '', 200, 'CHANNEL_DISCONNECTED'),
			('GET', 'get-workspace', '/v1/workspace', '', 503, 'UNAVAILABLE')) AS r (method, operation, path, query, status, code)`, workspace)
	return path + "/developers/requests"
}

// labeled gives the posts of a workspace a label with a long name, beside others, and returns it.
func (a *application) labeled(path string) string {
	a.t.Helper()
	postgrestest.Exec(a.t, a.dsn, `INSERT INTO label (workspace_id, key, name, color)
		SELECT $1, lower(name), name, color FROM (VALUES ('Autumn', '#b3261e'), ('A-label-of-fifty-characters-without-any-spaces-yes', '#1f5fbf'),
			('Spring', '#1f7a3a')) AS l (name, color)`, path[len(path)-36:])
	postgrestest.Exec(a.t, a.dsn, `UPDATE post SET labels = '{Autumn}', label_keys = '{autumn}' WHERE workspace_id = $1`, path[len(path)-36:])
	return "Autumn"
}

// actingWithoutScripts acts on the pages in a browser that runs no scripts.
func actingWithoutScripts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "plain@example.com"
	path, of, failed := a.furnished(person)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	call(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	w.run(chromedp.Navigate(path + "/posts"))
	w.signIn(person, words)
	w.on("Posts")
	w.must(`document.querySelector('copy-text button')`, nil) // no script ran
	w.must(`(document.querySelector('#channel').selectedIndex = 1)`, 1)
	w.click(".filters button")
	w.wait(`location.search.includes('channel=') && document.readyState === 'complete'`)
	w.on("Posts")
	w.run(chromedp.Navigate(path + "/posts/" + failed))
	w.click(".more summary")
	w.click(`form[action$="/archive"] button`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('archived') === true`)
	w.must(`document.querySelector('h1').innerText.startsWith('Unbroken')`, true)
	w.click(".toasts .undo")
	w.wait(`document.querySelector('.notice')?.innerText.includes('Taken back') === true`)
	w.run(chromedp.Navigate(path + "/posts"))
	w.on("Posts")
	w.click("[data-row] .tick")
	w.click(`#selected [value="duplicate"]`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('Duplicated 1 post.') === true`)
	w.run(chromedp.Navigate(path + "/channels/" + of))
	w.click(`[aria-labelledby="queue"] summary`)
	w.click(`form[action$="/pause"] button`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('paused') === true`)
	w.requireQuiet()
}

// livePages changes a workspace while pages show it.
func livePages(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "live@example.com"
	path, of, _ := a.furnished(person)
	workspace, err := ident.Parse[ident.Workspace](path[len(path)-36:])
	require.NoError(t, err)
	channelID, err := ident.Parse[ident.Channel](of)
	require.NoError(t, err)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/posts")
	w.signIn(person, words)
	w.on("Posts")
	w.must(`(document.querySelector('#posts').stays = true)`, true)
	change, err := post.Create(post.NewPost{
		WorkspaceID: workspace, ChannelID: channelID, ContentType: post.ContentPost, Content: "Fresh from the <kiln>",
	}, time.Now().UTC().Truncate(time.Millisecond), "user Mara Lindqvist")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(a.db).Insert(t.Context(), []post.Change{change}))
	w.wait(`document.querySelector('#posts').innerText.includes('Fresh from the <kiln>')`)
	w.must(`document.querySelector('#posts').stays === undefined`, true)
	w.must(`document.querySelectorAll('#posts').length`, 1)
	w.requireQuiet()

	// An editor who types is not disturbed, and sees the change afterwards.
	now := time.Now().UTC().Truncate(time.Millisecond)
	requested, err := change.Post.RequestApproval(now, "user Mara Lindqvist")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(a.db).Apply(t.Context(), requested))
	w.open(path + "/posts/" + change.Post.ID.String())
	other := openTab(t, chromium, desk())
	other.open(path + "/posts/" + change.Post.ID.String())
	w.must(`(Math.random = () => 0)() === 0`, true) // the page waits for a random time before it fetches
	w.run(chromedp.SendKeys(chromedp.CSS("#comment"), "Looks"))
	decided, err := requested.Post.Reject("Not yet", now, "user Astrid")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(a.db).Apply(t.Context(), decided))
	w.must(`document.hidden`, false)                                                       // otherwise it follows nothing
	other.wait(`document.querySelector('#post .badge').innerText === 'Changes requested'`) // the change has reached both windows
	w.must(`document.querySelector('#post .badge').innerText === 'Changes requested'`, false)
	w.must(`document.querySelector('#comment').value`, "Looks")
	w.must(`(document.querySelector('#comment').value = '')`, "")
	w.must(`document.querySelector('#comment').blur() === undefined`, true)
	w.wait(`document.querySelector('#post .badge').innerText === 'Changes requested'`)
	w.requireQuiet()

	// The same holds for an editor who begins to type while the change is fetched.
	requested, err = decided.Post.RequestApproval(now, "user Mara Lindqvist")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(a.db).Apply(t.Context(), requested))
	w.wait(`document.querySelector('#comment') !== null`)
	w.must(`(() => {
		const send = XMLHttpRequest.prototype.send;
		globalThis.held = [];
		globalThis.handled = 0;
		XMLHttpRequest.prototype.send = function (...body) { held.push(() => send.apply(this, body)); };
		document.addEventListener('htmx:afterRequest', () => { handled++; });
	})() === undefined`, true)
	decided, err = requested.Post.Reject("Not yet", now, "user Astrid")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(a.db).Apply(t.Context(), decided))
	w.wait(`held.length > 0`)
	w.run(chromedp.SendKeys(chromedp.CSS("#comment"), "Looks"))
	w.must(`held.shift()() === undefined`, true)
	w.wait(`handled === 1`)
	w.must(`document.querySelector('#comment').value`, "Looks")
	w.must(`(document.querySelector('#comment').value = '')`, "")
	w.must(`document.querySelector('#comment').blur() === undefined`, true)
	w.wait(`held.length > 0`)
	w.must(`held.shift()() === undefined`, true)
	w.wait(`document.querySelector('#post .badge').innerText === 'Changes requested'`)
	w.requireQuiet()

	a.keepsFocus(w, path, decided.Post)

	// Only responses of the application become HTML.
	w.must(`(() => { try { document.querySelector('main').innerHTML = '<b>x</b>'; return 'allowed'; } catch (e) { return e.name; } })()`,
		"TypeError")
}

// keepsFocus changes a post while a person is on one of its buttons, and deletes it.
func (a *application) keepsFocus(w *tab, path string, of post.Post) {
	w.t.Helper()
	posts := postgres.NewPosts(a.db)
	current := of
	apply := func(change post.Change, err error) {
		require.NoError(w.t, err)
		require.NoError(w.t, posts.Apply(w.t.Context(), change))
		current = change.Post
	}
	edited := func(text string) {
		change, _, err := current.Edit(post.Edit{Content: &text}, time.Now().UTC().Truncate(time.Millisecond), "user Astrid")
		apply(change, err)
		w.wait(`document.querySelector('#post .postpv').innerText.includes('` + text + `')`)
	}
	w.open(path + "/posts/" + of.ID.String())
	for _, selector := range []string{".more summary", `form[action$="/request-approval"] button`, `#post .facts a`, `#tech-post summary`} {
		w.must(`document.querySelector('`+selector+`').focus() === undefined`, true)
		edited("Text on " + strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(selector))[0])
		w.wait(`document.activeElement === document.querySelector('` + selector + `')`)
	}
	// Open details stay open. The person goes on from the top of the part whose button is gone.
	w.click("#tech-post summary")
	edited("With open details")
	w.wait(`document.querySelector('#tech-post').open`)
	w.must(`document.querySelector('form[action$="/request-approval"] button').focus() === undefined`, true)
	apply(current.RequestApproval(time.Now().UTC().Truncate(time.Millisecond), "user Astrid"))
	w.wait(`document.activeElement === document.querySelector('#post')`)
	w.must(`document.querySelector('#nav .count.person').innerText.includes('2')`, true) // counts follow too
	w.requireQuiet()

	deleted, err := current.Delete(time.Now().UTC().Truncate(time.Millisecond))
	require.NoError(w.t, err)
	require.NoError(w.t, posts.Delete(w.t.Context(), deleted))
	w.wait(`document.querySelector('#post h2')?.innerText === 'This post was deleted'`)
	w.must(`document.querySelectorAll('#post form').length`, 0)
	w.requireQuiet()
}

// invites signs the owner in, who invites a person to the workspace, and returns the link that the page shows; empty if it
// is mailed.
func (w *tab) invites(path, owner, guest string, role member.Role) (link string) {
	w.t.Helper()
	w.clearCookies()
	w.open(path + "/settings/members")
	w.signIn(owner, words)
	w.on("Settings")
	w.types("#email", guest)
	w.click(`[value="` + string(role) + `"] ~ span`)
	w.click(`form[action$="/invitations"] [type=submit]`)
	w.wait(`document.querySelector('#link') !== null`)
	return eval[string](w, `document.querySelector('.secret code')?.innerText ?? ''`)
}

// joins goes from the invitation to the refusal of what the role does not allow.
func joins(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const owner, guest = "astrid@example.com", "linnea@example.com"
	path, of, _ := a.furnished(owner)
	w := openTab(t, chromium, phone())
	link := w.invites(path, owner, guest, member.Contributor)
	w.looked("invited")
	w.requireQuiet()

	g := openTab(t, chromium, desk())
	g.clearCookies()
	g.open(link)
	g.on("Join Northern Lights Ceramics and Household Goods Wholesale")
	g.looked("invitation")
	g.run(chromedp.SendKeys(chromedp.CSS("#name"), "Linnea"), chromedp.SendKeys(chromedp.CSS("#password"), words))
	g.click("main [type=submit]")
	g.on("Posts")
	g.must(`document.querySelector('.switch .named span').textContent`, "Contributor")
	g.open(path + "/channels/" + of)
	g.looked("channel-contributor")
	g.must(`document.querySelectorAll('main form input, main form button, main a[href$="/avatar"]').length`, 0)
	g.requireQuiet()
	g.open(path + "/developers/keys")
	g.on("Not allowed")
	g.looked("not-allowed")
	g.expect("403", "403")
	g.open(link)
	g.on("Link no longer valid")
	g.expect("410", "410")
}
