package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// arrangesParts writes a thread, moves a part by two places with two quick clicks, and shows a channel while a part is added.
func arrangesParts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "parts@example.com"
	path, _, _ := a.furnished(person)
	x := postgrestest.Column(t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = 'TWITTER'`, strings.TrimPrefix(path, a.base+"/w/"))[0]
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/compose?channel=" + x)
	w.signIn(person, words)
	w.shows("#text")
	w.must(`(document.querySelector('#text').focus(), null)`, nil)
	w.run(chromedp.KeyEvent("One"))
	w.wait(saved)
	const parts = `[...document.querySelectorAll('[data-for=all] .part textarea')].map(part => part.value).join()`
	for _, text := range []string{"Two", "Three", "Four"} {
		w.must(`document.querySelector('[name=parts][value="add all"]').click()`, nil)
		w.wait(`document.activeElement?.matches('.part textarea') && !document.activeElement.readOnly && !document.activeElement.value`)
		w.run(chromedp.KeyEvent(text))
		w.wait(saved)
	}
	w.must(parts, "Two,Three,Four")
	w.must(`(down => { down.click(); down.click(); })(document.querySelector('[data-for=all] .part [value$=" 1"]'))`, nil)
	w.wait(parts + ` === 'Three,Four,Two'`)
	w.wait(saved)

	w.must(`(document.querySelector('#composer').addEventListener('htmx:beforeRequest', () => setTimeout(() =>
		document.querySelector('[data-target="`+x+`"]').click()), {once: true}), document.querySelector('[name=parts][value="add all"]').click(), null)`, nil)
	w.wait(parts + ` === 'Three,Four,Two,'`)
	w.wait(saved)
	w.must(`[...document.querySelectorAll('.thread:not([hidden])')].map(one => one.getAttribute('data-for')).join()`, x)
	w.requireQuiet()
}
