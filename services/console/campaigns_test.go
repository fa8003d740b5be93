package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestCampaignPages adds, changes and deletes a campaign, gives it posts in bulk and in the composer, and filters by it. That of
// another workspace is none.
func TestCampaignPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	postgrestest.Exec(t, b.dsn, `DELETE FROM campaign WHERE workspace_id = $1`, ours.wildcards["workspace"])
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	base := filled("/w/{workspace}", ours.wildcards)
	list := base + "/campaigns"
	require.Contains(t, br.visited(t, list).body, "No campaigns yet")
	color := post.LabelColors()[5]
	for want, wrong := range map[string]url.Values{
		"Is empty; enter a name.": {"color": {color}}, "Choose a day.": {"name": {"Spring"}, "color": {color}, "first": {"soon"}},
		"Is before the first day":            {"name": {"Spring"}, "color": {color}, "first": {"2026-03-02"}, "last": {"2026-03-01"}},
		"Is not one of the colors of labels": {"name": {"Spring"}, "color": {"red"}},
		"The placeholders are":               {"name": {"Spring"}, "color": {color}, "source": {"{who}"}},
	} {
		got := br.post(t, list, wrong)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, strings.ToLower(got.body), strings.ToLower(want))
	}
	got := br.post(t, list, url.Values{
		"name": {"Spring <b>"}, "color": {color}, "first": {"2026-03-01"}, "source": {"{network}"}, "content": {"tile"},
	})
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	one := got.header.Get("Location")
	require.Contains(t, br.visited(t, one).body, "Spring &lt;b&gt;")
	require.Contains(t, br.last.body, "from 1 March 2026")
	id := one[strings.LastIndex(one, "/")+1:]

	of := func() []string {
		return b.column(t, `SELECT campaign_id::text FROM post WHERE id = $1 AND campaign_id IS NOT NULL`, ours.wildcards["post"])
	}
	send := func(campaign string) int {
		br.visited(t, base+"/posts")
		return br.post(t, base+"/posts/selected", url.Values{"do": {"campaign"}, "campaign": {campaign}, "post": {ours.wildcards["post"]}}).status
	}
	require.Equal(t, http.StatusNotFound, send(theirs.wildcards["campaign"]))
	require.Equal(t, http.StatusUnprocessableEntity, send("x"))
	require.Empty(t, of())
	require.Equal(t, http.StatusSeeOther, send(id))
	require.Equal(t, []string{id}, of())
	require.Contains(t, br.visited(t, base+"/posts?campaign="+id).body, "Secret of Ours")
	require.NotContains(t, br.visited(t, base+"/posts?campaign="+theirs.wildcards["campaign"]).body, "Secret of")
	require.Contains(t, br.visited(t, base+"/posts/"+ours.wildcards["post"]).body, one)
	require.Contains(t, br.visited(t, one).body, "Secret of Ours")
	require.Equal(t, http.StatusOK, br.visited(t, base+"/calendar?campaign="+id).status)

	for _, act := range []string{"", "/delete"} {
		require.Equal(t, http.StatusNotFound, br.post(t, list+"/"+theirs.wildcards["campaign"]+act, url.Values{"name": {"x"}, "color": {color}}).status)
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, one, url.Values{"name": {"Summer"}, "color": {color}}).status)
	require.Contains(t, br.visited(t, one+"/edit").body, `value="Summer"`)
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/delete", nil).status)
	require.Empty(t, of())
	require.Contains(t, br.visited(t, base+"/posts").body, "Secret of Ours", "its posts stay")
}

// TestCampaignInComposer writes posts of a campaign, whose links get its parameters, and shortens links.
func TestCampaignInComposer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := filled("/w/{workspace}/compose", ours.wildcards)
	campaign, id := ours.wildcards["campaign"], ours.wildcards["channel"]
	postgrestest.Exec(t, b.dsn, `UPDATE campaign SET links = '{"source": "{network}", "campaign": "spring"}'`)
	require.Contains(t, br.visited(t, path+"?campaign="+campaign).body, `<option value="`+campaign+`" selected>`)
	read := func(what string, form url.Values) (links struct {
		Varies   bool
		Common   [][2]string
		Channels map[string][][2]string
	},
	) {
		t.Helper()
		require.NoError(t, json.Unmarshal([]byte(br.post(t, path+"/"+what, form).body), &links))
		return links
	}
	form := br.composed(t, url.Values{"text": {"See https://a.example/x."}, "channel": {id}, "campaign": {campaign}, "when": {"draft"}})
	require.Equal(t, [][2]string{{"https://a.example/x", "https://a.example/x?utm_source=x&utm_campaign=spring"}}, read("links", form).Channels[id])
	form["campaign"] = []string{theirs.wildcards["campaign"]}
	require.Empty(t, read("shorten", url.Values{"scratch": form["scratch"], "version": {"0"}}).Channels)

	form["campaign"] = []string{campaign}
	short := read("shorten", form)
	require.False(t, short.Varies)
	require.Len(t, short.Common, 1)
	require.Regexp(t, `^https://go\.example\.com/s/[0-9A-Za-z]{8}$`, short.Common[0][1])
	require.Equal(t, short, read("shorten", form), "the same address again")
	form["text"] = []string{"See " + short.Common[0][1] + "."}
	require.Empty(t, read("shorten", form).Common)
	require.Empty(t, read("links", form).Channels[id], "a short link gets no parameters")
	got := br.post(t, path, form)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	require.Equal(t, []string{campaign}, b.column(t, `SELECT campaign_id::text FROM post WHERE content LIKE 'See %'`))
	postgrestest.Exec(t, b.dsn, `UPDATE short_link SET clicks = 41`)
	for _, page := range []string{got.header.Get("Location"), filled("/w/{workspace}/campaigns/{campaign}", ours.wildcards)} {
		body := br.visited(t, page).body
		require.Contains(t, body, "41 clicks")
		require.Contains(t, body, "https://a.example/x")
	}
	br.visited(t, path)
	form = br.composed(t, url.Values{"text": {"Foreign"}, "channel": {id}, "campaign": {theirs.wildcards["campaign"]}, "when": {"draft"}})
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status)
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM post WHERE content = 'Foreign' AND campaign_id IS NULL`))
}
