package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/source"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform/connectors"
)

// reaching returns the bundle with an application that reaches this machine.
func reaching(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	registry, err := connectors.New(connectors.Environment{SandboxURL: "http://127.0.0.1:1"}, b.clock, 0)
	require.NoError(t, err)
	policy, err := egress.NewPolicy(egress.PolicyConfig{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	require.NoError(t, err)
	b.app, err = app.New(app.Deps{
		DB: b.db, Keyring: b.box, Connectors: registry, Rules: connectors.Rules(), Files: objectstoretest.Absent(t),
		Egress: policy, Clock: b.clock, Logger: b.config.Logger, Wake: func(relay.Wake) {},
	})
	require.NoError(t, err)
	b.config.App = b.app
	b.server.Config.Handler = b.site(t)
	return b
}

// TestFeeds adds a feed whose words attack, reads it, pauses and deletes it.
func TestFeeds(t *testing.T) {
	t.Parallel()
	b := reaching(t)
	ours := b.furnish(t, "Ours")
	postgrestest.Exec(t, b.dsn, `DELETE FROM source`)
	items := `<item><title>&lt;script&gt;alert(1)&lt;/script&gt;</title><link>javascript:alert(1)</link></item>`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "<rss version=\"2.0\"><channel><title>&lt;b&gt;News&lt;/b&gt;</title>%s</channel></rss>", items)
	}))
	t.Cleanup(site.Close)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	base := filled("/w/{workspace}", ours.wildcards)
	list := base + "/feeds"
	require.Contains(t, br.visited(t, list).body, "No feeds yet")
	form := url.Values{"url": {site.URL}, "template": {source.DefaultTemplate}, "channel": {ours.wildcards["channel"]}, "begin": {"newest"}}
	for want, change := range map[string]url.Values{
		"Is not an address of the web": {"url": {"news"}}, "Are missing; choose at least one.": {"channel": nil},
		"Has neither {title} nor {link}": {"template": {"news"}}, "Are not all of the workspace": {"channel": {"x"}},
	} {
		wrong := url.Values{}
		for _, values := range []url.Values{form, change} {
			for name, value := range values {
				wrong[name] = value
			}
		}
		got := br.post(t, list, wrong)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	got := br.post(t, list, form)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	body := br.visited(t, list).body
	require.Contains(t, body, "&lt;b&gt;News&lt;/b&gt;")
	require.NotContains(t, body, "<b>News")
	drafts := br.visited(t, base+"/posts?status=draft").body
	require.Contains(t, drafts, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.NotContains(t, drafts, "<script>alert(1)")
	require.NotContains(t, drafts, "javascript:alert")

	one := list + "/" + b.column(t, `SELECT id::text FROM source`)[0]
	items = `<item><title>Second</title><link>https://example.com/2</link></item>` + items
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/read", nil).status)
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM post WHERE content LIKE 'Second%' AND status = 'DRAFT'`))
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, one, url.Values{"template": {"{link}"}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, one, url.Values{"template": {"{link}"}, "channel": {ours.wildcards["channel"]}}).status)
	require.Contains(t, br.visited(t, one).body, "{link}</textarea>")
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/pause", nil).status)
	require.Contains(t, br.visited(t, list).body, "Resume")
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/resume", nil).status)
	site.Close()
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/read", nil).status)
	require.Contains(t, br.visited(t, list).body, "The feed cannot be read: the connection failed.")
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/delete", nil).status)
	require.Contains(t, br.visited(t, list).body, "No feeds yet")
}

// TestFeedsOfPrivateAddresses checks that no feed of an address within a network is requested, and that the form says so.
func TestFeedsOfPrivateAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	list := filled("/w/{workspace}/feeds", ours.wildcards)
	requested := false
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requested = true }))
	t.Cleanup(site.Close)
	for _, address := range []string{site.URL, "http://10.0.0.1/feed", "http://169.254.169.254/latest", "http://[::1]/feed", "https://192.168.1.1/"} {
		got := br.post(t, list, url.Values{"url": {address}, "template": {"{title}"}, "channel": {ours.wildcards["channel"]}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, address)
		require.Contains(t, got.body, "The feed cannot be read: ", address)
	}
	require.False(t, requested)
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM source`), "the one that was there")
}

// TestEvergreenPages makes a post evergreen, turns filling on, and removes the post.
func TestEvergreenPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	postgrestest.Exec(t, b.dsn, `DELETE FROM evergreen WHERE workspace_id = $1`, ours.wildcards["workspace"])
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	page := filled("/w/{workspace}/evergreen", ours.wildcards)
	require.Contains(t, br.visited(t, page).body, "Nothing is evergreen yet")
	require.Contains(t, br.visited(t, filled("/w/{workspace}/posts/{post}", ours.wildcards)).body, "/evergreen/new?post="+ours.wildcards["post"])
	require.Contains(t, br.visited(t, page+"/new?post="+ours.wildcards["post"]).body, "Not again within")
	require.Equal(t, http.StatusNotFound, br.post(t, page, url.Values{"post": {theirs.wildcards["post"]}, "cooldown": {"3"}}).status)
	require.Contains(t, br.post(t, page, url.Values{"post": {ours.wildcards["post"]}, "cooldown": {"0"}}).body, "Enter a number from 1 to 365.")
	require.Equal(t, http.StatusSeeOther, br.post(t, page, url.Values{"post": {ours.wildcards["post"]}, "cooldown": {"7"}}).status)
	body := br.visited(t, page).body
	require.Contains(t, body, "Not again within 7 days")
	require.Contains(t, body, "Networks may refuse or hide a text")
	require.Contains(t, body, "no weekly times")
	one := page + "/" + b.column(t, `SELECT id::text FROM evergreen WHERE workspace_id = $1`, ours.wildcards["workspace"])[0]
	require.Contains(t, br.post(t, one, url.Values{"cooldown": {"999"}}).body, "Enter a number from 1 to 365.")
	require.Equal(t, http.StatusSeeOther, br.post(t, one, url.Values{"cooldown": {"9"}}).status)

	rule := filled("/w/{workspace}/queue/{channel}/evergreen", ours.wildcards)
	require.Contains(t, br.post(t, rule, url.Values{"active": {"yes"}, "perDay": {"99"}, "ahead": {"2"}}).body, "Enter a number from 1 to 10.")
	postgrestest.Exec(t, b.dsn, `INSERT INTO channel_slot (channel_id, weekday, minute) SELECT $1, d, 60 * h FROM generate_series(0, 6) d, generate_series(0, 23) h`,
		ours.wildcards["channel"])
	require.Equal(t, http.StatusSeeOther, br.post(t, rule, url.Values{"active": {"yes"}, "perDay": {"5"}, "ahead": {"2"}}).status)
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM post WHERE status = 'SCHEDULED' AND workspace_id = $1`, ours.wildcards["workspace"]))
	require.Equal(t, http.StatusNotFound, br.post(t, filled("/w/{workspace}/queue/", ours.wildcards)+theirs.wildcards["channel"]+"/evergreen", url.Values{"perDay": {"1"}, "ahead": {"1"}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/remove", nil).status)
	require.NotContains(t, br.visited(t, page).body, "Secret of Ours")
}
