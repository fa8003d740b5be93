package browser_test

import (
	"strings"
	"testing"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestInboxPublic reads a comment below a post and a review. They are answered with a text at any time.
func TestInboxPublic(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t, "NETWORKS_SANDBOX_URL=http://"+free(t)), openBrowser(t)
	a.rate = score.Of
	const person = "kim@example.com"
	path, _, _ := a.furnished(person)
	of, _ := a.gridded(path, time.Now().UTC().AddDate(0, 0, 2))
	now := time.Now().UTC().Truncate(time.Second)
	a.hears("1", inbox.Identity{ID: "1", Name: "Tilda Muster", Username: "tilda.muster"}, "How much is the blue one? I would like to order two.",
		now.Add(-50*time.Hour))
	a.hears("2", inbox.Identity{ID: "2", Name: "\u202eEvil <b>Name</b> " + strings.Repeat("Unbroken", 9)}, "Too far from the station.", now.Add(-60*time.Hour))
	postgrestest.Exec(t, a.dsn, `UPDATE conversation SET kind = 'COMMENTS', post = 'old', channel_id = $1 WHERE thread = '1'`, of)
	postgrestest.Exec(t, a.dsn, `UPDATE conversation SET kind = 'REVIEW', channel_id = (SELECT id FROM channel WHERE type = 'GOOGLE_BUSINESS') WHERE thread = '2'`)
	postgrestest.Exec(t, a.dsn, `UPDATE message SET rating = 2 WHERE external_id = '2'`)
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET token_status = 'HEALTHY', is_connected = true`)
	postgrestest.Exec(t, a.dsn, `INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, owner, started_at, external_id)
		SELECT id, 1, 1, channel_id, 'CONFIRMED', gen_random_uuid(), now(), 'old' FROM post WHERE content = 'Old kiln'`)

	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/inbox?kind=COMMENTS")
	w.signIn(person, words)
	w.on("Inbox")
	w.click("#conversations a")
	w.shows("#banner .suggestion")
	w.shows(".ofpost")
	const plain = `[document.querySelector('#banner .until'), document.querySelector('[data-attach]'), document.querySelector('#templates'), document.querySelector('[data-send]').disabled].join()`
	w.must(plain, ",,,false")
	w.click(".moderate .confirm summary")
	w.inEveryLook("public-comment")
	w.requireTouch()
	w.open(path + "/inbox?kind=REVIEW")
	w.click("#conversations a")
	w.shows("#reply")
	w.must(`document.querySelector('.bubble .stars').ariaLabel + '|' + `+plain, "2 of 5 stars|,,,false")
	w.inEveryLook("public-review")
	w.requireTouch()
	w.requireQuiet()
}

// requireTouch requires that fingers hit what the page has on a phone. Links in a sentence are exempt.
func (w *tab) requireTouch() {
	w.t.Helper()
	w.appears(phone())
	w.must(`[...document.querySelectorAll('main :is(a, button, summary, select, textarea, input:not([type=hidden]))')].filter(e => e.checkVisibility() && !e.matches('p a, label input') && e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML)`, []any{})
	w.appears(w.look)
}
