package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestTexts adds, changes and deletes texts of every kind on their pages.
func TestTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	texts := filled("/w/{workspace}/settings/texts", ours.wildcards)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	send := func(from, path string, form url.Values) {
		t.Helper()
		br.visited(t, from)
		require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	}
	postgrestest.Exec(t, b.dsn, `DELETE FROM snippet`)
	require.Contains(t, br.visited(t, texts).body, "None yet.")
	for kind, form := range map[string]url.Values{
		"SNIPPET":   {"name": {"Hours & <b>days</b>"}, "text": {"Mon–Fri\r\n9–17"}, "automatic": {"yes"}},
		"SIGNATURE": {"name": {"Team"}, "text": {"— the team"}, "channel": {ours.wildcards["channel"]}, "automatic": {"yes"}},
		"HASHTAGS":  {"name": {"Clay"}, "text": {"clay, kiln"}},
		"MENTION":   {"name": {"Acme"}, "handle.x": {"@acme"}, "handle.bluesky": {"acme.bsky.social"}},
	} {
		form.Set("kind", kind)
		send(texts+"/new?kind="+kind, texts, form)
	}
	require.Equal(t, []string{
		`HASHTAGS|Clay|#clay #kiln|{}`,
		`MENTION|Acme||{"handles": {"x": "acme", "bluesky": "acme.bsky.social"}}`,
		`SIGNATURE|Team|— the team|{"channels": ["` + ours.wildcards["channel"] + `"], "automatic": true}`,
		"SNIPPET|Hours & <b>days</b>|Mon–Fri\n9–17|{}",
	}, b.column(t, `SELECT kind || '|' || name || '|' || content || '|' || settings FROM snippet ORDER BY kind`))
	got := br.visited(t, texts).body
	require.Contains(t, got, "Hours &amp; &lt;b&gt;days&lt;/b&gt;")
	require.Contains(t, got, "@acme.bsky.social")

	mention := texts + "/" + b.column(t, `SELECT id::text FROM snippet WHERE kind = 'MENTION'`)[0]
	require.Contains(t, br.visited(t, mention).body, `name="handle.x" type="text" value="acme"`)
	send(mention, mention, url.Values{"kind": {"SNIPPET"}, "name": {"Acme Inc."}, "handle.threads": {"acme"}})
	require.Equal(t, []string{`MENTION Acme Inc. {"handles": {"threads": "acme"}}`},
		b.column(t, `SELECT kind || ' ' || name || ' ' || settings FROM snippet WHERE kind = 'MENTION'`), "a text keeps its kind")
	send(mention, mention+"/delete", nil)
	require.Contains(t, br.visited(t, texts).body, "“Acme Inc.” deleted.")
	require.Empty(t, b.column(t, `SELECT 1 FROM snippet WHERE kind = 'MENTION'`))
	require.Equal(t, []string{"text.created 4", "text.changed 1", "text.deleted 1"},
		b.column(t, `SELECT action || ' ' || count(*) FROM audit_entry GROUP BY action ORDER BY min(id::text)`))

	send(texts, texts+"/links", url.Values{"source": {"{network}"}, "except": {"Example.com\r\nshop.example"}, "automatic": {"yes"}})
	require.Equal(t, []string{`{"except": ["example.com", "shop.example"], "source": "{network}", "automatic": true}`}, b.column(t, `SELECT rule::text FROM link_rule`))
	require.Contains(t, br.visited(t, texts).body, "example.com\nshop.example</textarea>")

	reader := b.browser(t)
	reader.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	list := reader.visited(t, texts).body
	require.Contains(t, list, "— the team")
	require.NotContains(t, list, "<form method=\"post\" action=\""+texts)
	require.NotContains(t, list, texts+"/")
}

