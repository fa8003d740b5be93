package browser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// coversVideo chooses a picture of the library as the cover of a Short, and drops the link from the text of a network on which
// people cannot follow it, with a change of mind.
func coversVideo(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "covers@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	w := openTab(t, chromium, desk())
	of := a.composesFor(w, path, person, "YOUTUBE", "INSTAGRAM_PROFESSIONAL")
	w.click(`[name=kind][value=REEL]`)
	w.writes("Bowls https://acme.com/bowls")
	w.dropsFixture("five-seconds.mp4", "kiln.mp4", "video/mp4")
	w.wait(`document.querySelectorAll('.shot[data-media]').length === 1`)
	w.drops("cover.jpg")
	w.wait(`document.querySelectorAll('.shot[data-media]').length === 2`)
	a.processes(workspace, 2)
	w.must(`document.querySelector('.shot[data-media]:nth-child(2) [data-remove]').click()`, nil)

	w.wait(`!document.querySelector('#composer').hasAttribute('data-unsaved')`)
	w.must(`document.querySelector('[data-options="`+of[0]+`"] summary').click()`, nil)
	w.shows(`[data-cover]`)
	w.must(`document.querySelector('[data-cover]').click()`, nil)
	w.shows(`#mediapicker .asset`)
	w.must(`[...document.querySelectorAll('#mediapicker .name')].map(name => name.textContent)`, []any{"cover.jpg"})
	w.inEveryLook("composer-cover-library")
	w.must(`document.querySelector('#mediapicker .tick').click()`, nil)
	w.click(`[data-picker=use]`)
	w.wait(`document.querySelector('.owncover')?.textContent.includes('cover.jpg')`)
	w.wait(`document.querySelector('#val-` + of[0] + `').textContent.includes('own cover')`)
	w.must(`document.querySelectorAll('.shot[data-media]').length`, 1)

	const text, dropping = `document.querySelector('#text-ID')`, `document.querySelector('[data-fix=text][data-channel="ID"]')`
	instagram := func(script string) string { return strings.ReplaceAll(script, "ID", of[1]) }
	w.wait(instagram(dropping + `?.textContent === 'Drop link'`))
	w.inEveryLook("composer-drop-link")
	w.must(instagram(dropping+`.click()`), nil)
	w.wait(instagram(text + `.value === 'Bowls' && ` + text + `.name !== '' && !` + dropping))
	w.click(`.toasts .undo`)
	w.wait(instagram(text + `.value === 'Bowls https://acme.com/bowls' && ` + text + `.name === '' && ` + dropping))
	w.must(instagram(dropping+`.click()`), nil)
	w.wait(instagram(`!` + dropping))
	w.click(`[name=when][value=draft]`)
	w.wait(`document.querySelector('#go-text').textContent === 'Save drafts'`)
	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('2 posts saved as drafts.')`)
	require.ElementsMatch(t, []string{"2 Bowls https://acme.com/bowls", "1 Bowls"}, postgrestest.Column(t, a.dsn,
		`SELECT cardinality(media_ids) || ' ' || content FROM post WHERE workspace_id = $1 AND content LIKE 'Bowls%'`, workspace))
	w.requireQuiet()
}
