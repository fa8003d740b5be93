package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// carries drags the card of a lead to a column with the mouse.
func (w *tab) carries(card, column string) {
	w.t.Helper()
	middle := func(selector string) (x, y float64) {
		at := eval[[]float64](w, `(() => { const r = document.querySelector('`+selector+`').getBoundingClientRect(); return [r.x + r.width / 2, r.y + Math.min(r.height / 2, 60)]; })()`)
		return at[0], at[1]
	}
	x, y := middle(card)
	toX, toY := middle(column)
	w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	for step := range 5 {
		part := float64(step+1) / 5
		w.mouse(input.DispatchMouseEventTypeMouseMoved, x+(toX-x)*part, y+(toY-y)*part)
	}
	w.wait(`document.querySelector('.column.target')`)
	w.mouse(input.DispatchMouseEventTypeMouseReleased, toX, toY)
}

// TestLeads goes from a conversation to a lead, through the pipeline with the mouse, with keys and on a phone, to a lost one.
func TestLeads(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person, colleague = "leads@example.com", "colleague@example.com"
	path, _, _ := a.furnished(person)
	a.colleague(path, colleague)
	workspace := path[len(path)-36:]
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET token_status = 'HEALTHY', name = 'acmestudio' WHERE workspace_id = $1`, workspace)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/leads")
	w.signIn(person, words)
	w.on("Leads")
	w.inEveryLook("leads-empty")

	tilda := inbox.Identity{ID: "7", Name: "Tilda Muster", Username: "tilda.muster"}
	a.hears("1", tilda, "What does a dinner set for twelve cost?", time.Now().UTC().Add(-time.Hour))
	w.open(path + "/inbox")
	w.click("#conversations a")
	w.click(`a[href*="/leads/new?conversation="]`)
	w.on("New lead")
	w.must(`document.querySelector('#name').value + '|' + document.querySelector('#interest').value`, "Tilda Muster|What does a dinner set for twelve cost?")
	w.types("#value", "1900")
	w.types("#currency", "EUR")
	w.inEveryLook("leads-new")
	w.click(`.leadform button[type=submit]`)
	w.on("Tilda Muster")
	w.inEveryLook("leads-one")

	postgrestest.Exec(t, a.dsn, `INSERT INTO lead (id, workspace_id, name, handle, platform, source, temperature, interest, stage, value, currency,
		follow_up_at, lost_reason, created_at, updated_at)
		SELECT gen_random_uuid(), $1, name, 'handle', platform, 'MANUAL', heat, interest, stage, value, 'EUR', due, reason, now(), now() - interval '1 hour'
		FROM (VALUES ('Hotel Seeblick', 'LINKEDIN', 'HOT', 'plates, two sizes', 'CONTACTED', 7400, now() - interval '3 days', NULL),
			('Café Ziegel', 'FACEBOOK', 'WARM', 'espresso cups, 60', 'NEW', 1080, NULL, NULL),
			(E'\u202eEvil <b>Name</b>' || repeat('Unbroken', 12), 'TIKTOK', 'COLD', repeat('Wide', 60), 'QUALIFIED', 999999999999, now() + interval '3 days', NULL),
			('Museum shop', 'TWITTER', 'WARM', 'cobalt edition, 40', 'PROPOSAL', 2800, NULL, NULL),
			('Restaurant Ufer', 'INSTAGRAM', 'HOT', 'ash plates, 80', 'WON', 4960, NULL, NULL),
			('Kai Demo', 'THREADS', 'COLD', 'teapot', 'LOST', 160, NULL, 'Too dear')) AS v(name, platform, heat, interest, stage, value, due, reason)`, workspace)
	w.open(path + "/leads")
	w.shows(".pipeline .boardcard")
	w.inEveryLook("leads-pipeline")
	one := eval[string](w, `[...document.querySelectorAll('.boardcard')].find((card) => card.innerText.includes('Tilda')).dataset.card`)
	card := `[data-card="` + one + `"]`
	in := func(w *tab, stage string) {
		t.Helper()
		w.wait(`document.querySelector('[data-column="` + stage + `"] ` + card + `')`)
	}

	// With the mouse; a colleague on a phone sees the move, and makes one with its page.
	other := openTab(t, chromium.profile(t), phone())
	other.open(path + "/leads")
	other.signIn(colleague, words)
	other.shows(".pipeline .boardcard")
	w.carries(card, `[data-column="PROPOSAL"]`)
	in(w, "PROPOSAL")
	in(other, "PROPOSAL")
	require.Equal(t, []string{"NEW PROPOSAL"}, postgrestest.Column(t, a.dsn, `SELECT concat_ws(' ', convert_from(body, 'UTF8')::jsonb #>> '{data,previous_stage}',
		convert_from(body, 'UTF8')::jsonb #>> '{data,stage}') FROM event WHERE type = 'lead.stage_changed' AND workspace_id = $1`, workspace))
	other.open(path + "/leads/" + one + "/move")
	other.inEveryLook("leads-move")
	other.click(`[name=to][value=QUALIFIED]`)
	in(other, "QUALIFIED")
	in(w, "QUALIFIED")

	// With keys alone, to a lost one with its reason.
	w.must(`document.querySelector('`+card+` a.t').focus() === undefined`, true)
	w.must(`document.querySelector('`+card+` a.t').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', altKey: true, bubbles: true }))`, true)
	in(w, "CONTACTED")
	w.must(`document.querySelector('`+card+` a.t').focus() === undefined`, true)
	w.run(chromedp.KeyEvent("m"))
	w.shows("#lost")
	w.click(`#lost [name=reason]`)
	w.click(`#lost [name=to]`)
	w.shows(`[data-column="LOST"].folded`)
	w.open(path + "/leads?lost=open")
	in(w, "LOST")
	w.inEveryLook("leads-lost")
	require.Equal(t, []string{"LOST Too dear"}, postgrestest.Column(t, a.dsn, `SELECT stage || ' ' || lost_reason FROM lead WHERE id = $1`, one))
	w.open(path + "/leads/list")
	w.shows(".leadlist table")
	w.inEveryLook("leads-list")
	w.open(path + "/leads/import")
	w.inEveryLook("leads-import")
	w.open(path + "/today")
	w.shows("#followups")
	w.inEveryLook("leads-today")
	w.requireQuiet()
	other.requireQuiet()
}