// TestWrongTexts sends wrong forms: each page comes again with what was typed, and the fault beside its field.
func TestWrongTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	texts := filled("/w/{workspace}/settings/texts", ours.wildcards)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	add := func(form url.Values) page {
		t.Helper()
		br.visited(t, texts)
		return br.post(t, texts, form)
	}
	require.Equal(t, http.StatusSeeOther, add(url.Values{
		"kind": {"SIGNATURE"}, "name": {"Team"}, "text": {"x"}, "channel": {ours.wildcards["channel"]}, "automatic": {"yes"},
	}).status)
	before := b.column(t, `SELECT count(*)::text FROM snippet`)
	for _, c := range []struct {
		form url.Values
		want []string
	}{
		{url.Values{"kind": {"SNIPPET"}, "text": {"Words <i>"}}, []string{`id="name-fault">Is empty.`, ">Words &lt;i&gt;</textarea>"}},
		{url.Values{"kind": {"SIGNATURE"}, "name": {"TEAM"}, "text": {"y"}}, []string{"Is the name of another one; choose another name.", `value="TEAM"`}},
		{url.Values{"kind": {"HASHTAGS"}, "name": {"Clay"}, "text": {"#a-b"}}, []string{"Has #a-b, but a hashtag has only letters"}},
		{url.Values{"kind": {"MENTION"}, "name": {"Acme"}}, []string{"enter the handle of at least one network"}},
		{url.Values{"kind": {"MENTION"}, "name": {"Acme"}, "handle.x": {"a b"}}, []string{`id="handle.x-fault">Contains a space`}},
		{url.Values{"kind": {"SIGNATURE"}, "name": {"New"}, "text": {"y"}, "automatic": {"1"}}, []string{"choose the channels that get the signature"}},
		{url.Values{"kind": {"SIGNATURE"}, "name": {"New"}, "text": {"y"}, "channel": {theirs.wildcards["channel"]}}, []string{"Are not all of the workspace"}},
		{url.Values{"kind": {"SIGNATURE"}, "name": {"New"}, "text": {"y"}, "channel": {"x"}}, []string{"Are not all of the workspace"}},
		{
			url.Values{"kind": {"SIGNATURE"}, "name": {"New"}, "text": {"y"}, "channel": {ours.wildcards["channel"]}, "automatic": {"1"}},
			[]string{"News has “Team”; change that one"},
		},
		{url.Values{"kind": {"ESSAY"}, "name": {"a"}, "text": {"b"}}, []string{"Is not known; choose one of the kinds."}},
		{url.Values{"kind": {"SNIPPET"}, "name": {"a"}, "text": {strings.Repeat("x", 3001)}}, []string{"Has 3001 characters; at most 3000 are allowed."}},
	} {
		got := add(c.form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, "%v", c.form)
		for _, want := range c.want {
			require.Contains(t, got.body, want)
		}
	}
	got := br.post(t, texts+"/links", url.Values{"source": {"{post}"}, "except": {"<x>"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, `value="{post}"`)
	require.Contains(t, got.body, "Has {post}; the placeholders are {network}, {channel} and {date}.")
	require.Contains(t, got.body, "Has “&lt;x&gt;”, which is no host")

	for range 300 {
		postgrestest.Exec(t, b.dsn, `INSERT INTO snippet (id, workspace_id, kind, key, name, content, settings, created_at, updated_at)
			VALUES ($1, $2, 'HASHTAGS', $3, $3, '#a', '{}', now(), now())`, ident.New[ident.Snippet]().String(), ours.workspace.ID.String(), ident.New[ident.Snippet]().String())
	}
	require.Contains(t, add(url.Values{"kind": {"SNIPPET"}, "name": {"a"}, "text": {"b"}}).body, "delete one first.")
	postgrestest.Exec(t, b.dsn, `DELETE FROM snippet WHERE content = '#a'`)
	require.Equal(t, before, b.column(t, `SELECT count(*)::text FROM snippet`))
	require.Empty(t, b.column(t, `SELECT 1 FROM link_rule`))
	require.Equal(t, http.StatusSeeOther, br.get(t, texts+"/new?kind=ESSAY").status)
	require.Equal(t, http.StatusNotFound, br.get(t, texts+"/no-id").status)
}

// TestComposerOffersTexts reads what the composer inserts, and the links with parameters for each channel.
func TestComposerOffersTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, path := b.writer(t, ours, member.Contributor)
	require.Contains(t, br.last.body, `data-insert="emoji"`)
	bluesky := b.connected(t, ours, "Our Yard", channel.Bluesky)
	for kind, settings := range map[string]string{"MENTION": `{"handles": {"x": "acme"}}`, "SIGNATURE": `{"channels": ["` + bluesky + `"], "automatic": true}`} {
		postgrestest.Exec(t, b.dsn, `INSERT INTO snippet (id, workspace_id, kind, key, name, content, settings, created_at, updated_at)
			VALUES ($1, $2, $3, 'acme', 'Acme', '— <b>', $4::jsonb, now(), now())`, ident.New[ident.Snippet]().String(), ours.workspace.ID.String(), kind, settings)
	}
	rule := func(text string) {
		t.Helper()
		postgrestest.Exec(t, b.dsn, `INSERT INTO link_rule VALUES ($1, $2::jsonb, now()) ON CONFLICT (workspace_id) DO UPDATE SET rule = excluded.rule`, ours.workspace.ID.String(), text)
	}
	rule(`{"source": "{network}", "campaign": "{channel}", "automatic": true}`)
	var kept struct {
		Texts []struct {
			Kind, Text string
			Handles    map[string]string
			Channels   []string
			Automatic  bool
		}
		Networks map[string]string
		Links    struct{ Active, Automatic bool }
	}
	require.NoError(t, json.Unmarshal([]byte(br.get(t, path+"/texts").body), &kept))
	require.Equal(t, "bluesky", kept.Networks[bluesky])
	require.True(t, kept.Links.Active && kept.Links.Automatic)
	found := 0
	for _, text := range kept.Texts {
		switch text.Kind {
		case "MENTION":
			require.Equal(t, map[string]string{"x": "@acme"}, text.Handles)
			found++
		case "SIGNATURE":
			require.Equal(t, []string{bluesky}, text.Channels)
			require.Equal(t, "— <b>", text.Text)
			require.True(t, text.Automatic)
			found++
		}
	}
	require.Equal(t, 2, found)

	var links struct {
		Varies   bool
		Common   [][2]string
		Channels map[string][][2]string
	}
	br.visited(t, path)
	form := br.composed(t, url.Values{
		"text": {"See https://a.example/x."}, "channel": {ours.wildcards["channel"], bluesky}, "text." + bluesky: {"https://b.example/#top"},
	})
	require.NoError(t, json.Unmarshal([]byte(br.post(t, path+"/links", form).body), &links))
	require.True(t, links.Varies)
	require.Equal(t, map[string][][2]string{
		ours.wildcards["channel"]: {{"https://a.example/x", "https://a.example/x?utm_source=x&utm_campaign=news"}},
		bluesky: {
			{"https://a.example/x", "https://a.example/x?utm_source=bluesky&utm_campaign=our-yard"},
			{"https://b.example/#top", "https://b.example/?utm_source=bluesky&utm_campaign=our-yard#top"},
		},
	}, links.Channels)
	rule(`{"source": "social"}`)
	require.NoError(t, json.Unmarshal([]byte(br.post(t, path+"/links", form).body), &links))
	require.False(t, links.Varies)
	require.Equal(t, [][2]string{{"https://a.example/x", "https://a.example/x?utm_source=social"}}, links.Common)
	rule(`{"source": "social", "except": ["bücher.example", "xn--mller-kva.example", "a.example"]}`)
	form["text"] = []string{"https://BÜCHER.example https://shop.xn--bcher-kva.example/a https://müller.example/ä https://Xn--Mller-Kva.example https://bucher.example/ü"}
	require.NoError(t, json.Unmarshal([]byte(br.post(t, path+"/links", form).body), &links))
	require.Equal(t, [][2]string{{"https://bucher.example/ü", "https://bucher.example/ü?utm_source=social"}}, links.Common, "a host in either form")
	form["text"] = []string{"Bowls"}
	require.Empty(t, b.column(t, `SELECT 1 FROM scratch`), "nothing is stored")
	form["channel"] = []string{ident.New[ident.Channel]().String()}
	require.Equal(t, http.StatusNotFound, br.post(t, path+"/links", form).status)
}
