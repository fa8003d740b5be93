package main

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestSeries repeats a post, skips and restores a day, lets the content of a post follow, changes the rule, and ends the series.
func TestSeries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	postgrestest.Exec(t, b.dsn, `DELETE FROM series`)
	at := b.clock.Now().Add(48 * time.Hour).UTC().Truncate(time.Hour)
	id := b.scheduled(t, ours, "Bowls <b>of</b> the week", at)
	list := filled("/w/{workspace}/series", ours.wildcards)
	posted := filled("/w/{workspace}/posts/", ours.wildcards) + id
	require.Contains(t, br.visited(t, list).body, "Nothing repeats yet")
	require.Contains(t, br.visited(t, posted).body, "/series/new?post="+id)

	// wrong forms say what is wrong beside the field
	for want, wrong := range map[string]url.Values{
		"Enter a number from 1 to 99.":      {"unit": {"DAY"}, "every": {"0"}},
		"Choose how often it repeats.":      {"unit": {"YEAR"}, "every": {"1"}},
		"Choose the last day.":              {"unit": {"DAY"}, "every": {"1"}, "end": {"until"}, "until": {"soon"}},
		"Choose a day after the first one.": {"unit": {"DAY"}, "every": {"1"}, "end": {"until"}, "until": {"2001-01-01"}},
		"Enter a number from 1 to 1000.":    {"unit": {"DAY"}, "every": {"1"}, "end": {"count"}, "count": {"many"}},
	} {
		wrong.Set("post", id)
		got := br.post(t, list, wrong)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	require.Equal(t, http.StatusNotFound, br.post(t, list, url.Values{"post": {"x"}, "unit": {"DAY"}, "every": {"1"}}).status)

	send := func(path string, form url.Values) string {
		t.Helper()
		got := br.post(t, path, form)
		require.Equal(t, http.StatusSeeOther, got.status, got.body)
		return confirmation(br.visited(t, got.header.Get("Location")).body)
	}
	require.Contains(t, send(list, url.Values{"post": {id}, "unit": {"DAY"}, "every": {"7"}, "end": {"count"}, "count": {"4"}}),
		"It repeats: every 7 days at "+at.Format("15:04")+", 4 times.")
	require.Equal(t, http.StatusConflict, br.post(t, list, url.Values{"post": {id}, "unit": {"DAY"}, "every": {"1"}}).status)
	one := list + "/" + postgrestest.Column(t, b.dsn, `SELECT id::text FROM series`)[0]
	count := func() []string {
		return postgrestest.Column(t, b.dsn, `SELECT count(*)::text FROM post WHERE status = 'SCHEDULED' AND content LIKE 'Bowls%'`)
	}
	require.Equal(t, []string{"4"}, count())
	body := br.visited(t, one).body
	require.Contains(t, body, "Bowls &lt;b&gt;of&lt;/b&gt; the week")
	require.Contains(t, br.visited(t, posted).body, one)

	second := at.AddDate(0, 0, 7).Format(time.DateOnly)
	require.Equal(t, "Skipped.", send(one+"/skip", url.Values{"day": {second}}))
	require.Equal(t, []string{"3"}, count())
	require.Contains(t, br.visited(t, one).body, "Skipped")
	require.Equal(t, "Restored.", send(one+"/restore", url.Values{"day": {second}}))
	require.Equal(t, []string{"4"}, count())
	require.Equal(t, http.StatusNotFound, br.post(t, one+"/skip", url.Values{"day": {"2001-01-01"}}).status)

	postgrestest.Exec(t, b.dsn, `UPDATE post SET content = 'Bowls of spring', updated_at = updated_at + interval '1 second' WHERE id = $1`, id)
	require.Contains(t, send(list+"/follow", url.Values{"post": {id}}), "All following posts")
	require.Equal(t, []string{"4"}, postgrestest.Column(t, b.dsn, `SELECT count(*)::text FROM post WHERE content = 'Bowls of spring'`))

	require.Contains(t, br.post(t, one, url.Values{"unit": {"DAY"}, "every": {"1"}, "clock": {"noon"}}).body, "Choose a day and a time.")
	require.Contains(t, send(one, url.Values{
		"unit": {"DAY"}, "every": {"1"}, "day": {second}, "clock": {"10:30"}, "end": {"count"}, "count": {"2"},
	}), "Saved.")
	require.Equal(t, []string{"3"}, count(), "the first one, which someone changed, and two")
	require.Contains(t, send(one+"/end", url.Values{"posts": {"delete"}}), "Ended.")
	require.Equal(t, []string{"1"}, count())
	require.Contains(t, br.visited(t, list).body, "Ended")
}
