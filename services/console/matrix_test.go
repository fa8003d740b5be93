package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/evergreen"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/domain/source"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	addresses "fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// tenant is a workspace with one record for each wildcard of the addresses.
type tenant struct {
	workspace workspace.Workspace
	wildcards map[string]string
}

// furnish creates a workspace with an owner of its own.
func (b *bundle) furnish(t *testing.T, name string) tenant {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: name, Plan: workspace.Growth, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	owner := b.membership(t, w, member.Owner)
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: w.ID, Name: "News", Type: channel.Twitter, ExternalID: name,
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), c, channel.Credentials{AccessToken: "x"}))
	created, err := post.Create(post.NewPost{
		WorkspaceID: w.ID, ChannelID: c.ID, ContentType: post.ContentPost, Content: "Secret of " + name,
	}, b.clock.Now(), "user Ada")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(b.db).Insert(t.Context(), []post.Change{created}))
	key := credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: w.ID, Name: "Key", Display: "svc_live_x", Scopes: credential.Scopes(),
		Hash: [32]byte(append([]byte(w.ID.String())[:31], name[0])), CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewKeys(b.db).Insert(t.Context(), key))
	hook := webhook.Endpoint{
		ID: ident.New[ident.Webhook](), WorkspaceID: w.ID, URL: "https://hooks.example.com", Events: []string{"*"}, IsActive: true,
		CreatedAt: b.clock.Now(), UpdatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewWebhooks(b.db, b.box).Insert(t.Context(), hook, webhook.NewSecret()))
	e, err := event.New(w.ID, event.WebhookTest, b.clock.Now(), event.WebhookTestData{WebhookID: hook.ID, Message: "x"})
	require.NoError(t, err)
	events := postgres.NewEvents(b.db)
	require.NoError(t, events.Insert(t.Context(), e, hook.ID))
	_, _, err = events.FanOut(t.Context(), 10)
	require.NoError(t, err)
	delivery := postgrestest.Column(t, b.dsn, `SELECT d.id::text FROM delivery d JOIN event e ON e.id = d.event_id
		WHERE d.workspace_id = $1 AND e.type = 'webhook.test'`, w.ID.String())
	require.Len(t, delivery, 1)
	invitation, err := member.Invite(w.ID, "new@example.com", member.Viewer, owner.ID, b.clock.Now())
	require.NoError(t, err)
	require.NoError(t, postgres.NewInvitations(b.db).Insert(t.Context(), key.Hash, invitation))
	note := plan.Note{
		ID: ident.New[ident.Note](), WorkspaceID: w.ID, Day: b.clock.Now(), Text: "Secret of " + name, Author: "Ada",
		CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewDayNotes(b.db).Insert(t.Context(), note))
	text := snippet.Snippet{
		ID: ident.New[ident.Snippet](), WorkspaceID: w.ID, Kind: snippet.Text, Name: "Secret of " + name, Text: "Secret of " + name,
		CreatedAt: b.clock.Now(), UpdatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewSnippets(b.db).Insert(t.Context(), text))
	of := series.Series{
		ID: ident.New[ident.Series](), WorkspaceID: w.ID, AuthorID: owner.ID, Content: []byte(`{"Content": "Secret of ` + name + `"}`), CreatedAt: b.clock.Now(),
		UpdatedAt: b.clock.Now(), Rule: series.Rule{Unit: series.Day, Every: 1, Start: b.clock.Now(), Zone: "UTC"},
	}
	require.NoError(t, postgres.NewSeries(b.db).Put(t.Context(), of))
	link := clientlink.Link{
		ID: ident.New[ident.ClientLink](), WorkspaceID: w.ID, CreatedBy: owner.ID, Name: "Secret of " + name, Comments: true, Decides: true,
		CreatedAt: b.clock.Now(), ExpiresAt: b.clock.Now().Add(time.Hour), Posts: []clientlink.Shared{{PostID: created.Post.ID}},
	}
	require.NoError(t, postgres.NewClientLinks(b.db).Insert(t.Context(), key.Hash, link))
	ours := campaign.Campaign{
		ID: ident.New[ident.Campaign](), WorkspaceID: w.ID, Name: "Secret of " + name, Color: post.LabelColors()[0],
		CreatedAt: b.clock.Now(), UpdatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewCampaigns(b.db).Insert(t.Context(), ours))
	from := source.Source{
		ID: ident.New[ident.Source](), WorkspaceID: w.ID, AuthorID: owner.ID, URL: "https://feeds.example.com/" + name, Title: "Secret of " + name,
		Template: source.DefaultTemplate, Channels: []ident.Channel{c.ID}, ReadAt: b.clock.Now(), NextAt: b.clock.Now(), CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewSources(b.db).Insert(t.Context(), from))
	green := evergreen.Post{
		ID: ident.New[ident.Evergreen](), WorkspaceID: w.ID, ChannelID: c.ID, AuthorID: owner.ID, Cooldown: 30, CreatedAt: b.clock.Now(),
		Content: []byte(`{"Content": "Secret of ` + name + `"}`),
	}
	require.NoError(t, postgres.NewEvergreens(b.db).Put(t.Context(), green))
	talk, person := b.conversation(t, c, name)
	message := postgrestest.Column(t, b.dsn, `INSERT INTO message_file (message_id, n, name, type, object_key, state)
		SELECT id, 1, 'Secret', 'image/png', 'media/secret', 'READY' FROM message WHERE conversation_id = $1 RETURNING message_id`, talk)
	linkPage, block := b.linkPage(t, w, name)
	noted := b.idea(t, w, name)
	postgrestest.Exec(t, b.dsn, `INSERT INTO request_log (id, workspace_id, key_id, at, method, operation, path, query, status, code,
			duration_us, request_id, client, agent)
		VALUES (gen_random_uuid(), $1, $2, now(), 'GET', 'get-post', '/v1/posts', '', 404, 'NOT_FOUND', 1, 'Secret of ' || $3, '', '')`,
		w.ID.String(), key.ID.String(), name)
	return tenant{w, map[string]string{
		"linkpage": linkPage, "block": block,
		"board": noted["board"], "card": noted["card"], "column": noted["column"], "label": noted["label"],
		"suggestion":   b.suggestion(t, talk),
		"lead":         b.lead(t, w, name),
		"conversation": talk, "person": person, "message": message[0],
		"link": link.ID.String(), "token": "svc_rev_x",
		"evergreen": green.ID.String(),
		"source":    from.ID.String(),
		"series":    of.ID.String(),
		"campaign":  ours.ID.String(),
		"snippet":   text.ID.String(),
		"note":      note.ID.String(),
		"workspace": w.ID.String(), "channel": c.ID.String(), "post": created.Post.ID.String(), "key": key.ID.String(),
		"webhook": hook.ID.String(), "delivery": delivery[0], "event": e.ID.String(), "invitation": invitation.ID.String(),
		"user": b.membership(t, w, member.Editor).ID.String(), "grant": ident.New[ident.Grant]().String(),
		"session": ident.New[ident.Session]().String(), "secret": "svc_inv_x",
		"media": postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: w.ID, Name: "Secret of " + name + ".png", Type: media.Image,
			ContentType: media.ContentTypePNG, Size: 5, CreatedAt: b.clock.Now(),
		}).ID.String(),
		"passkey": ident.New[ident.Passkey]().String(), "id": ident.New[ident.Grant]().String(), "way": "twitter",
		"application": "X_CLIENT_ID", "network": "x", "server": "fosstodon.org", "attempt": ident.New[ident.Connect]().String(),
		"import": ident.New[ident.PlanImport]().String(), "leadimport": ident.New[ident.LeadImport]().String(), "file": "svc_cal_x.ics",
	}}
}

