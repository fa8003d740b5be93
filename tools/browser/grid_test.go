package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// gridded gives the Instagram channel of a workspace three planned posts with pictures and one that was published, and returns
// the channel and the planned posts, the next one first.
func (a *application) gridded(path string, at time.Time) (of string, ids []string) {
	a.t.Helper()
	workspace, err := ident.Parse[ident.Workspace](path[len(path)-36:])
	require.NoError(a.t, err)
	of = postgrestest.Column(a.t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false, timezone = 'UTC'
		WHERE workspace_id = $1 AND type = 'INSTAGRAM_PROFESSIONAL' RETURNING id::text`, workspace.String())[0]
	picture := postgrestest.Asset(a.t, a.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: workspace, Name: "bowls.jpg", Type: media.Image, ContentType: "image/jpeg",
		Size: 5, CreatedAt: time.Now().UTC(), Probe: media.Probe{Width: 1080, Height: 1350},
	}).ID.String()
	postgrestest.Exec(a.t, a.dsn, `DELETE FROM post WHERE channel_id = $1`, of)
	for i, text := range []string{"Bowls", "Cups", "Plates", "Old kiln"} {
		ids = append(ids, postgrestest.Column(a.t, a.dsn, `INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, media_ids, scheduled_at, created_at, updated_at, revision)
			VALUES (gen_random_uuid(), $1, $2, $3, 'POST', 'SCHEDULED', ARRAY[$4::uuid, $4::uuid], $5, now(), now(), 1) RETURNING id::text`,
			workspace.String(), of, text, picture, at.AddDate(0, 0, i).Format(time.RFC3339))[0])
	}
	postgrestest.Exec(a.t, a.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = now() - interval '3 days', scheduled_at = now() - interval '3 days', media_ids = ARRAY[$2::uuid]
		WHERE id = $1`, ids[3], picture)
	return of, ids[:3]
}

