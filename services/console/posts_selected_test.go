package main

import (
	"fmt"
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
)

// selected sends the form of an action on posts from the list, and returns the confirmation on the next page.
func (br *browser) selected(t *testing.T, list string, ids []string, fields url.Values) string {
	t.Helper()
	form := url.Values{"post": ids, "back": {list}}
	for name, values := range fields {
		form[name] = values
	}
	br.visited(t, list)
	got := br.post(t, strings.Split(list, "?")[0]+"/selected", form)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	return confirmation(br.visited(t, list).body)
}

var (
	toast = regexp.MustCompile(`(?s)<div class="notice".*?<span>(.*?)</span>`)
	token = regexp.MustCompile(`name="undo" value="([^"]+)"`)
)

func confirmation(body string) string {
	found := toast.FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// takesBack takes the last action back, and returns the confirmation.
func (br *browser) takesBack(t *testing.T, list string) string {
	t.Helper()
	found := token.FindStringSubmatch(br.last.body)
	require.NotNil(t, found, "the page offers to take the action back")
	got := br.post(t, strings.Split(list, "?")[0]+"/undo", url.Values{"undo": {found[1]}, "back": {list}})
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	return confirmation(br.visited(t, list).body)
}

// TestActionsOnSelectedPostsAreTakenBack does every action on three posts, and takes back those that can be.
func TestActionsOnSelectedPostsAreTakenBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET timezone = 'Europe/Berlin' WHERE id = $1`, ours.wildcards["channel"])
	postgrestest.Exec(t, b.dsn, `UPDATE workspace SET timezone = 'Europe/Berlin' WHERE id = $1`, ours.workspace.ID.String())
	at := b.clock.Now().Add(72 * time.Hour).UTC().Truncate(time.Hour)
	ids := make([]string, 3)
	for i := range ids {
		ids[i] = b.scheduled(t, ours, fmt.Sprintf("Bowl %d", i), at.Add(time.Duration(i)*time.Hour))
	}
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	list := filled("/w/{workspace}/posts?status=scheduled", ours.wildcards)
	times := func() []string {
		return postgrestest.Column(t, b.dsn, `SELECT scheduled_at::text FROM post WHERE content LIKE 'Bowl%' ORDER BY content`)
	}
	labels := func() []string {
		return postgrestest.Column(t, b.dsn, `SELECT array_to_string(labels, ',') FROM post WHERE content LIKE 'Bowl%' ORDER BY content`)
	}
	before := times()
	for _, shift := range []url.Values{
		{"do": {"shift"}, "by": {"1"}, "unit": {"days"}},
		{"do": {"shift"}, "by": {"-90"}, "unit": {"minutes"}},
		{"do": {"time"}, "day": {at.AddDate(0, 0, 5).Format(time.DateOnly)}, "clock": {"09:15"}},
		{"do": {"time"}, "day": {at.AddDate(0, 0, 5).Format(time.DateOnly)}},
	} {
		require.Equal(t, "Moved 3 posts.", br.selected(t, list, ids, shift))
		require.NotEqual(t, before, times())
		require.Equal(t, "Taken back for 3 posts.", br.takesBack(t, list))
		require.Equal(t, before, times())
	}

	require.Equal(t, "Labelled 3 posts.", br.selected(t, list, ids, url.Values{"do": {"label"}, "label": {"Autumn"}}))
	require.Equal(t, []string{"Autumn", "Autumn", "Autumn"}, labels())
	require.Equal(t, "Taken back for 3 posts.", br.takesBack(t, list))
	require.Equal(t, []string{"", "", ""}, labels())
	br.selected(t, list, ids[:1], url.Values{"do": {"label"}, "label": {"Autumn"}})
	require.Equal(t, "Labelled 2 posts.\n1 post needed no change.", br.selected(t, list, ids, url.Values{"do": {"label"}, "label": {"autumn"}}))
	br.takesBack(t, list)
	require.Equal(t, []string{"Autumn", "", ""}, labels(), "only what the action changed is taken back")
	require.Contains(t, br.visited(t, filled("/w/{workspace}/posts?label=Autumn", ours.wildcards)).body, "Bowl 0")
	require.NotContains(t, br.last.body, "Bowl 1")

	require.Equal(t, "Duplicated 3 posts.", br.selected(t, list, []string{strings.Join(ids, ",")}, url.Values{"do": {"duplicate"}}))
	require.Equal(t, []string{"3"}, postgrestest.Column(t, b.dsn, `SELECT count(*)::text FROM post WHERE content LIKE 'Bowl%' AND status = 'DRAFT'`))
	require.Equal(t, "Taken back for 3 posts.", br.takesBack(t, list))
	require.Len(t, times(), 3)

	drafts := filled("/w/{workspace}/posts?status=draft", ours.wildcards)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'DRAFT' WHERE content LIKE 'Bowl%'`)
	require.Equal(t, "Archived 3 posts.", br.selected(t, drafts, ids, url.Values{"do": {"archive"}}))
	require.Equal(t, "Taken back for 3 posts.", br.takesBack(t, drafts))
	require.Equal(t, "Sent for approval: 3 posts.", br.selected(t, drafts, ids, url.Values{"do": {"request-approval"}}))
	require.NotRegexp(t, token, br.last.body)
	require.Equal(t, "Deleted 3 posts.", br.selected(t, drafts, ids, url.Values{"do": {"delete"}}))
	require.NotRegexp(t, token, br.last.body)
	require.Empty(t, times())
}