// lead creates a lead without an event, so that no stream names it.
func (b *bundle) lead(t *testing.T, w workspace.Workspace, name string) string {
	t.Helper()
	id := ident.New[ident.Lead]().String()
	postgrestest.Exec(t, b.dsn, `INSERT INTO lead (id, workspace_id, name, source, stage, created_at, updated_at)
		VALUES ($1, $2, 'Secret of ' || $3, 'MANUAL', 'NEW', $4, $4)`, id, w.ID.String(), name, b.clock.Now())
	return id
}

// conversation creates a conversation of a channel with a message of a person, an hour ago, so that no stream names it.
func (b *bundle) conversation(t *testing.T, c channel.Channel, name string) (id, person string) {
	t.Helper()
	id, person = ident.New[ident.Conversation]().String(), ident.New[ident.Person]().String()
	ago := b.clock.Now().Add(-time.Hour)
	postgrestest.Exec(t, b.dsn, `WITH whom AS (INSERT INTO person (id, workspace_id, name) VALUES ($1, $2, '') RETURNING id, workspace_id),
		known AS (INSERT INTO person_identity (workspace_id, network, value, person_id, name, username, seen_at)
			SELECT workspace_id, 'telegram', $4, id, 'Secret of ' || $4, 'secret', $5 FROM whom),
		had AS (INSERT INTO conversation (id, workspace_id, channel_id, kind, thread, person_id, state, last_at, last_in_at, preview, changed_at)
			SELECT $6, workspace_id, $3, 'MESSAGES', $4, id, 'OPEN', $5, $5, 'Secret of ' || $4, $5 FROM whom RETURNING id, workspace_id)
		INSERT INTO message (id, conversation_id, workspace_id, channel_id, direction, external_id, text, sent_at)
			SELECT gen_random_uuid(), id, workspace_id, $3, 'IN', $4, 'Secret of ' || $4, $5 FROM had`,
		person, c.WorkspaceID.String(), c.ID.String(), name, ago, id)
	return id, person
}

