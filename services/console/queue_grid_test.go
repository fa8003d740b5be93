package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestGridOfProfile shows planned posts with pictures above published ones, swaps two of them, and is refused.
func TestGridOfProfile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, viewer := b.browser(t), b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	path := filled("/w/{workspace}/queue/{channel}", ours.wildcards)
	require.NotContains(t, br.visited(t, path+"?look=grid").body, `class="profile`, "the network has no grid")
	require.NotContains(t, br.last.body, "look=grid")
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'INSTAGRAM_PROFESSIONAL' WHERE id = $1`, ours.wildcards["channel"])
	asset := func(kind media.Type, contentType string) string {
		return postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: ours.workspace.ID, Name: "a", Type: kind, ContentType: contentType, Size: 5, CreatedAt: b.clock.Now(),
		}).ID.String()
	}
	picture, video := asset(media.Image, "image/jpeg"), asset(media.Video, "video/mp4")
	planned := func(text string, at time.Time, files ...string) string {
		id := b.scheduled(t, ours, text, at)
		postgrestest.Exec(t, b.dsn, `UPDATE post SET media_ids = $2::uuid[] WHERE id = $1`, id, "{"+strings.Join(files, ",")+"}")
		return id
	}
	early, late := b.tomorrow(9), b.tomorrow(18)
	bowls, cups := planned("Bowls <i>", early, picture), planned("Cups", late, picture, picture)
	kiln, gone := planned("Kiln", early, video), planned("Gone", early, picture)
	story, draft := planned("Story", late, picture), planned("Draft", late, picture)
	planned("Text", late)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET content_type = 'STORY' WHERE id = $1`, story)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'DRAFT' WHERE id = $1`, draft)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET publishing_since = now() WHERE id = $1`, kiln)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = '2026-01-02T12:00:00Z', media_ids = ARRAY[gen_random_uuid()] WHERE id = $1`, gone)
	order := func(in string) (ids []string) {
		for _, match := range regexp.MustCompile(`<li class="pic[^>]* data-post="([^"]+)"`).FindAllStringSubmatch(in, -1) {
			ids = append(ids, match[1])
		}
		return ids
	}
	grid := path + "?look=grid"
	shown := order(br.visited(t, grid).body)
	require.Equal(t, cups, shown[0])
	require.ElementsMatch(t, []string{bowls, kiln}, shown[1:3])
	require.Equal(t, gone, shown[3])
	require.Len(t, shown, 4)
	for _, part := range []string{
		`Carousel: Cups. `, `Video: Kiln. `, `Bowls &lt;i&gt;. `, `Gone. Published on 2 January 2026`, `href="#i-copy"`, `href="#i-video"`, `viewBox="0 0 3 4"`,
	} {
		require.Contains(t, br.last.body, part)
	}
	require.NotContains(t, br.last.body, `id="grip-`+kiln, "it is being sent")
	require.NotContains(t, br.last.body, `id="grip-`+gone)
	require.NotContains(t, viewer.visited(t, grid).body, `id="grip-`)

	require.Contains(t, br.visited(t, grid+"&swap="+cups).body, "Choose the post that gets "+late.Format("Mon 15:04")+" from “Cups”.")
	require.Contains(t, br.last.body, `id="post-`+bowls+`" type="submit"`)
	require.NotContains(t, br.last.body, `id="post-`+kiln+`" type="submit"`)
	require.NotContains(t, br.visited(t, grid+"&swap="+gone).body, "Choose the post")

	swap := func(one, other string, from, to time.Time) page {
		br.visited(t, grid)
		return br.post(t, path+"/move?look=grid", url.Values{
			"post": {one, other}, "from": {stamp(from), stamp(to)}, "to": {stamp(to), stamp(from)},
		})
	}
	require.Equal(t, http.StatusSeeOther, swap(bowls, cups, early, late).status)
	require.Equal(t, grid, br.last.header.Get("Location"))
	require.Equal(t, []string{stamp(late), stamp(early)}, []string{b.timeOf(t, bowls), b.timeOf(t, cups)})

	// Someone else moved it; it is being sent; the partner's time is over: neither moves.
	require.Contains(t, swap(bowls, cups, early, late).body, "Someone else moved this post meanwhile.")
	require.Equal(t, http.StatusUnprocessableEntity, br.last.status)
	require.Contains(t, br.last.body, `class="profile`)
	require.Equal(t, http.StatusUnprocessableEntity, swap(bowls, kiln, late, early).status)
	past := b.clock.Now().Add(-time.Hour).Truncate(time.Minute)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET scheduled_at = $2 WHERE id = $1`, cups, stamp(past))
	require.Contains(t, swap(bowls, cups, late, past).body, "That time has passed.")
	require.Equal(t, []string{stamp(late), stamp(past)}, []string{b.timeOf(t, bowls), b.timeOf(t, cups)})
}

// TestGridShowsMorePublishedPosts shows the latest published posts, then more.
func TestGridShowsMorePublishedPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'INSTAGRAM_PROFESSIONAL' WHERE id = $1`, ours.wildcards["channel"])
	id := b.scheduled(t, ours, "Bowls", b.tomorrow(9))
	postgrestest.Exec(t, b.dsn, `INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, media_ids, scheduled_at, published_at, created_at, updated_at, revision)
		SELECT gen_random_uuid(), workspace_id, channel_id, 'Old ' || i, 'POST', 'PUBLISHED', ARRAY[gen_random_uuid()], now() - i * interval '1 day', now() - i * interval '1 day', now(), now(), 1
		FROM post, generate_series(1, 95) AS i WHERE id = $1`, id)
	grid := filled("/w/{workspace}/queue/{channel}", ours.wildcards) + "?look=grid"
	for shown, next := range map[string]string{"": "&amp;shown=60", "&shown=60": "&amp;shown=90", "&shown=900": "/posts?status=published&amp;channel="} {
		body := br.visited(t, grid+shown).body
		require.Equal(t, map[string]int{"": 30, "&shown=60": 60, "&shown=900": 90}[shown], strings.Count(body, `<li class="pic`))
		require.Contains(t, body, next)
		require.Contains(t, body, "Old 1. Published on ")
	}
}
