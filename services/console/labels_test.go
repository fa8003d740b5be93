package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestLabels adds, changes, merges and deletes labels on their pages.
func TestLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	labels := filled("/w/{workspace}/settings/labels", ours.wildcards)
	page := func(name string) string { return labels + "/edit?label=" + url.QueryEscape(name) }
	red, blue := post.LabelColors()[0], post.LabelColors()[5]
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	require.Contains(t, br.visited(t, labels).body, "No labels yet")
	stored := func() []string {
		return postgrestest.Column(t, b.dsn, `SELECT name || ' ' || color FROM label ORDER BY name`)
	}
	send := func(from, path string, form url.Values) {
		t.Helper()
		br.visited(t, from)
		require.Equal(t, http.StatusSeeOther, br.post(t, labels+path, form).status, br.last.body)
	}
	send(labels, "", url.Values{"name": {"Spring & <b>sale</b>"}, "color": {red}})
	send(labels, "", url.Values{"name": {"Évents/2027"}, "color": {blue}})
	require.Equal(t, []string{"Spring & <b>sale</b> " + red, "Évents/2027 " + blue}, stored())
	require.Contains(t, br.visited(t, labels).body, "Spring &amp; &lt;b&gt;sale&lt;/b&gt;")
	postgrestest.Exec(t, b.dsn, `UPDATE post SET labels = '{"Spring & <b>sale</b>"}', label_keys = '{"spring & <b>sale</b>"}' WHERE id = $1`,
		ours.wildcards["post"])
	labelsOf := func() []string { return postgrestest.Column(t, b.dsn, `SELECT unnest(labels) FROM post`) }

	got := br.visited(t, page("SPRING & <b>sale</b>"))
	require.Contains(t, got.body, "On 1 post<")
	require.Contains(t, got.body, "The label disappears from 1 post.")
	send(page("Spring & <b>sale</b>"), "/change", url.Values{"label": {"Spring & <b>sale</b>"}, "name": {"Spring"}, "color": {blue}})
	require.Equal(t, []string{"Spring"}, labelsOf())
	require.Equal(t, []string{"Spring " + blue, "Évents/2027 " + blue}, stored())
	send(page("Spring"), "/merge", url.Values{"label": {"Spring"}, "into": {"Évents/2027"}})
	require.Equal(t, []string{"Évents/2027"}, labelsOf())
	require.Contains(t, br.visited(t, labels).body, "Merged into")
	send(page("Évents/2027"), "/delete", url.Values{"label": {"Évents/2027"}})
	require.Empty(t, labelsOf())
	require.Empty(t, stored())
	require.Equal(t, []string{"label.created", "label.created", "label.changed", "label.merged", "label.deleted"},
		postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry ORDER BY id`))
}

// TestWrongLabels sends wrong forms: each page comes again with what was typed, and the fault beside its field.
func TestWrongLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	labels := filled("/w/{workspace}/settings/labels", ours.wildcards)
	red := post.LabelColors()[0]
	for of, name := range map[string]string{ours.workspace.ID.String(): "Spring", theirs.workspace.ID.String(): "Secret"} {
		postgrestest.Exec(t, b.dsn, `INSERT INTO label (workspace_id, key, name, color) VALUES ($1, lower($2), $2, $3)`, of, name, red)
	}
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	for _, c := range []struct {
		path string
		form url.Values
		want []string
	}{
		{"", url.Values{"name": {""}, "color": {red}}, []string{`id="name-fault">Is empty.`}},
		{"", url.Values{"name": {"SPRING"}, "color": {red}}, []string{`value="SPRING"`, "choose another name."}},
		{"", url.Values{"name": {"New"}}, []string{`value="New"`, "Is not one of the colors of labels"}},
		{"/change", url.Values{"label": {"Spring"}, "name": {strings.Repeat("x", 51)}, "color": {"red"}}, []string{"<h1>Spring</h1>", "name-fault", "Is not one of the colors"}},
		{"/merge", url.Values{"label": {"Spring"}, "into": {"spring"}}, []string{`id="into-fault">Is the same label`}},
		{"/merge", url.Values{"label": {"Spring"}, "into": {"Secret"}}, []string{`id="into-fault">Is no label of the workspace`}},
	} {
		br.visited(t, labels)
		got := br.post(t, labels+c.path, c.form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, "%s %v", c.path, c.form)
		for _, want := range c.want {
			require.Contains(t, got.body, want)
		}
	}
	for _, path := range []string{"/change", "/merge", "/delete"} {
		br.visited(t, labels)
		got := br.post(t, labels+path, url.Values{"label": {"Secret"}, "name": {"Mine"}, "color": {red}, "into": {"Spring"}})
		require.Equal(t, http.StatusNotFound, got.status, path)
	}
	require.Equal(t, http.StatusNotFound, br.get(t, labels+"/edit?label=Secret").status)
	require.Equal(t, http.StatusSeeOther, br.get(t, labels+"/edit").status)
	require.Equal(t, []string{"Secret", "Spring"}, postgrestest.Column(t, b.dsn, `SELECT name FROM label ORDER BY name`))

	reader := b.browser(t)
	reader.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	list := reader.visited(t, labels).body
	require.Contains(t, list, "Spring")
	require.NotContains(t, list, "<form method=\"post\" action=\""+labels)
	require.NotContains(t, list, "edit?label=")
}