// suggestion suggests the person of a conversation as a lead.
func (b *bundle) suggestion(t *testing.T, conversation string) string {
	t.Helper()
	id := ident.New[ident.Suggestion]().String()
	postgrestest.Exec(t, b.dsn, `INSERT INTO lead_suggestion (id, workspace_id, person_id, conversation_id, state, score)
		SELECT $1, workspace_id, person_id, id, 'OPEN', 40 FROM conversation WHERE id = $2`, id, conversation)
	return id
}

// attempts begins an attempt to connect in each workspace with the session of the browser, and an import of posts of its
// person.
func (b *bundle) attempts(t *testing.T, br *browser, tenants ...tenant) {
	t.Helper()
	for _, of := range tenants {
		a, _, err := b.connections.Begin(t.Context(), app.Principal{
			WorkspaceID: of.workspace.ID, Key: credential.Key{Scopes: []credential.Scope{credential.ChannelsConnect}},
		}, app.BeginConnect{Session: br.binding(t), Type: channel.Twitter})
		require.NoError(t, err)
		of.wildcards["attempt"] = a.ID.String()
		of.wildcards["import"] = b.planImport(t, br, of)
		of.wildcards["leadimport"] = b.leadImport(t, br, of)
	}
}

// binding returns the text that the application binds to the session of the browser.
func (br *browser) binding(t *testing.T) string {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(br.cookie(t)))
	mac.Write([]byte("binding"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// membership creates a user with the password of the tests, and a membership.
func (b *bundle) membership(t *testing.T, w workspace.Workspace, role member.Role) user.User {
	t.Helper()
	u, err := user.New(strings.ToLower(string(role))+"."+ident.New[ident.User]().String()[24:]+"@example.com", "Grace Hopper",
		b.person.PasswordHash, b.clock.Now())
	require.NoError(t, err)
	_, err = b.users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.NoError(t, b.users.Join(t.Context(), u.ID, w.ID, role, b.clock.Now()))
	return u
}

func (br *browser) signInAs(t *testing.T, address addresses.Address) {
	t.Helper()
	br.get(t, "/sign-in")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in",
		url.Values{"email": {string(address)}, "password": {secret}}).status)
}

// filled replaces the wildcards of a path.
func filled(path string, wildcards map[string]string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, "{"); ok && name != "$}" {
			parts[i] = wildcards[strings.TrimSuffix(name, "}")]
		}
	}
	return strings.TrimSuffix(strings.Join(parts, "/"), "{$}")
}

// call sends a request of a route.
func (br *browser) call(t *testing.T, method, path string) page {
	t.Helper()
	if method == http.MethodGet {
		return br.get(t, path)
	}
	return br.post(t, path, url.Values{})
}

func (b *bundle) routes(t *testing.T) []frame.Route {
	t.Helper()
	cfg := b.config
	cfg.Components = true
	site, err := New(cfg)
	require.NoError(t, err)
	require.Greater(t, len(site.Routes()), 40)
	return site.Routes()
}

// entered requires that every wildcard of a route has a record of the tenant, so that a new route cannot be tested with an
// empty part.
func (of tenant) entered(t *testing.T, route frame.Route) {
	t.Helper()
	for _, part := range strings.Split(route.Path(), "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok && name != "$}" {
			require.NotEmpty(t, of.wildcards[strings.TrimSuffix(name, "}")], "%s: furnish has no record for %s", route.Pattern, part)
		}
	}
}

