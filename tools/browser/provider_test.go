package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
)

// TestProvider tests what people see who sign in and join through an OpenID Connect provider.
func TestProvider(t *testing.T) {
	t.Parallel()
	a, chromium := newApplication(t), openBrowser(t)
	a.start(a.withMails(), "sandbox", "worker")
	a.start([]string{
		"OIDC_ISSUER=" + a.box + "/openid", "OIDC_CLIENT_ID=fencepost", "OIDC_CLIENT_SECRET=a secret",
		"OIDC_NAME=Northern Login",
	}, "api", "console")
	for name, story := range map[string]func(*testing.T, *application, chrome){
		"a member": linksAndSignsIn, "refused": refusedByProvider, "an invitation": joinsThrough,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, a.in(t), chromium.profile(t))
		})
	}
}

const throughProvider = `form[action="/sign-in/provider"] button`

// atProvider signs in at the provider, with these boxes ticked.
func (w *tab) atProvider(email string, faults ...string) {
	w.t.Helper()
	w.on("Who signs in?")
	w.run(chromedp.SendKeys(chromedp.CSS("[name=email]"), email))
	for _, fault := range faults {
		w.click(`[name="` + fault + `"]`)
	}
	w.click("[value=allow]")
}

// linksAndSignsIn is a member who signs in with the password once, and through the provider from then on.
func linksAndSignsIn(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const member = "astrid@example.com"
	id := a.person(member, "Northern Lights Ceramics")[0]
	security := a.base + "/w/" + id.String() + "/settings/security"
	w := openTab(t, chromium, phone())
	w.clearCookies()
	w.open(a.base + "/")
	w.on("Sign in")
	w.inEveryLook("provider-sign-in")
	w.click(throughProvider)
	w.on("Who signs in?")
	w.keep("provider-sandbox")
	w.requireFits()
	w.requireAccessible()
	w.atProvider(member)
	w.on("Sign in")
	w.must(`document.querySelector('.lead').innerText`, "Sign in once with your password. From then on Northern Login signs you in.")
	w.inEveryLook("provider-link")
	w.run(chromedp.SendKeys(chromedp.CSS("#password"), words))
	w.click("main [type=submit]")
	w.begins()
	w.open(security)
	w.must(`document.querySelector('#provider').parentElement.innerText.includes('astrid@example.com, since')`, true)
	w.inEveryLook("provider-security")
	w.signOut()
	w.click(throughProvider)
	w.atProvider(member)
	w.begins()
	w.must(`document.querySelector('.me .named span').textContent`, member)
	w.requireQuiet()

	w.open(security)
	w.click(`form[action$="/app/start"] button`) // the sign-in just now is the proof of presence
	w.on("Set up an authenticator app")
	w.open(security)
	w.click(`#provider ~ details summary`)
	w.click(`form[action$="/provider/remove"] button`)
	w.wait(`document.querySelector('form[action$="/settings/security/provider"] button') !== null`)
	w.requireQuiet()
}

// refusedByProvider has the returns from the provider that do not sign in.
func refusedByProvider(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const member = "jonas@example.com"
	a.person(member, "Café Berg")
	w := openTab(t, chromium, desk())
	w.clearCookies()
	for name, c := range map[string]struct {
		email, fault, says string
	}{
		"denied":     {"", "", "The provider did not sign you in."},
		"expired":    {member, "expired", "The response of the provider was not accepted. Try again."},
		"unverified": {member, "unverified", "The provider has not verified your email address."},
		"unknown":    {"unknown@example.com", "", "No account has your email address. Ask an owner of your workspace for an invitation."},
	} {
		w.open(a.base + "/sign-in")
		w.on("Sign in")
		w.click(throughProvider)
		switch {
		case c.email == "":
			w.on("Who signs in?")
			w.click("[value=deny]")
		case c.fault == "":
			w.atProvider(c.email)
		default:
			w.atProvider(c.email, c.fault)
		}
		w.wait(`document.querySelector('[role=alert]')?.innerText === "` + c.says + `"`)
		w.looked("provider-" + name)
		w.expect("403", "403")
	}
	w.signIn(member, words)
	w.begins()
	w.requireQuiet()
}

// joinsThrough is a person who accepts an invitation through the provider and never has a password.
func joinsThrough(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const owner, guest = "mikael@example.com", "linnea@example.com"
	id := a.person(owner, "Northern Lights Ceramics")[0]
	path := a.base + "/w/" + id.String()
	w := openTab(t, chromium, desk())
	require.Empty(t, w.invites(path, owner, guest, member.Contributor))
	w.clearCookies()
	link := w.mail(a, guest, "Mara Lindqvist invites you to Northern Lights Ceramics")
	w.open(link)
	w.on("Join Northern Lights Ceramics")
	w.inEveryLook("provider-invitation")
	w.click(throughProvider)
	w.atProvider("other.person@example.com")
	w.on("Join Northern Lights Ceramics")
	w.must(`document.querySelector('[role=alert]').innerText.startsWith('Northern Login knows you as other.person@example.com')`, true)
	w.inEveryLook("provider-join-other")
	w.click(`main a.primary`)
	w.on("Join Northern Lights Ceramics")
	w.click(throughProvider)
	w.atProvider(guest)
	w.wait(`document.querySelector('.lead')?.innerText.startsWith('Northern Login signs you in as linnea@example.com')`)
	w.inEveryLook("provider-join")
	w.run(chromedp.SendKeys(chromedp.CSS("#name"), "Linnea"))
	w.click("main [type=submit]")
	w.on("Posts")
	w.must(`document.querySelector('.switch .named span').textContent`, "Contributor")
	w.open(path + "/settings/security")
	require.Contains(t, eval[string](w, `document.querySelector('main .lead').innerText`), "You have no password.")
	w.inEveryLook("provider-no-password")
	w.signOut()
	w.click(throughProvider)
	w.atProvider(guest)
	w.begins()
	w.requireQuiet()
	w.open(link)
	w.on("Link no longer valid")
	w.expect("410", "410")
}