// TestActionOnFiftyPostsTellsWhichWereRefused moves posts of which some cannot be moved.
func TestActionOnFiftyPostsTellsWhichWereRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	at := b.clock.Now().Add(72 * time.Hour).UTC().Truncate(time.Hour)
	var ids []string
	for i := range 50 {
		ids = append(ids, b.scheduled(t, ours, fmt.Sprintf("Plate %02d", i), at.Add(time.Duration(i)*time.Minute)))
	}
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = scheduled_at WHERE content < 'Plate 06' AND content LIKE 'Plate%'`)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET publishing_since = now() WHERE content = 'Plate 10'`)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'DRAFT', scheduled_at = NULL WHERE content = 'Plate 11'`)
	postgrestest.Exec(t, b.dsn, `DELETE FROM post WHERE content = 'Plate 12'`)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	list := filled("/w/{workspace}/posts?status=scheduled", ours.wildcards)
	require.Equal(t, strings.Join([]string{
		"Moved 41 posts.", "“Plate 00”, “Plate 01”, “Plate 02”, “Plate 03” and 2 more: not moved, because it is published.",
		"“Plate 10”: not moved, because it is being published.", "“Plate 11”: not moved, because it has no time yet.",
		"“Post without a text”: not moved, because it does not exist any more.",
	}, "\n"), br.selected(t, list, ids, url.Values{"do": {"shift"}, "by": {"2"}, "unit": {"weeks"}}))
	require.Equal(t, "Taken back for 41 posts.", br.takesBack(t, list))
}

// TestWrongSelectionsAreExplained sends wrong input of every kind, which keeps what was typed, and ids of others.
func TestWrongSelectionsAreExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	list, own := filled("/w/{workspace}/posts", ours.wildcards), ours.wildcards["post"]
	for name, c := range map[string]struct {
		form   url.Values
		status int
		want   string
	}{
		"nothing selected":    {url.Values{"do": {"archive"}}, 422, "Select at least one post."},
		"no action":           {url.Values{"post": {own}}, 422, "Choose what to do with the posts."},
		"an unknown action":   {url.Values{"post": {own}, "do": {"<b>"}}, 422, "Choose what to do with the posts."},
		"no label":            {url.Values{"post": {own}, "do": {"label"}, "label": {" "}}, 422, "Enter a label."},
		"a long label":        {url.Values{"post": {own}, "do": {"label"}, "label": {strings.Repeat("x", 51)}}, 422, `value="xxx`},
		"no shift":            {url.Values{"post": {own}, "do": {"shift"}, "by": {"0"}}, 422, "Enter by how much"},
		"a shift in words":    {url.Values{"post": {own}, "do": {"shift"}, "by": {"<i>"}}, 422, `value="&lt;i&gt;"`},
		"a huge shift":        {url.Values{"post": {own}, "do": {"shift"}, "by": {"9999999"}}, 422, "Enter by how much"},
		"no day":              {url.Values{"post": {own}, "do": {"time"}, "clock": {"09:00"}}, 422, "Choose a day."},
		"a time that is none": {url.Values{"post": {own}, "do": {"time"}, "day": {"2030-01-01"}, "clock": {"25:00"}}, 422, "Choose a time."},
		"another workspace's": {url.Values{"post": {theirs.wildcards["post"]}, "do": {"delete"}}, 404, "Not found"},
		"no id":               {url.Values{"post": {"x"}, "do": {"delete"}}, 404, "Not found"},
	} {
		got := br.post(t, list+"/selected", c.form)
		require.Equal(t, c.status, got.status, name)
		require.Contains(t, got.body, c.want, name)
		if c.status == http.StatusUnprocessableEntity && c.form.Has("post") {
			require.Contains(t, got.body, `value="`+own+`" form="selected" checked`, name)
		}
	}
	got := br.post(t, list+"/selected", url.Values{"post": {own, theirs.wildcards["post"]}, "do": {"label"}, "label": {"Mine"}})
	require.Equal(t, http.StatusSeeOther, got.status)
	require.Contains(t, confirmation(br.visited(t, list).body), "Labelled 1 post.\n“Post without a text”: not labelled, because it does not exist any more.")
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.dsn, `SELECT count(*)::text FROM post WHERE 'Mine' = ANY(labels)`))
	for _, wrong := range []string{"", "x", "ZGVsZXRlCg", "aGlkZQoKMDEyMzQ1Njc4OTAxMjM0NQ"} {
		require.Equal(t, http.StatusNotFound, br.post(t, list+"/undo", url.Values{"undo": {wrong}}).status, wrong)
	}
	// A redirect stays within the section.
	got = br.post(t, list+"/selected", url.Values{"post": {own}, "do": {"archive"}, "back": {"//evil.test" + list}})
	require.Equal(t, list, got.header.Get("Location"))
	contributor := b.browser(t)
	contributor.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	require.Contains(t, contributor.selected(t, list, []string{b.scheduled(t, ours, "Theirs to move", b.clock.Now().Add(time.Hour))},
		url.Values{"do": {"shift"}, "by": {"1"}, "unit": {"days"}}), "“Theirs to move”: not moved.")
}