// TestEveryRouteByRole calls every route of a workspace as a member of every role, with IDs of the own workspace and of
// another one, from the table of routes.
func TestEveryRouteByRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	for _, role := range member.Roles() {
		br := b.browser(t)
		br.signInAs(t, b.membership(t, ours.workspace, role).Email)
		b.attempts(t, br, ours, theirs)
		for _, route := range b.routes(t) {
			if route.Access != frame.Members {
				require.False(t, strings.HasPrefix(route.Path(), "/w/"), route.Pattern)
				continue
			}
			ours.entered(t, route)
			foreign := br.call(t, route.Method(), filled(route.Path(), theirs.wildcards))
			require.Equal(t, http.StatusNotFound, foreign.status, "%s %s", role, route.Pattern)
			require.NotContains(t, foreign.body, "Secret of Theirs")
			allowed := route.Needs == "" || role.Allows(route.Needs)
			for name, id := range theirs.wildcards { // each ID alone is of the other workspace
				if name == "workspace" || name == "way" || name == "application" || !strings.Contains(route.Path(), "{"+name+"}") {
					continue
				}
				mixed := map[string]string{}
				for wildcard, own := range ours.wildcards {
					mixed[wildcard] = own
				}
				mixed[name] = id
				want := http.StatusNotFound
				if !allowed {
					want = http.StatusForbidden
				}
				got := br.call(t, route.Method(), filled(route.Path(), mixed))
				require.Equal(t, want, got.status, "%s %s %s", role, route.Pattern, name)
				require.NotContains(t, got.body, "Secret of Theirs")
			}
			switch {
			case !allowed:
				got := br.call(t, route.Method(), filled(route.Path(), ours.wildcards))
				require.Equal(t, http.StatusForbidden, got.status, "%s %s", role, route.Pattern)
				require.Contains(t, got.body, "Your role doesn’t allow this. Ask an owner or admin.")
			case route.Stream:
				stream := br.watch(t, filled(route.Path(), ours.wildcards), "")
				require.Equal(t, http.StatusOK, stream.status, "%s %s", role, route.Pattern)
				stream.close()
			case route.Method() == http.MethodGet:
				got := br.call(t, route.Method(), filled(route.Path(), ours.wildcards))
				require.Less(t, got.status, http.StatusBadRequest, "%s %s", role, route.Pattern)
			}
		}
	}
	require.Equal(t, []string{"DRAFT", "DRAFT"}, postgrestest.Column(t, b.dsn, `SELECT status FROM post`))
}

// TestEveryFormByRole sends every form that a role may send, in a new workspace each, and checks that the use case behind it
// does not refuse what the route admits.
func TestEveryFormByRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	routes := b.routes(t)
	for _, role := range member.Roles() {
		br := b.browser(t)
		visitor := b.membership(t, b.acme, role)
		_, err := postgres.NewOperators(b.db).Add(t.Context(), visitor.ID) // whom the forms of applications also need
		require.NoError(t, err)
		br.signInAs(t, visitor.Email)
		forms := 0
		for _, route := range routes {
			if route.Method() != http.MethodPost || route.Access != frame.Members || route.Needs != "" && !role.Allows(route.Needs) {
				continue
			}
			forms++
			of := b.furnish(t, "New")
			require.NoError(t, b.users.Join(t.Context(), visitor.ID, of.workspace.ID, role, b.clock.Now()))
			b.attempts(t, br, of)
			if !role.Allows(credential.MembersManage) {
				of.wildcards["user"] = visitor.ID.String() // everyone may leave
			}
			got := br.call(t, http.MethodPost, filled(route.Path(), of.wildcards))
			require.NotEqual(t, http.StatusForbidden, got.status, "%s %s", role, route.Pattern)
			require.Less(t, got.status, http.StatusInternalServerError, "%s %s: %s", role, route.Pattern, got.body)
		}
		require.Positive(t, forms, role)
	}
}

// TestPublicPages lists the addresses that need no session, so that a new one is a decision.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var found []string
	for _, route := range b.routes(t) {
		if route.Access == frame.Anyone || route.Access == frame.Outside {
			found = append(found, route.Pattern)
		}
	}
	require.ElementsMatch(t, []string{
		"GET /manifest.webmanifest", "GET /service-worker.js", "GET /offline",
		"GET /extension", "GET /extension/fencepost-extension.zip", "GET /leads/capture",
		// only in development
		"GET /-/components", "GET /-/components/previews", "GET /-/components/options",
		"GET /-/components/pictures/{hue}/{size}",
		"GET /sign-in", "POST /sign-in", "GET /sign-in/second", "POST /sign-in/second", "POST /sign-in/passkey",
		"POST /sign-in/passkey/options", "POST /sign-in/provider", "GET /sign-in/provider/callback", "POST /sign-out",
		"GET /forgot-password", "POST /forgot-password", "GET /reset-password/{secret}", "POST /reset-password/{secret}",
		"GET /confirm-address/{secret}", "POST /confirm-address/{secret}",
		"GET /setup/{secret}", "POST /setup/{secret}", "GET /invitations/{secret}", "POST /invitations/{secret}",
		"GET /invitations/{secret}/provider", "POST /invitations/{secret}/provider",
		"GET /calendar/{file}",                                                                   // by its secret
		"GET /review/{token}", "POST /review/{token}/enter", "POST /review/{token}/posts/{post}", // by its secret
		"GET /look/{file}",
		"GET /reports/{token}", "POST /reports/{token}", // by its secret
	}, found)
}

