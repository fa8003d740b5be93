package browser_test

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

const (
	mara      = "mara.lindqvist.and.daughters@northern-lights-ceramics.example.com"
	allScopes = 10
	allow     = `button[value="allow"]`
	cancel    = `button[value="deny"]`
)

// everyLook returns the looks in which pages are tested: three widths, in the light and the dark color scheme. The gate
// has two of them, which have both color schemes, both designs and the smallest width; E2E_MATRIX=all has all.
func everyLook() map[string]look {
	narrow := phone()
	narrow.width = 320
	if os.Getenv("E2E_MATRIX") != "all" {
		return map[string]look{"narrow": narrow, "desk-dark": desk().atNight()}
	}
	looks := make(map[string]look)
	for name, l := range map[string]look{"narrow": narrow, "phone": phone(), "desk": desk()} {
		looks[name], looks[name+"-dark"] = l, l.atNight()
	}
	return looks
}

// TestApplication tests the pages on which users sign in and decide about the access of programs.
func TestApplication(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	for name, story := range map[string]func(*testing.T, *application, chrome){
		"every page in every look": applicationLooks, "signing in": signingIn, "allowing": allowing, "refusing": refusing,
		"who asks, and what is known of them": whoAsks, "by keyboard alone": byKeyboard, "taking back": takingBack,
		"the pages of a workspace": workspaceLooks, "the documentation of the API": readsDocumentation, "people join by invitation": joins,
		"the shortcuts of a workspace": shortcuts, "second factors": secondFactors, "without scripts": actingWithoutScripts,
		"pages follow changes": livePages, "without a workspace": withoutWorkspace,
		"moving posts in the calendar": movesPosts, "swapping posts in the grid of a profile": swapsInGrid, "writing posts in the composer": writesPosts, "arranging the parts of a thread": arrangesParts,
		"writing a thread": writesThread, "inserting texts in the composer": insertsTexts, "composing by keyboard alone": composesByKeys,
		"what needs a person": needsPerson, "recurring posts": repeatsPosts, "approving posts": approvesPosts, "notifications": isNotified,
		"members of some channels, deleting a workspace": limitsAndDeletes,
		"campaigns": runsCampaign, "reuse": reusesPosts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, a.in(t), chromium.profile(t))
		})
	}
}

// looked checks the requirements of every page and takes a screenshot.
func (w *tab) looked(name string) {
	w.t.Helper()
	w.settle()
	w.keep(name)
	w.requireFits()
	// WCAG 2.2, 2.5.8. An input in a label is clicked through its label. Links in a sentence are exempt.
	w.must(
		`[...document.querySelectorAll('a, button, input:not([type=hidden]), label:has(input)')].filter(e => e.checkVisibility() && !e.matches('p a, label input') && e.getBoundingClientRect().height < 24).map(e => e.outerHTML)`, []any{})
	// pages without a workspace have at most the script of a form for passkeys or with a time zone
	w.must(`document.querySelector('.app') !== null || document.scripts.length === (document.querySelector('form[data-passkey], [data-zone]') ? 1 : 0)`, true)
	w.requireAccessible()
}

func applicationLooks(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	a.person(mara, "Studio <b>Malmö</b> & friends", "Northern Lights Ceramics and Household Goods Wholesale")
	client := a.register("Autumn Content Planner", planner)
	everything := make([]string, 0, allScopes)
	for _, scope := range credential.Scopes() {
		everything = append(everything, string(scope))
	}
	for name, l := range everyLook() {
		t.Run(name, func(t *testing.T) {
			w := openTab(t, chromium, l)
			w.clearCookies()
			arrived := w.arrivals("https://planner.example/*")
			w.open(a.asks(client, planner, a.mcp, everything...))
			w.on("Sign in")
			w.must(`document.querySelector('.lead').innerText`, "to continue to Autumn Content Planner")
			w.looked("sign-in-" + name)
			w.signIn(mara, words)
			w.on("Autumn Content Planner requests access")
			w.must(`document.querySelectorAll('[name=scope]').length`, allScopes)
			w.looked("consent-" + name)
			w.click(`[name=workspace]`)
			w.click(allow)
			a.redeem(client, planner, w.landed(arrived).Get("code"))
			w.open(a.base + "/device")
			w.looked("device-" + name)
			w.open(a.base + "/programs")
			w.on("Programs")
			w.looked("programs-" + name)
			w.requireQuiet()
			w.open(a.base + "/nothing-here")
			w.on("Not found")
			w.looked("message-" + name)
		})
	}
}

