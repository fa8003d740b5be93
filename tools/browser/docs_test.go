package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// readsDocumentation opens pages of the documentation in every look, chooses a language, and searches.
func readsDocumentation(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	w := openTab(t, chromium, desk())
	for name, path := range map[string]string{
		"home": "/docs", "guide": "/docs/guides/quickstart", "tables": "/docs/guides/platform-rules", "reference": "/docs/reference",
		"operation": "/docs/reference/create-posts", "problems": "/problems", "problem": "/problems/validation-failed",
		"changelog": "/docs/changelog", "search": "/docs/search?q=post",
	} {
		w.open(a.api + path)
		w.must(`document.querySelector('script, style, [style]')`, nil)
		for suffix, l := range everyLook() {
			w.appears(l)
			w.settle()
			w.keep("docs-" + name + "-" + suffix)
			w.requireFits()
			w.requireAccessible()
		}
		w.appears(w.look)
		w.requireQuiet()
	}
	w.open(a.api + "/docs/guides/quickstart")
	shown := `[...document.querySelector('.tabs').querySelectorAll('div')].map(panel => panel.checkVisibility())`
	w.must(shown, []any{true, false, false, false, false})
	w.click(`label[for=tabs-1-3]`)
	w.must(shown, []any{false, false, true, false, false})
	w.run(chromedp.KeyEvent(kb.ArrowRight))
	w.must(shown, []any{false, false, false, true, false})
	w.run(chromedp.SendKeys(chromedp.CSS("#q"), "idempotency key reused"+kb.Enter))
	w.on("Search")
	w.click(".results a")
	w.on("Idempotency key reused")
	w.requireQuiet()
}
