package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// publishedSet creates three posts of a set, two of them published, and returns the addresses of the first two.
func (b *bundle) publishedSet(t *testing.T, of tenant) (first, second string) {
	t.Helper()
	at := b.clock.Now().Add(time.Minute)
	ids := []string{b.scheduled(t, of, "Kiln day", at), b.scheduled(t, of, "Kiln day", at), b.scheduled(t, of, "Kiln day", at)}
	postgrestest.Exec(t, b.dsn, `UPDATE post SET group_id = $1::uuid WHERE id = ANY($2::uuid[])`, ident.New[ident.Group]().String(), "{"+strings.Join(ids, ",")+"}")
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = scheduled_at WHERE id IN ($1, $2)`, ids[0], ids[1])
	page := filled("/w/{workspace}/posts/", of.wildcards)
	return page + ids[0], page + ids[1]
}

// TestFiguresOfSetAreSummed checks that a post's page has the last figures of each post of its set, and their sums. People
// cannot be added: several posts may have reached the same ones.
func TestFiguresOfSetAreSummed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	first, second := b.publishedSet(t, ours)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.NotContains(t, br.visited(t, first).body, `id="figures"`, "no network has reported figures")
	for _, row := range []struct {
		page, day        string
		likes, reach, at any
	}{{first, "2026-11-01", 7, 90, nil}, {first, "2026-11-02", 1230, 400, 5}, {second, "2026-11-02", 12, nil, nil}} {
		postgrestest.Exec(t, b.dsn, `INSERT INTO post_insight (post_id, day, likes, reach, video_views, collected_at) VALUES ($1, $2, $3, $4, $5, now())`,
			row.page[strings.LastIndex(row.page, "/")+1:], row.day, row.likes, row.reach, row.at)
	}
	for _, page := range []string{first, second} {
		table := regexp.MustCompile(`(?s)<table class="figures">.*?</table>`).FindString(br.visited(t, page).body)
		var cells []string
		for _, match := range regexp.MustCompile(`<t[hd](?: [^>]*)?>([^<]*)<`).FindAllStringSubmatch(table, -1) {
			cells = append(cells, match[1])
		}
		channel := cells[4]
		require.Equal(t, []string{
			"Channel", "Reach", "Views", "Likes", channel, "400", "5", "1\u202f230", channel, "–", "–", "12",
			"All channels", "–", "5", "1\u202f242",
		}, cells)
	}
}

// TestPublishedPostIsCopiedForOtherChannels checks that the composer opens with the content of a published post, for channels
// that the person picks, and that other workspaces and viewers cannot ask for it.
func TestPublishedPostIsCopiedForOtherChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	page, _ := b.publishedSet(t, ours)
	id := page[strings.LastIndex(page, "/")+1:]
	postgrestest.Exec(t, b.dsn, `UPDATE post SET title = 'Open <b>house</b>', labels = '{Spring,Kiln}', label_keys = '{spring,kiln}', media_ids = ARRAY[$2]::uuid[],
		media_alt_texts = jsonb_build_object($2, 'A bowl') WHERE id = $1`, id, ours.wildcards["media"])
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	require.Contains(t, br.visited(t, page).body, "Publish on another channel")
	got := br.post(t, page+"/copy", url.Values{})
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	composer := br.visited(t, got.header.Get("Location")).body
	require.Regexp(t, `(?s)<textarea[^>]*name="text"[^>]*>\s*Kiln day</textarea>`, composer)
	require.Contains(t, composer, html.EscapeString(`Open <b>house</b>`))
	require.Regexp(t, `name="media" value="`+ours.wildcards["media"]+`"`, composer)
	require.Contains(t, composer, "A bowl")
	require.Contains(t, composer, "Spring, Kiln")
	require.NotRegexp(t, `<input[^>]*name="channel"[^>]* checked`, composer, "the channels are the person's choice")
	require.Equal(t, []string{"3"}, postgrestest.Column(t, b.dsn, `SELECT count(*) FROM post WHERE content = 'Kiln day'`), "nothing is created yet")

	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.NotContains(t, viewer.visited(t, page).body, "Publish on another channel")
	require.Equal(t, http.StatusForbidden, viewer.post(t, page+"/copy", url.Values{}).status)
	foreign := b.browser(t)
	foreign.signInAs(t, b.membership(t, theirs.workspace, member.Owner).Email)
	require.Equal(t, http.StatusNotFound, foreign.post(t, page+"/copy", url.Values{}).status)
	require.Equal(t, http.StatusNotFound, foreign.post(t, filled("/w/{workspace}/posts/", theirs.wildcards)+id+"/copy", url.Values{}).status)
}

// TestLabelsHaveTheirColors checks the labels of rows and pages of posts.
func TestLabelsHaveTheirColors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	id := b.scheduled(t, ours, "Labelled", b.clock.Now().Add(time.Minute))
	postgrestest.Exec(t, b.dsn, `UPDATE post SET labels = '{SPRING,Other}', label_keys = '{spring,other}' WHERE id = $1`, id)
	postgrestest.Exec(t, b.dsn, `INSERT INTO label (workspace_id, key, name, color) SELECT $1, 'spring', 'Spring', $2`, ours.workspace.ID.String(), "#b3261e")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	for _, path := range []string{"/posts", "/posts/" + id} {
		body := br.visited(t, filled("/w/{workspace}", ours.wildcards)+path).body
		require.Regexp(t, `class="label-tag tag-[a-h]"[^>]*>SPRING<`, body)
		require.Regexp(t, `class="label-tag "[^>]*>Other<`, body, "without a color")
	}
}
