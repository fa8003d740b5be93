package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestEndedSessionIsExplained ends the session of a browser with an open form: the sign-in page says that the change was not
// saved, and leads back to the form.
func TestEndedSessionIsExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	form := "/w/" + b.acme.ID.String() + "/settings/profile"
	br.visited(t, form)
	postgrestest.Exec(t, b.dsn, `DELETE FROM user_session`)
	got := br.post(t, form, url.Values{"name": {"Ada"}}, "Referer", br.base+form)
	require.Equal(t, http.StatusSeeOther, got.status)
	require.Equal(t, "/sign-in?ended=action&next="+url.QueryEscape(form), got.header.Get("Location"))
	got = br.get(t, got.header.Get("Location"))
	require.Contains(t, got.body, "Your session ended before your last change was saved.")
	require.Equal(t, form, br.post(t, "/sign-in", url.Values{
		"email": {email}, "password": {secret}, "next": {form},
	}).header.Get("Location"))

	outsider := b.browser(t)
	got = outsider.get(t, form)
	require.Equal(t, "/sign-in?next="+url.QueryEscape(form), got.header.Get("Location"), "who was never signed in")
	require.NotContains(t, outsider.get(t, got.header.Get("Location")).body, "session ended")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, br.base+form, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("HX-Request", "true")
	r.Header.Set("Referer", br.base+form)
	got = outsider.send(t, r)
	require.Equal(t, http.StatusNoContent, got.status, "a part of a page is not replaced by the sign-in page")
	require.Equal(t, "/sign-in?ended=page&next="+url.QueryEscape(form), got.header.Get("HX-Redirect"))
	r.Header.Set("Referer", "https://evil.example"+form)
	require.NotContains(t, outsider.send(t, r).header.Get("HX-Redirect"), "ended", "another site says nothing")
}

func TestSingleKeyShortcutsCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	require.NotContains(t, br.visited(t, profile).body, "data-shortcuts-off")
	require.Equal(t, http.StatusSeeOther, br.post(t, profile+"/shortcuts", url.Values{}).status)
	require.Contains(t, br.visited(t, profile).body, "data-shortcuts-off")
	other := b.browser(t)
	other.signIn(t)
	require.Contains(t, other.visited(t, profile).body, "data-shortcuts-off", "in every browser of the person")
	require.Equal(t, http.StatusSeeOther, br.post(t, profile+"/shortcuts", url.Values{"shortcuts": {"on"}}).status)
	require.NotContains(t, br.visited(t, profile).body, "data-shortcuts-off")
}

func TestEmptyInstallationShowsSetup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	require.NotContains(t, br.get(t, "/sign-in").body, "No users yet")
	postgrestest.Exec(t, b.dsn, `TRUNCATE app_user CASCADE`)
	require.Equal(t, "/sign-in", br.get(t, "/").header.Get("Location"))
	require.Contains(t, br.get(t, "/sign-in").body, "No users yet. Open the link that <code>console</code> has logged")
}

// TestLastOwnerErrorIsShownInRow checks that the page stays.
func TestLastOwnerErrorIsShownInRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	members := "/w/" + b.acme.ID.String() + "/settings/members"
	br.visited(t, members)
	got := br.post(t, members+"/"+b.person.ID.String()+"/role", url.Values{"role": {"VIEWER"}})
	require.Equal(t, http.StatusConflict, got.status)
	_, list, _ := strings.Cut(got.body, `class="list bare"`)
	row := regexp.MustCompile(`(?s)<li>.*?</li>`).FindString(list)
	require.Contains(t, row, `class="fault" role="alert"`)
	require.NotContains(t, got.body, "Not done")
}

// TestEventsAreFilteredByObject reads the log newest first, by kind, by type and by the object's ID.
func TestEventsAreFilteredByObject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	events := filled("/w/{workspace}/developers/events", ours.wildcards)
	listed := func(query string) []string {
		var types []string
		for _, found := range regexp.MustCompile(`/developers/events/[^"]+">([^<]+)</a>`).FindAllStringSubmatch(br.visited(t, events+query).body, -1) {
			types = append(types, found[1])
		}
		return types
	}
	require.Equal(t, []string{"webhook.test", "post.created"}, listed(""), "newest first")
	require.Equal(t, []string{"post.created"}, listed("?type=post"))
	require.Equal(t, []string{"webhook.test"}, listed("?type=webhook.test"))
	require.Equal(t, []string{"post.created"}, listed("?object="+ours.wildcards["post"]))
	require.Empty(t, listed("?object="+ident.New[ident.Post]().String()))
	created := regexp.MustCompile(`href="([^"]+)">post.created`).FindStringSubmatch(br.visited(t, events).body)
	require.NotNil(t, created)
	require.Contains(t, br.visited(t, created[1]).body, filled(`href="/w/{workspace}/posts/`, ours.wildcards)+ours.wildcards["post"])
}

