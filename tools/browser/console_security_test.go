package browser_test

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // G505: RFC 6238
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// oneTimeCode returns the code of an authenticator app (RFC 6238).
func oneTimeCode(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(secret, " ", ""))
	require.NoError(t, err)
	mac := hmac.New(sha1.New, key)
	require.NoError(t, binary.Write(mac, binary.BigEndian, at.Unix()/30))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[offset:])&0x7fffffff%1000000)
}

// authenticator gives the window a virtual authenticator that verifies its person.
func (w *tab) authenticator() {
	w.t.Helper()
	call(w, webauthn.Enable, webauthn.EnableParams{})
	call(w, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
		HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
}

// inEveryLook checks the present page in all looks, by changing those of the window.
func (w *tab) inEveryLook(name string) {
	w.t.Helper()
	for suffix, l := range everyLook() {
		w.appears(l)
		w.looked(name + "-" + suffix)
	}
	w.appears(w.look)
}

func (w *tab) signOut() {
	w.t.Helper()
	w.click(".me summary")
	w.click(".me button[type=submit]")
	w.on("Sign in")
}

// typeCode types a code into the field that the page focuses. Keys before the focus are lost.
func (w *tab) typeCode(code string) {
	w.t.Helper()
	w.wait(`document.activeElement.id === 'code'`)
	w.run(chromedp.KeyEvent(code), chromedp.KeyEvent(kb.Enter))
}

// secondFactors goes from a password to an authenticator app, a recovery code and a passkey.
func secondFactors(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "ebba@example.com"
	path := a.base + "/w/" + a.person(person, "Northern Lights")[0].String() + "/settings/security"
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.authenticator()
	w.open(path)
	w.signIn(person, words)
	w.on("Settings")
	w.inEveryLook("security-off")
	w.click(`form[action$="/app/start"] button`)
	w.on("Set up an authenticator app")
	w.inEveryLook("security-app")
	secret := eval[string](w, `document.querySelector('.secret code').innerText`)
	now := time.Now()
	w.click("#code")
	w.typeCode(oneTimeCode(t, secret, now))
	w.on("Recovery codes")
	w.inEveryLook("security-codes")
	codes := eval[[]string](w, `[...document.querySelectorAll('.codes code')].map(e => e.innerText)`)
	require.Len(t, codes, 10)
	w.must(`document.querySelector('a[download]').href.startsWith('data:text/plain')`, true)
	w.requireQuiet()

	w.open(path)
	w.signOut()
	w.signIn(person, words)
	w.on("Second step")
	w.inEveryLook("second-step")
	w.typeCode("000000")
	w.wait(`document.querySelector('[role=alert]')?.innerText === 'The code is incorrect.'`)
	w.looked("second-step-wrong")
	w.expect("401", "401")
	w.typeCode(oneTimeCode(t, secret, now.Add(30*time.Second)))
	w.begins()
	w.signOut()
	w.signIn(person, words)
	w.on("Second step")
	w.typeCode(codes[0])
	w.begins()
	w.must(`document.querySelector('.notice').innerText`, "You used a recovery code. 9 are left.")

	passkeys(t, w, path, person)
}

// passkeys registers a passkey, signs in with it alone, and uses it as second step and as proof.
func passkeys(t *testing.T, w *tab, path, person string) {
	t.Helper()
	w.open(path + "/passkeys/new")
	w.on("New passkey")
	w.wait(`document.querySelector('form[data-passkey]').checkVisibility()`)
	w.inEveryLook("passkey-new")
	w.click(`form[data-passkey] button`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('is ready') ?? false`)
	w.inEveryLook("security-on")
	w.open(path + "/passkeys/new")
	w.click(`form[data-passkey] button`) // the device has one already
	w.wait(`document.querySelector('form[data-passkey] [role=status]').innerText.includes('a passkey of yours already')`)
	w.requireQuiet()

	w.signOut()
	w.inEveryLook("sign-in-passkey")
	w.click(`form[data-passkey] button`) // neither address nor password
	w.begins()
	w.open(path)
	w.must(`document.querySelector('.list .meta').innerText.includes('last used')`, true)
	w.signOut()
	w.signIn(person, words)
	w.on("Second step")
	w.click(`form[data-passkey] button`)
	w.begins()
	w.open(strings.Split(path, "/w/")[0] + "/confirm?next=" + strings.TrimPrefix(path, strings.Split(path, "/w/")[0]))
	w.on("Confirm that it’s you")
	w.inEveryLook("confirm")
	w.click(`form[data-passkey] button`)
	w.on("Settings")
	w.click(`.list summary`)
	w.click(`.list form button`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('removed') ?? false`)
	w.requireQuiet()
}
