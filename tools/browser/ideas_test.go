package browser_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestIdeas goes from an empty board to an idea with a picture, through the columns with the mouse, with keys and on a phone, to a
// post that was written from it.
func TestIdeas(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person, colleague = "ideas@example.com", "colleague@example.com"
	path, _, _ := a.furnished(person)
	a.colleague(path, colleague)
	workspace := path[len(path)-36:]
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/ideas")
	w.signIn(person, words)
	w.on("Ideas")
	w.inEveryLook("ideas-empty")
	board := eval[string](w, `location.href`)

	w.click(`.blank a.button`)
	w.on("New idea")
	w.types("#title", "Why our plates are 26.5 cm https://www.example.com/plates")
	w.types("#content", "The shelf of the kiln, the arm of the potter, and the door of a dishwasher.")
	w.click(`#labels input`)
	w.pastes("plates.png", "image/png")
	w.wait(`document.querySelector('#attached input[name=media]:enabled')?.value`)
	w.inEveryLook("ideas-new")
	w.click(`.ideaform button[value=card]`)
	w.on("Why our plates are 26.5 cm")
	w.must(`document.querySelector('#link').value`, "https://www.example.com/plates")
	w.inEveryLook("ideas-one")
	one := eval[string](w, `location.pathname.slice(-36)`)
	card := `[data-card="` + one + `"]`

	postgrestest.Exec(t, a.dsn, `INSERT INTO idea_card (id, board_id, column_id, rank, title, content, link, due, created_at, updated_at)
		SELECT gen_random_uuid(), c.board_id, c.id, v.rank, v.title, v.content, v.link, v.due, now(), now()
		FROM (VALUES ('Ideas', 1, 'Ask: what broke first in your kitchen?', '', NULL, NULL),
			('Ideas', 2, E'Evil <b>Idea</b>' || repeat('Unbroken', 20), repeat('Wide', 60), 'https://' || repeat('long.', 20) || 'example.com/', CURRENT_DATE + 3),
			('In progress', 1, 'Lead in old glazes', 'Ask the lab whether we may show their chart.', NULL, CURRENT_DATE - 3),
			('Done', 1, 'Mug A or mug B?', '', NULL, NULL)) AS v(col, rank, title, content, link, due)
		JOIN idea_column c ON c.name = v.col JOIN idea_board b ON b.id = c.board_id AND b.workspace_id = $1`, workspace)
	postgrestest.Exec(t, a.dsn, `UPDATE idea_card SET rank = 5 WHERE id = $1`, one)
	w.open(board)
	w.shows(card)
	w.inEveryLook("ideas-board")
	column := func(name string) string {
		t.Helper()
		return postgrestest.Column(t, a.dsn, `SELECT c.id::text FROM idea_column c JOIN idea_board b ON b.id = c.board_id
			WHERE b.workspace_id = $1 AND c.name = $2`, workspace, name)[0]
	}
	in := func(w *tab, name string, place int) {
		t.Helper()
		w.wait(`[...document.querySelectorAll('[data-column="` + column(name) + `"] .boardcard')].findIndex((one) => one.matches('` + card + `')) === ` +
			strconv.Itoa(place))
	}

	// With the mouse, above another card.
	in(w, "Ideas", 2)
	w.carries(card, `[data-column="`+column("In progress")+`"] .boardcard`)
	in(w, "In progress", 0)
	w.wait(`document.querySelector('.toasts .undo')`)
	w.click(`.toasts .undo`)
	in(w, "Ideas", 2)

	// With keys alone.
	press := func(key string) {
		t.Helper()
		w.must(`document.querySelector('`+card+` a.t').focus() === undefined`, true)
		w.must(`document.querySelector('`+card+` a.t').dispatchEvent(new KeyboardEvent('keydown', { key: '`+key+`', altKey: true, bubbles: true }))`, true)
	}
	press("ArrowUp")
	in(w, "Ideas", 1)
	press("ArrowRight")
	in(w, "In progress", 1)

	// A colleague on a phone moves it by its page.
	other := openTab(t, chromium.profile(t), phone())
	other.open(path + "/ideas/cards/" + one + "/move")
	other.signIn(colleague, words)
	other.on("Move Why our plates are 26.5 cm")
	other.inEveryLook("ideas-move")
	other.click(`[name=to][value="` + column("Ready") + `"]`)
	other.types("#place", "1")
	other.click(`.cardpage button.primary`)
	in(other, "Ready", 0)
	w.open(board)
	in(w, "Ready", 0)

	// It becomes a post.
	w.must(`document.querySelector('`+card+` a.t').focus() === undefined`, true)
	w.run(chromedp.KeyEvent("w"))
	w.shows("#text")
	w.must(`document.querySelector('#text').value.startsWith('Why our plates are 26.5 cm')`, true)
	w.click(`.chanlist input.tick`)
	w.click(`[name=when][value=draft]`)
	w.wait(saved)
	w.click("#go")
	w.wait(`location.pathname.includes('/posts/')`)
	w.open(board)
	w.wait(`document.querySelector('` + card + ` .becamein')?.innerText === 'Draft'`)
	w.inEveryLook("ideas-became")
	require.Equal(t, []string{"1"}, postgrestest.Column(t, a.dsn, `SELECT count(*)::text FROM idea_card_post WHERE card_id = $1`, one))

	w.open(board + "/arrange")
	w.shows(".partlist")
	w.inEveryLook("ideas-arrange")
	w.open(path + "/ideas/boards/new")
	w.inEveryLook("ideas-newboard")
	w.requireQuiet()
	other.requireQuiet()
}