// swapsInGrid swaps planned posts of a profile by mouse, keys and menus, takes it back, and is refused.
func swapsInGrid(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "grid@example.com"
	path, _, _ := a.furnished(person)
	at := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 2)
	of, ids := a.gridded(path, at)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/queue/" + of)
	w.signIn(person, words)
	w.shows("#queue")
	w.click(".queuebar .seg a:last-child")
	w.shows(".profile")
	are := func(want ...int) { // the planned posts, the latest first
		t.Helper()
		var order []string
		for _, i := range want {
			order = append(order, ids[i])
		}
		w.wait(`[...document.querySelectorAll('.pic.planned')].map(tile => tile.dataset.post).join() === '` + strings.Join(order, ",") + `'`)
		w.wait(`!document.querySelector('.pic.lift')`)
	}
	are(2, 1, 0)
	w.inEveryLook("grid")

	point := func(post, side string) float64 {
		return eval[float64](w, `document.querySelector('[data-post="`+post+`"]').getBoundingClientRect().`+side+` + 20`)
	}
	x, y, to := point(ids[2], "left"), point(ids[2], "top")+30, point(ids[0], "left")
	w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, (x+to)/2, y)
	w.wait(`document.querySelector('.pic.lift')`)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, to, y)
	w.wait(`document.querySelector('.pic.target')?.dataset.post === '` + ids[0] + `'`)
	w.mouse(input.DispatchMouseEventTypeMouseReleased, to, y)
	are(0, 1, 2)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('“Plates” is now ')`)
	w.click(".toasts .undo")
	are(2, 1, 0)

	w.run(chromedp.Focus(chromedp.CSS("#post-" + ids[2])))
	w.run(chromedp.KeyEvent(kb.ArrowRight))
	w.must(`document.activeElement.id`, "post-"+ids[1])
	w.run(chromedp.KeyEvent("m"))
	w.run(chromedp.KeyEvent(kb.ArrowRight))
	w.wait(`document.querySelector('#said').textContent.startsWith('now ')`)
	w.run(chromedp.KeyEvent(kb.Escape))
	are(2, 1, 0)
	w.run(chromedp.KeyEvent("m"))
	w.run(chromedp.KeyEvent(kb.ArrowRight))
	w.run(chromedp.KeyEvent(kb.Enter))
	are(2, 0, 1)
	w.wait(`document.activeElement.id === 'post-` + ids[1] + `'`)

	w.click("#menu-" + ids[1])
	w.click(`[data-post="` + ids[1] + `"] .menu form button`) // later
	are(2, 1, 0)
	w.click("#menu-" + ids[2])
	w.click(`[data-post="` + ids[2] + `"] .menu a`)
	w.wait(`document.querySelector('.swapping')?.innerText.includes('from “Plates”.')`)
	w.inEveryLook("grid-swap")
	w.click("#post-" + ids[0])
	are(0, 1, 2)
	w.wait(`!document.querySelector('.swapping') && !location.search.includes('swap')`)

	// Someone else has moved it since.
	postgrestest.Exec(t, a.dsn, `UPDATE post SET scheduled_at = scheduled_at + interval '1 hour' WHERE id = $1`, ids[1])
	w.click("#menu-" + ids[1])
	w.click(`[data-post="` + ids[1] + `"] .menu form button`)
	w.wait(`document.querySelector('.toasts .bad')?.innerText.includes('Someone else moved this post')`)
	w.expect("422", "422")
	are(0, 1, 2)
	w.click(".pic:not(.planned) .whole")
	w.on("Old kiln")
	w.requireQuiet()
}

// movesOneOfSet drags a post of a set with Alt, chooses which one, takes it back, and then drags the whole set.
func (a *application) movesOneOfSet(w *tab, path string, at time.Time) {
	w.t.Helper()
	workspace := path[len(path)-36:]
	postgrestest.Exec(w.t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false
		WHERE workspace_id = $1 AND type IN ('THREADS', 'BLUESKY')`, workspace)
	ids := postgrestest.Column(w.t, a.dsn, `INSERT INTO post (id, workspace_id, channel_id, group_id, content, content_type, status, scheduled_at, created_at, updated_at, revision)
		SELECT gen_random_uuid(), $1, id, $3, 'Firing', 'POST', 'SCHEDULED', $2::timestamptz, now(), now(), 1
		FROM channel WHERE workspace_id = $1 AND type IN ('THREADS', 'BLUESKY') RETURNING id::text`,
		workspace, at.AddDate(0, 0, -1).UTC().Format(time.RFC3339), ident.New[ident.Group]().String())
	require.Len(w.t, ids, 2)
	times := func() []string {
		return postgrestest.Column(w.t, a.dsn, `SELECT to_char(scheduled_at AT TIME ZONE $2, 'Dy HH24') FROM post WHERE content = 'Firing' AND workspace_id = $1
			ORDER BY scheduled_at`, workspace, at.Location().String())
	}
	w.open(path + "/calendar?view=week&day=" + at.Format(time.DateOnly))
	slip := `.slip[data-channels]`
	w.shows(slip)
	column := eval[float64](w, `document.querySelector('.daycol').getBoundingClientRect().width`)
	w.keys = int64(chromedp.ModifierAlt)
	w.drags(slip, column, 0, true)
	w.wait(`document.querySelector('.dropmenu[open] button')`)
	require.Equal(w.t, []string{"Tue 15", "Tue 15"}, times(), "a person chooses first")
	w.must(`[...document.querySelectorAll('.dropmenu button')].map(button => button.textContent.split(' · ')[1]).sort()`, []any{"Bluesky", "Threads"})
	w.inEveryLook("calendar-one")
	w.click(".dropmenu button")
	w.wait(`document.querySelector('.toasts')?.innerText.startsWith('Moved to Wed ')`)
	w.wait(`!document.querySelector('.slip[data-channels]')`)
	require.Equal(w.t, []string{"Tue 15", "Wed 15"}, times())
	w.click(".toasts .undo")
	w.shows(slip)
	require.Equal(w.t, []string{"Tue 15", "Tue 15"}, times())
	w.keys = 0
	w.open(path + "/calendar?view=week&day=" + at.Format(time.DateOnly))
	w.shows(slip)
	w.drags(slip, column, 0, true)
	w.wait(`document.querySelector('.toasts')?.innerText.startsWith('Moved to Wed ')`)
	require.Equal(w.t, []string{"Wed 15", "Wed 15"}, times())
	w.run(chromedp.KeyEvent("?"))
	w.wait(`document.querySelector('#shortcuts').innerText.includes('Move one post of a set')`)
	w.requireQuiet()
}
