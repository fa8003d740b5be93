package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestAnalytics reads figures on a phone in light and on a desk in dark, with keys alone, and turns on the monthly report.
func TestAnalytics(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person = "figures@example.com"
	path, _, _ := a.furnished(person)
	workspace := path[len(path)-36:]
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/analytics")
	w.signIn(person, words)
	w.on("Analytics")
	w.inEveryLook("analytics-empty")

	postgrestest.Exec(t, a.dsn, `UPDATE channel SET name = E'\u202eEvil <b>Name</b>' || repeat('Unbroken', 8) WHERE workspace_id = $1 AND type = 'FACEBOOK_PAGE'`, workspace)
	postgrestest.Exec(t, a.dsn, `INSERT INTO channel_insight (channel_id, day, followers, impressions, reach, engagements, collected_at)
		SELECT c.id, current_date - d, 12480 - 7 * d, CASE WHEN d % 9 = 4 THEN NULL ELSE 4000 + 137 * (d % 13) - 20 * d END, 1900 + 40 * (d % 7), 150 + d % 40, now()
		FROM channel c, generate_series(2, 80) AS d WHERE c.workspace_id = $1 AND c.type IN ('FACEBOOK_PAGE', 'INSTAGRAM_PROFESSIONAL')`, workspace)
	postgrestest.Exec(t, a.dsn, `INSERT INTO channel_insight (channel_id, day, followers, collected_at)
		SELECT c.id, current_date - d, 390 - d, now() FROM channel c, generate_series(0, 80) AS d WHERE c.workspace_id = $1 AND c.type = 'TELEGRAM_CHANNEL'`, workspace)
	postgrestest.Exec(t, a.dsn, `INSERT INTO insight_progress (channel_id, collected_at, heard_at) SELECT id, now(), now() FROM channel
		WHERE workspace_id = $1 AND type IN ('FACEBOOK_PAGE', 'TELEGRAM_CHANNEL')`, workspace)
	postgrestest.Exec(t, a.dsn, `INSERT INTO post (id, workspace_id, channel_id, content_type, content, status, published_at, scheduled_at, created_at, updated_at, revision)
		SELECT gen_random_uuid(), workspace_id, id, 'POST', 'Centring clay in ' || n || ' seconds ' || repeat('Unbroken', n % 3 * 12), 'PUBLISHED',
			now() - n * interval '5 hours', now() - n * interval '5 hours', now(), now(), 1
		FROM channel, generate_series(20, 60) AS n WHERE workspace_id = $1 AND type = 'FACEBOOK_PAGE'`, workspace)
	postgrestest.Exec(t, a.dsn, `INSERT INTO post_insight (post_id, day, impressions, likes, comments, collected_at)
		SELECT id, current_date, 1000 + length(content), length(content), 3, now() FROM post WHERE workspace_id = $1 AND content LIKE 'Centring clay%'`, workspace)
	w.open(path + "/analytics")
	w.shows(".graph svg .now")
	w.inEveryLook("analytics")
	require.Equal(t, 28, eval[int](w, `document.querySelectorAll('#chart-impressions .place title').length`), "each day has its values")
	w.must(`[...document.querySelectorAll('.graph .place title')].every((title) => title.textContent.includes('before)'))`, true)

	// With keys alone: the numbers of a chart, and another range.
	w.must(`document.querySelector('#chart-impressions summary').focus() === undefined`, true)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.shows("#chart-impressions table")
	w.inEveryLook("analytics-numbers")
	w.must(`document.querySelector('.seg a[href*="range=90"]').focus() === undefined`, true)
	w.run(chromedp.KeyEvent(kb.Enter))
	w.wait(`document.querySelectorAll('#chart-impressions .place').length === 90`)
	w.shows(".heatmap")
	w.inEveryLook("analytics-90")
	w.click(`.seg a[href*="range=own"]`)
	w.shows("#from")
	w.inEveryLook("analytics-own")
	w.click(`.best .meta a`)
	w.wait(`!document.querySelector('.best')`)
	w.inEveryLook("analytics-post")

	w.open(path + "/analytics/reports")
	w.on("Monthly report")
	w.types("#addresses", "client")
	w.click(`main form[method=post] .primary`)
	w.shows("#addresses-fault")
	w.expect("422", "422")
	w.inEveryLook("analytics-report")
	w.must(`document.querySelector('#addresses').value = ''`, "")
	w.types("#addresses", "client@example.com")
	w.click(`.option input[name=on]`)
	w.click(`main form[method=post] .primary`)
	w.wait(`document.querySelector('[name=on]').checked && document.querySelector('#addresses').value.trim() === 'client@example.com'`)
	w.requireQuiet()
}