// TestAuditLogShowsReadableDetails shows entries whose stored details are identifiers, and filters them.
func TestAuditLogShowsReadableDetails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	for _, e := range []audit.Entry{
		{Action: audit.MemberRoleChanged, Subject: "Grace <grace@example.com>", Detail: "EDITOR to ADMIN", Actor: "Ada"},
		{Action: audit.LogoChanged, Detail: "workspace logo: 1", Actor: "Ada"},
		{Action: audit.WebhookRedelivered, Subject: "https://hooks.example.com", Detail: ident.New[ident.Delivery]().String(), Actor: "Ada"},
		{Action: audit.KeyCreated, Subject: "Script", Detail: "svc_live_x", Actor: "operator"},
	} {
		e.ID, e.WorkspaceID, e.At = ident.New[ident.Audit](), b.acme.ID, b.clock.Now()
		require.NoError(t, postgres.NewAudit(b.db).Insert(t.Context(), e))
	}
	page := "/w/" + b.acme.ID.String() + "/settings/audit"
	titles := func(query string) []string {
		var found []string
		for _, one := range regexp.MustCompile(`<strong>([^<]+)</strong><p class="meta">([^<]*)</p>`).FindAllStringSubmatch(br.visited(t, page+query).body, -1) {
			found = append(found, one[1]+" | "+one[2])
		}
		return found
	}
	require.Equal(t, []string{
		"API key created: Script | Operator of the installation · svc_live_x",
		"Delivery sent again: https://hooks.example.com | Ada",
		"Logo changed | Ada",
		"Role changed: Grace &lt;grace@example.com&gt; | Ada · Editor to Admin",
	}, titles(""))
	require.Len(t, titles("?about=keys"), 1)
	require.Len(t, titles("?about=members"), 1)
	require.Len(t, titles("?about=unknown"), 4)
}

// TestChannelsOfSameNetworkAreDistinguished has a page and a profile of one name on LinkedIn.
func TestChannelsOfSameNetworkAreDistinguished(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	for _, typ := range []channel.Type{channel.LinkedInPage, channel.LinkedInProfile, channel.TikTokPersonal, channel.TikTokBusiness} {
		require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), channel.Channel{
			ID: ident.New[ident.Channel](), WorkspaceID: b.acme.ID, Name: "birchwood", Type: typ, ExternalID: string(typ),
			IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.clock.Now(),
		}, channel.Credentials{AccessToken: "x"}))
	}
	list := br.visited(t, "/w/"+b.acme.ID.String()+"/channels").body
	filter := br.visited(t, "/w/"+b.acme.ID.String()+"/posts").body
	for _, name := range []string{"LinkedIn page", "LinkedIn profile", "TikTok", "TikTok Business"} {
		require.Contains(t, list, ">"+name+"</p>")
		require.Contains(t, filter, ">birchwood · "+name+"</option>")
	}
	require.Contains(t, list, `<span class="ch ch-linkedin"><svg class="mark"`)
	require.Contains(t, list, `<span class="initials" aria-hidden="true">B</span>`, "it has no avatar")
}

// TestNewKeyShowsSampleCommand checks that the sample can be run unchanged.
func TestNewKeyShowsSampleCommand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	keys := "/w/" + b.acme.ID.String() + "/developers/keys"
	br.visited(t, keys)
	got := br.post(t, keys, url.Values{"name": {"Script"}, "scope": {"channels:read"}, "expires": {"90 days"}})
	key := regexp.MustCompile(`svc_live_[0-9A-Za-z]{38}`).FindString(got.body)
	require.NotEmpty(t, key)
	require.Contains(t, got.body, `curl -H &#34;Authorization: Bearer `+key+`&#34; `)
	require.Contains(t, got.body, "/v1/workspace</code>")
	require.Contains(t, got.body, `/docs"`)
}

// TestViewersSeeNoEmptySections also checks that their programs are a tab of the settings.
func TestViewersSeeNoEmptySections(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, b.acme, member.Viewer).Email)
	base := "/w/" + b.acme.ID.String()
	require.NotContains(t, br.visited(t, base+"/posts").body, base+"/developers")
	require.Contains(t, br.visited(t, base+"/settings/programs").body, `aria-current="page">Programs</a>`)
	require.Contains(t, br.visited(t, "/programs").body, `data-live=`, "it is within the frame")
}