// TestCrossSiteFormsAreRefused sends every form from other sites, with the headers of present and of older browsers.
func TestCrossSiteFormsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	owner := b.membership(t, ours.workspace, member.Owner).Email
	br.signInAs(t, owner)
	b.attempts(t, br, ours)
	before := b.contents(t)
	forms := 0
	for _, route := range b.routes(t) {
		if route.Method() != http.MethodPost {
			require.Equal(t, http.MethodGet, route.Method(), route.Pattern)
			continue
		}
		forms++
		path := filled(route.Path(), ours.wildcards)
		for _, headers := range [][]string{
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
			{"Sec-Fetch-Site", "", "Origin", "https://evil.test"},
			{"Sec-Fetch-Site", "", "Origin", "null"},
		} {
			got := br.post(t, path, url.Values{}, headers...)
			require.Equal(t, http.StatusForbidden, got.status, "%s with %q", route.Pattern, headers)
		}
	}
	require.Greater(t, forms, 25)
	require.Equal(t, before, b.contents(t), "nothing was changed")
}

// contents counts the records that forms could change.
func (b *bundle) contents(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.dsn, `SELECT 'members ' || count(*) FROM workspace_member UNION ALL
		SELECT 'keys ' || count(*) FROM api_key WHERE revoked_at IS NULL UNION ALL
		SELECT 'hooks ' || count(*) FROM webhook WHERE deleted_at IS NULL UNION ALL
		SELECT 'posts ' || count(*) FROM post WHERE status = 'DRAFT' UNION ALL
		SELECT 'attempts ' || count(*) FROM connect_attempt WHERE outcome = 'OPEN' UNION ALL
		SELECT 'channels ' || count(*) FROM channel WHERE is_connected UNION ALL
		SELECT 'sessions ' || count(*) FROM user_session UNION ALL
		SELECT 'audit ' || count(*) FROM audit_entry UNION ALL
		SELECT 'invitations ' || count(*) FROM invitation WHERE revoked_at IS NULL`)
}

// TestEveryPageRequiresSession opens every page without signing in, and returns to it afterwards.
func TestEveryPageRequiresSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	for _, route := range b.routes(t) {
		if route.Access == frame.Anyone || route.Access == frame.Outside {
			continue
		}
		br := b.browser(t)
		path := filled(route.Path(), ours.wildcards)
		got := br.call(t, route.Method(), path)
		require.Equal(t, http.StatusSeeOther, got.status, route.Pattern)
		location := got.header.Get("Location")
		require.True(t, strings.HasPrefix(location, "/sign-in"), "%s: %s", route.Pattern, location)
		if route.Method() != http.MethodGet || route.Access != frame.Members {
			continue
		}
		to, err := url.Parse(location)
		require.NoError(t, err)
		require.Equal(t, path, to.Query().Get("next"), route.Pattern)
	}
	br := b.browser(t)
	path := filled("/w/{workspace}/developers/events?type=post.created&after=3", ours.wildcards)
	br.get(t, br.get(t, path).header.Get("Location"))
	require.Equal(t, path, br.post(t, "/sign-in", url.Values{
		"email": {string(b.membership(t, ours.workspace, member.Viewer).Email)}, "password": {secret}, "next": {path},
	}).header.Get("Location"))
	for _, evil := range []string{"//evil.test", "https://evil.test", `/\evil.test`, "/w/../..//evil.test\n", "/w//evil.test/\\"} {
		fresh := b.browser(t)
		fresh.get(t, "/sign-in?next="+url.QueryEscape(evil))
		require.NotContains(t, fresh.last.body, "evil", evil)
		got := fresh.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}, "next": {evil}})
		require.Equal(t, "/", got.header.Get("Location"), evil)
	}
}