func signingIn(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "jonas@example.com"
	a.person(person, "Café Berg")
	w := openTab(t, chromium, phone())
	w.clearCookies()
	w.open(a.base + "/")
	w.on("Sign in")
	w.must(`document.querySelector('.lead')`, nil) // no request is pending

	w.wait(`document.activeElement.id === 'email'`)
	w.run(chromedp.KeyEvent(kb.Enter)) // nothing was typed: the browser reports it and sends no request
	w.must(`document.activeElement.id === 'email' && !document.activeElement.validity.valid`, true)
	w.run(chromedp.KeyEvent(person), chromedp.KeyEvent(kb.Enter))
	w.wait(`document.activeElement.id === 'password' && !document.activeElement.validity.valid`)
	w.must(`document.querySelector('[role=alert]')`, nil)
	w.requireQuiet()

	w.run(chromedp.KeyEvent("Not the password"), chromedp.KeyEvent(kb.Enter))
	w.wait(`document.querySelector('[role=alert]')?.innerText === 'The email address or the password is incorrect.'`)
	w.must(`document.querySelector('#email').value`, person)
	w.must(`document.querySelector('#password').value`, "")
	w.looked("sign-in-wrong")
	w.expect("401", "401") // reported by the network and by the console
	wrong := eval[string](w, `document.querySelector('main').innerText`)

	w.wait(`document.activeElement.id === 'password'`)
	w.run(chromedp.KeyEvent(words), chromedp.KeyEvent(kb.Enter))
	w.begins()
	w.must(`document.querySelector('.me .named span').textContent`, person)
	for _, cookie := range call(w, network.GetCookies, network.GetCookiesParams{}).Cookies {
		require.True(t, cookie.HTTPOnly, cookie.Name)
	}
	w.requireQuiet()
	w.open(a.base + "/sign-in")
	w.begins()

	w.click(".me summary")
	w.click(".me button[type=submit]")
	w.on("Sign in")
	w.must(`document.querySelector('.who')`, nil)
	w.open(a.base + "/programs")
	w.on("Sign in")

	w.signIn("unknown@example.com", "Not the password")
	w.wait(`document.querySelector('[role=alert]') !== null`)
	w.must(`document.querySelector('main').innerText`, wrong) // the page does not reveal whether the user exists
	w.expect("401", "401")
}

// allowing follows the flow from the program through the pages and back, and uses the granted access.
func allowing(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "elin@example.com"
	studios := a.person(person, "Bakery", "Café <img src=x onerror=window.broken=1>")
	client := a.register("Planner", planner)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	arrived := w.arrivals("https://planner.example/*")
	w.open(a.asks(client, planner, a.api, "posts:write", "posts:publish", "channels:read"))
	w.on("Sign in")
	w.signIn(person, words)
	w.on("Planner requests access")
	w.must(`[...document.querySelectorAll('[name=workspace]')].map(e => e.closest('label').innerText)`, []any{
		"Bakery\nGrowth plan", "Café <img src=x onerror=window.broken=1>\nGrowth plan",
	})
	w.must(`document.querySelectorAll('[name=workspace]:checked').length`, 0) // no workspace is preselected
	w.must(
		`[...document.querySelectorAll('[name=scope]')].map(e => e.checked + ' ' + e.value + ': ' + e.closest('label').innerText.split('\n')[0])`, []any{
			"true posts:publish: Publish and schedule posts on your channels, and approve posts",
			"true posts:write: View, create and delete unpublished posts",
			"true channels:read: View your channels",
		})
	w.must(`document.querySelector('[value="posts:publish"]').closest('label').innerText.includes('publicly visible')`,
		true)
	w.must(`document.querySelector('.fine').innerText.includes('Revoke access at any time')`, true)
	w.must(`document.images.length + typeof window.broken`, "0undefined")

	w.click(allow) // without a workspace the browser requires one
	w.wait(`!document.querySelector('[name=workspace]').validity.valid`)
	w.on("Planner requests access")
	w.click(`[name=workspace][value="` + studios[1].String() + `"]`)
	w.click(`[value="posts:publish"]`)
	w.click(allow)
	got := w.landed(arrived)
	require.Equal(t, "a state & more", got.Get("state"))
	require.Equal(t, a.api, got.Get("iss"))
	require.Empty(t, got.Get("error"))
	w.requireQuiet()

	token := a.redeem(client, planner, got.Get("code"))
	status, found := a.workspace(token)
	require.Equal(t, http.StatusOK, status, found)
	require.Equal(t, studios[1].String(), found["id"])
	require.ElementsMatch(t, []any{"posts:write", "channels:read"}, found["grantedScopes"],
		"posts:publish was not allowed")
}

