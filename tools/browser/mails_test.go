package browser_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
)

// withMails returns the environment of programs that send mails to the sandbox.
func (a *application) withMails() []string {
	a.t.Helper()
	pages, mails := free(a.t), free(a.t)
	host, port, err := net.SplitHostPort(mails)
	require.NoError(a.t, err)
	a.box = "http://" + pages
	return []string{
		"NETWORKS_SANDBOX_URL=" + a.box, "SANDBOX_ADDR=" + pages, "SANDBOX_SMTP_ADDR=" + mails, "SANDBOX_DATA=" + a.t.TempDir(),
		"SMTP_HOST=" + host, "SMTP_PORT=" + port, "SMTP_TLS=none", "SMTP_FROM=Fencepost <posts@example.com>",
	}
}

// TestMails tests what people do with mails: set a new password, and accept an invitation.
func TestMails(t *testing.T) {
	t.Parallel()
	a, chromium := openMailing(t), openBrowser(t)
	for name, story := range map[string]func(*testing.T, *application, chrome){
		"a password reset": resetting, "an invitation": invited, "another address": moved,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, a.in(t), chromium.profile(t))
		})
	}
}

// received waits for the newest mail to an address with a subject, and returns its number.
func (a *application) received(to, subject string) (id int) {
	a.t.Helper()
	require.EventuallyWithT(a.t, func(c *assert.CollectT) {
		request, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet,
			a.box+"/_sandbox/mails?to="+url.QueryEscape(to), http.NoBody)
		require.NoError(c, err)
		response, err := (&http.Client{Timeout: timeout}).Do(request)
		require.NoError(c, err)
		defer func() { _ = response.Body.Close() }()
		var mails []struct {
			ID      int    `json:"id"`
			Subject string `json:"subject"`
		}
		require.NoError(c, json.NewDecoder(response.Body).Decode(&mails))
		require.NotEmpty(c, mails)
		require.Equal(c, subject, mails[0].Subject)
		id = mails[0].ID
	}, timeout, 100*time.Millisecond)
	return id
}

// mail opens the newest mail to an address in the mailbox, and returns its link.
func (w *tab) mail(a *application, to, subject string) string {
	w.t.Helper()
	id := a.received(to, subject)
	w.open(a.box + "/mailbox")
	w.on("Mailbox")
	w.click(`.mails a[href="/mailbox/` + strconv.Itoa(id) + `"]`)
	w.on(subject)
	return eval[string](w, `document.querySelector('.facts a').href`)
}

func resetting(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const chosen = "a wholly different phrase"
	const email = "elsa.lindqvist@example.com"
	a.person(email, "Café Berg")
	w := openTab(t, chromium, phone())
	w.clearCookies()
	w.open(a.base + "/sign-in")
	w.on("Sign in")
	w.click(`a[href="/forgot-password"]`)
	w.on("Reset password")
	w.inEveryLook("forgot") // one walk, because the service refuses more of them in a minute
	w.run(chromedp.SendKeys(chromedp.CSS("#email"), email))
	w.click("main [type=submit]")
	w.on("Check your email")
	w.inEveryLook("forgot-sent")
	link := w.mail(a, email, "Set a new password")
	w.keep("mail")
	w.requireFits()
	w.requireAccessible()
	w.open(link)
	w.on("New password")
	w.inEveryLook("reset")
	w.run(chromedp.SendKeys(chromedp.CSS("#password"), chosen))
	w.click("main [type=submit]")
	w.on("Sign in")
	w.must(`document.querySelector('.notice').innerText.startsWith('Password set.')`, true)
	w.signIn(email, chosen)
	w.begins()
	w.requireQuiet()
	w.open(link)
	w.on("Link no longer valid")
	w.expect("410", "410")
}

func invited(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const owner, guest = "astrid@example.com", "linnea@example.com"
	id := a.person(owner, "Northern Lights <Ceramics>")[0]
	path := a.base + "/w/" + id.String()
	w := openTab(t, chromium, phone())
	require.Empty(t, w.invites(path, owner, guest, member.Editor), "only the invited person gets the link")
	w.clearCookies()
	link := w.mail(a, guest, "Mara Lindqvist invites you to Northern Lights <Ceramics>")
	w.open(link)
	w.on("Join Northern Lights <Ceramics>")
	w.run(chromedp.SendKeys(chromedp.CSS("#name"), "Linnea"), chromedp.SendKeys(chromedp.CSS("#password"), words))
	w.click("main [type=submit]")
	w.on("Posts")
	w.requireQuiet()
}

// moved changes the address of a person, with the links of both mails.
func moved(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const before, after = "sven@example.com", "sven.berg@example.com"
	id := a.person(before, "Café Berg")[0]
	profile := a.base + "/w/" + id.String() + "/settings/profile"
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(profile)
	w.signIn(before, words)
	w.on("Settings")
	w.inEveryLook("profile")
	w.run(chromedp.SendKeys(chromedp.CSS("#email"), after), chromedp.SendKeys(chromedp.CSS("#proof"), words))
	w.click(`form[action$="/profile/email"] [type=submit]`)
	w.wait(`document.querySelector('main').innerText.includes('once both addresses confirm')`)
	w.looked("address-pending")
	for _, m := range [][2]string{
		{before, "Confirm your change of email"}, {after, "Confirm your new email address"},
	} {
		w.open(w.mail(a, m[0], m[1]))
		w.on("Change of the email address")
		w.looked("address-confirm")
		w.click("main form[action^='/confirm'] [type=submit]")
		w.on("Confirmed")
	}
	w.open(profile)
	w.on("Settings")
	w.must(`document.querySelector('.me .named span').textContent`, after)
	w.requireQuiet()
}
