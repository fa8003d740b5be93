package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// fills writes a form, and sends it.
func (w *tab) fills(fields map[string]string, button string) {
	w.t.Helper()
	for selector, text := range fields {
		w.run(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(text))
	}
	w.click(button)
}

// insertsTexts keeps texts in the settings and inserts them in the composer: emoji by their names, a mention with the handle
// of each network, a signature, hashtags, and parameters of links. The posts have what the person sees.
func insertsTexts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "inserts@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	of := func(network string) string {
		return postgrestest.Column(t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = $2`, workspace, network)[0]
	}
	x, bluesky := of("TWITTER"), of("BLUESKY")
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/settings/texts")
	w.signIn(person, words)
	w.on("Settings")
	w.click(`a[href$="kind=MENTION"]`)
	w.on("New mention")
	w.inEveryLook("text")
	w.fills(map[string]string{"#name": "Acme", `[name="handle.x"]`: "@acme", `[name="handle.bluesky"]`: "acme.bsky.social"}, "main .panel form .primary")
	w.on("Settings")
	w.click(`a[href$="kind=HASHTAGS"]`)
	w.on("New hashtag group")
	w.fills(map[string]string{"#name": "Clay", "#words": "clay kiln"}, "main .panel form .primary")
	w.on("Settings")
	w.click(`a[href$="kind=SNIPPET"]`)
	w.on("New snippet")
	w.fills(map[string]string{"#name": "Price", "#words": "{piece} for {price}"}, "main .panel form .primary")
	w.on("Settings")
	w.click(`a[href$="kind=SIGNATURE"]`)
	w.on("New signature")
	w.click(`[name=channel][value="` + bluesky + `"]`)
	w.click(`[name=automatic]`)
	w.fills(map[string]string{"#name": "Yard", "#words": "— the yard"}, "main .panel form .primary")
	w.on("Settings")
	w.fills(map[string]string{"#source": "{network}"}, "main .panel form .primary")
	w.wait(`document.querySelector('.notice')?.innerText.includes('Saved.')`)
	w.inEveryLook("texts")

	w.open(path + "/compose")
	w.wait(`document.activeElement?.id === 'text' && !document.querySelector('[data-insert=links]').hidden`)
	w.run(chromedp.KeyEvent("Hi :tada"))
	w.wait(`!document.querySelector('#completions').hidden`)
	w.run(chromedp.KeyEvent(": :smil"))
	w.wait(`!document.querySelector('#completions').hidden`)
	w.must(`document.querySelector('#text').value`, "Hi 🎉 :smil")
	w.must(`document.querySelectorAll('#completions li').length`, 6)
	w.run(chromedp.KeyEvent(kb.ArrowDown))
	w.must(`document.activeElement.getAttribute('aria-activedescendant')`, "completion-1")
	w.must(`document.querySelector('#completion-1').getAttribute('aria-selected')`, "true")
	w.inEveryLook("completions")
	smile := eval[string](w, `document.querySelector('#completion-1 span').textContent`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.must(`document.querySelector('#text').value`, "Hi 🎉 "+smile)
	w.run(chromedp.KeyEvent(" :smil"))
	w.wait(`!document.querySelector('#completions').hidden`)
	w.run(chromedp.KeyEvent(kb.Escape))
	w.must(`document.querySelector('#completions').hidden`, true)
	w.run(chromedp.KeyEvent(strings.Repeat(kb.Backspace, 6)))

	// A channel with an automatic signature shows it in its own text; the other follows the common text.
	for _, id := range []string{x, bluesky} {
		w.must(`(document.querySelector('input[value="`+id+`"][name=channel]').click(), null)`, nil)
	}
	begin := "Hi 🎉 " + smile
	text := func(id string) string { return `document.querySelector('#text-` + id + `').value` }
	w.must(text(bluesky), begin+"\n\n— the yard")
	w.must(text(x), begin)
	w.wait(`document.querySelector('#sub-` + bluesky + ` .own')?.textContent === 'differs'`)

	// A mention has the handle of each network, and both texts follow what is typed after it.
	w.run(chromedp.Focus(chromedp.CSS("#text")), chromedp.KeyEvent(" from @ac"))
	w.wait(`!document.querySelector('#completions').hidden`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.run(chromedp.KeyEvent(": https://acme.example/x."))
	w.must(text(x), begin+" from @acme: https://acme.example/x.")
	w.must(text(bluesky), begin+" from @acme.bsky.social: https://acme.example/x.\n\n— the yard")

	w.click(`[data-insert=links]`)
	w.wait(`document.querySelector('.toasts .notice')?.innerText.includes('Parameters added to 1 link.')`)
	w.must(text(x), begin+" from @acme: https://acme.example/x?utm_source=x.")
	w.must(text(bluesky), begin+" from @acme.bsky.social: https://acme.example/x?utm_source=bluesky.\n\n— the yard")
	w.click(`.toasts .undo`)
	w.must(text(x), begin+" from @acme: https://acme.example/x.")
	w.must(`document.querySelector('#text-`+x+`').hasAttribute('name')`, false)
	w.click(`[data-insert=links]`)
	w.wait(text(x) + `.includes('utm_source=x')`)

	// The dialogs, by keyboard.
	w.click(`[data-insert=emoji]`)
	w.wait(`document.querySelectorAll('#insertbox .choices button').length === 2`)
	w.must(`document.activeElement.type`, "search")
	w.inEveryLook("insert-emoji")
	w.run(chromedp.KeyEvent("rocket"))
	w.wait(`document.querySelector('#insertbox .choices button')?.textContent === '🚀'`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.wait(`document.activeElement?.id === 'text' && ` + text(x) + `.endsWith('utm_source=x.🚀')`)
	w.click(`[data-insert=HASHTAGS]`)
	w.wait(`document.querySelector('#insertbox .choices strong')?.textContent === 'Clay'`)
	w.inEveryLook("insert-hashtags")
	w.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	w.wait(text(bluesky) + `.endsWith('🚀 #clay #kiln\n\n— the yard')`)
	// A caption has blanks, which the tabulator selects one after the other.
	w.click(`[data-insert=SNIPPET]`)
	w.wait(`document.querySelector('#insertbox .choices strong')?.textContent === 'Price'`)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.wait(`document.activeElement?.id === 'text' && document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd) === '{piece}'`)
	w.run(chromedp.KeyEvent("Cup" + kb.Tab + "9 €" + kb.Tab))
	w.must(`document.activeElement?.id !== 'text'`, true)
	w.must(text(x)+`.endsWith('#clay #kiln Cup for 9 €')`, true)

	// What was removed stays removed, and the posts have the texts of the page.
	w.click(`[data-target="` + bluesky + `"]`)
	w.click(`[data-reset="` + bluesky + `"]`)
	w.must(text(bluesky), begin+" from @acme: https://acme.example/x.🚀 #clay #kiln Cup for 9 €")
	w.click(`[name=when][value=draft]`)
	w.wait(`document.querySelector('#go-text').textContent === 'Save drafts'`)
	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('2 posts saved as drafts.')`)
	require.ElementsMatch(t, []string{
		begin + " from @acme: https://acme.example/x?utm_source=x.🚀 #clay #kiln Cup for 9 €", begin + " from @acme: https://acme.example/x.🚀 #clay #kiln Cup for 9 €",
	}, postgrestest.Column(t, a.dsn, `SELECT content FROM post WHERE workspace_id = $1 AND content LIKE 'Hi %'`, workspace))
	w.requireQuiet()
}