func refusing(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "sven@example.com"
	a.person(person, "Sven", "Sven's other one")
	client := a.register("Planner", planner)
	w := openTab(t, chromium, phone())
	w.clearCookies()
	arrived := w.arrivals("https://planner.example/*")
	w.open(a.asks(client, planner, a.api, "posts:write"))
	w.on("Sign in")
	w.signIn(person, words)
	w.on("Planner requests access")
	consent := eval[string](w, `location.href`)
	w.click(cancel) // without any selection
	got := w.landed(arrived)
	require.Equal(t, "access_denied", got.Get("error"))
	require.Equal(t, "a state & more", got.Get("state"))
	require.Equal(t, a.api, got.Get("iss"))
	require.Empty(t, got.Get("code"))
	w.requireQuiet()

	w.open(consent) // again, as the back button does
	w.on("Request expired")
	w.looked("consent-over")
	w.expect("410", "410")

	w.open(a.asks(client, planner, a.api, "posts:write"))
	w.on("Planner requests access")
	w.click(`[name=workspace]`)
	w.click(`[name=scope]`)
	w.click(allow)
	w.wait(`document.querySelector('[role=alert]')?.innerText === 'Allow at least one permission, or cancel.'`)
	w.looked("consent-nothing-ticked")
	w.expect("422", "422")
}

// whoAsks checks that a program's self-description is shown as text, and that the page names what is verified and what
// is not.
func whoAsks(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "olle@example.com"
	a.person(person, "Olle")
	w := openTab(t, chromium, phone())
	w.clearCookies()
	w.open(a.base + "/")
	w.on("Sign in")
	w.signIn(person, words)
	w.begins()
	document := "https://agents.example.com/clients/planner.json"
	long := strings.Repeat("Unbroken", 10)
	for i, c := range []struct{ id, redirect, name, lead string }{
		{a.register("Planner", planner), planner, "Planner", "Access goes to planner.example. The name isn’t verified."},
		{
			a.register("Inspector", inspector), inspector, "Inspector",
			"It runs on your computer. Continue only if you started it.",
		},
		{
			a.published(document, "Agents", "https://agents.example.com/cb"), "https://agents.example.com/cb", "Agents",
			"Access goes to agents.example.com, the publisher of the program.",
		},
		{
			a.register(`<script>window.broken=1</script>`, planner), planner, `<script>window.broken=1</script>`,
			"Access goes to planner.example. The name isn’t verified.",
		},
		{
			a.register(`"><img src=x onerror=window.broken=1>`, planner), planner, `"><img src=x onerror=window.broken=1>`,
			"Access goes to planner.example. The name isn’t verified.",
		},
		{a.register(long, planner), planner, long, "Access goes to planner.example. The name isn’t verified."},
	} {
		w.open(a.asks(c.id, c.redirect, a.mcp, "posts:write"))
		w.on(c.name + " requests access")
		w.must(`document.querySelector('.lead').innerText`, c.lead)
		w.must(`document.querySelector('.fine').innerText.includes('the tools for AI agents')`, true)
		w.must(`document.querySelectorAll('[name=workspace]:checked').length`, 1) // there is only one
		w.must(`typeof window.broken + document.scripts.length + document.images.length`, "undefined00")
		w.requireFits()
		w.keep("who-asks-" + strconv.Itoa(i))
		w.requireQuiet()
	}
}