// TestSetIsOneRow checks that posts that were created together are one row, which opens to them and is selected whole, also
// where a page ends.
func TestSetIsOneRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	at := b.clock.Now().Add(48 * time.Hour).UTC().Truncate(time.Hour)
	for i := range 28 {
		b.scheduled(t, ours, fmt.Sprintf("Single %02d", i), at)
	}
	for i := range 5 {
		b.scheduled(t, ours, fmt.Sprintf("Member %d", i), at.Add(time.Hour))
	}
	b.scheduled(t, ours, "Last", at.Add(2*time.Hour))
	postgrestest.Exec(t, b.dsn, `UPDATE post SET group_id = gen_random_uuid() WHERE content = 'Member 0'`)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET group_id = (SELECT group_id FROM post WHERE content = 'Member 0') WHERE content LIKE 'Member%'`)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	list := filled("/w/{workspace}/posts?status=scheduled", ours.wildcards)
	body := br.visited(t, list).body
	require.Equal(t, 29, strings.Count(body, "data-row"))
	require.Contains(t, body, "<summary>5 posts</summary>")
	require.Regexp(t, `name="post" value="([0-9a-f-]{36},){4}[0-9a-f-]{36}"`, body)
	require.NotContains(t, body, ">Last<")
	next := regexp.MustCompile(`href="([^"]*after=[^"]*)"`).FindStringSubmatch(body)
	require.NotNil(t, next)
	body = br.visited(t, html.UnescapeString(next[1])).body
	require.Contains(t, body, ">Last<")
	require.NotContains(t, body, "Member")
	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.NotRegexp(t, `id="selected"|name="post"`, viewer.visited(t, list).body, "a viewer changes nothing")
}