// byKeyboard signs in, selects and allows without a mouse, also where the buttons stay at the bottom of the window.
func byKeyboard(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "saga@example.com"
	studios := a.person(person, "First", "Second")
	client := a.register("Planner", planner)
	for name, l := range map[string]look{"desk": desk(), "phone": phone()} {
		t.Run(name, func(t *testing.T) {
			w := openTab(t, chromium, l)
			w.clearCookies()
			arrived := w.arrivals("https://planner.example/*")
			w.open(a.asks(client, planner, a.api, "posts:write", "posts:publish", "links:read", "links:write", "ideas:read",
				"ideas:write"))
			w.on("Sign in")
			w.signIn(person, words)
			w.on("Planner requests access")
			reached := w.tabThrough(map[string]string{studios[0].String(): kb.ArrowDown, "posts:publish": " "})
			require.Equal(t, []string{
				"Fencepost", "Sign out", studios[1].String(), "posts:publish", "links:write", "posts:write", "ideas:write",
				"links:read", "ideas:read",
				"Programs", "deny", "allow",
			}, reached)
			w.keep("consent-keyboard-" + name)
			w.run(chromedp.KeyEvent(kb.Enter))
			code := w.landed(arrived).Get("code")
			w.requireQuiet()
			_, found := a.workspace(a.redeem(client, planner, code))
			require.Equal(t, studios[1].String(), found["id"], found)
			require.ElementsMatch(t, []any{"links:write", "posts:write", "ideas:write", "links:read", "ideas:read"},
				found["grantedScopes"])
		})
	}
}

// tabThrough moves the focus through the page to the allow button, presses the given keys on the way, and returns the
// focused elements.
func (w *tab) tabThrough(keys map[string]string) (reached []string) {
	w.t.Helper()
	const (
		most    = 20
		focused = `document.activeElement.value || document.activeElement.innerText.trim()`
	)
	for range most {
		w.run(chromedp.KeyEvent(kb.Tab))
		if key := keys[eval[string](w, focused)]; key != "" {
			w.run(chromedp.KeyEvent(key))
		}
		reached = append(reached, eval[string](w, focused))
		w.must(`getComputedStyle(document.activeElement).outlineStyle !== 'none'`, true) // WCAG 2.2, 2.4.7
		// WCAG 2.2, 2.4.11: no element covers the focused one.
		w.must(
			`(e => { const r = e.getBoundingClientRect(); return e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); })(document.activeElement)`, true)
		if reached[len(reached)-1] == "allow" {
			break
		}
	}
	return reached
}

// takingBack checks that revoked access ends at once.
func takingBack(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "tove@example.com"
	a.person(person, "Tove & Co.")
	client := a.register("Planner <b>", planner)
	w := openTab(t, chromium, phone())
	w.clearCookies()
	arrived := w.arrivals("https://planner.example/*")
	w.open(a.asks(client, planner, a.api, "posts:write", "analytics:read"))
	w.on("Sign in")
	w.signIn(person, words)
	w.on("Planner <b> requests access")
	w.click(allow)
	token := a.redeem(client, planner, w.landed(arrived).Get("code"))
	status, found := a.workspace(token)
	require.Equal(t, http.StatusOK, status, found)

	w.open(a.base + "/programs")
	w.on("Programs")
	w.must(`[...document.querySelectorAll('.list strong')].map(e => e.innerText)`, []any{"Planner <b>"})
	w.must(`document.querySelector('.list .meta').innerText`,
		"planner.example · Tove & Co. · since "+time.Now().UTC().Format("2 January 2006")+" · Requests")
	w.must(`[...document.querySelectorAll('.can li')].map(e => e.innerText)`,
		[]any{"View, create and delete unpublished posts", "View the analytics of your channels and posts"})
	// the buttons' names differ
	w.must(`document.querySelector('.danger').textContent`, "Revoke access from Planner <b>")
	w.click(".danger")
	w.wait(`document.querySelector('[role=status]')?.innerText === 'Access revoked.'`)
	w.must(`document.querySelector('.blank h2').innerText`, "No programs yet")
	w.looked("programs-empty")
	w.requireQuiet()
	require.Eventually(t, func() bool { status, _ := a.workspace(token); return status == http.StatusUnauthorized },
		4*time.Second, 50*time.Millisecond)
}

func withoutWorkspace(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "new@example.com"
	a.person(person)
	w := openTab(t, chromium, phone())
	w.clearCookies()
	w.open(a.asks(a.register("Planner", planner), planner, a.api, "posts:write"))
	w.on("Sign in")
	w.signIn(person, words)
	w.on("No workspace")
	w.looked("no-workspace")
}
