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

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := "/w/" + b.acme.ID.String() + "/developers/keys"
	br := b.browser(t)
	br.signIn(t)
	require.Contains(t, br.visited(t, keys).body, "No API keys yet")
	for want, form := range map[string]url.Values{
		"Enter a name.":                   {"name": {" "}, "scope": {"posts:write"}, "expires": {"90 days"}},
		"Choose at least one permission.": {"name": {"x"}, "expires": {"90 days"}},
		"You cannot give the permission":  {"name": {"x"}, "scope": {"keys:manage"}, "expires": {"90 days"}},
		"Choose how long the key works.":  {"name": {"x"}, "scope": {"posts:write"}, "expires": {"ever"}},
	} {
		br.visited(t, keys)
		got := br.post(t, keys, form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
	}
	br.visited(t, keys)
	got := br.post(t, keys, url.Values{
		"name": {"<b>Script</b>"}, "scope": {"posts:write", "channels:read"}, "expires": {"90 days"},
	})
	require.Equal(t, http.StatusCreated, got.status)
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	found := regexp.MustCompile(`svc_live_[0-9A-Za-z]{38}`).FindString(got.body)
	require.NotEmpty(t, found)
	require.Contains(t, got.body, "&lt;b&gt;Script&lt;/b&gt;")
	p, err := b.app.Authenticate(t.Context(), found)
	require.NoError(t, err)
	require.Equal(t, b.acme.ID, p.WorkspaceID)
	require.Equal(t, []credential.Scope{"posts:write", "channels:read"}, p.Key.Scopes)
	require.Equal(t, b.clock.Now().AddDate(0, 0, 90), p.Key.ExpiresAt.UTC())
	require.NotContains(t, br.visited(t, keys).body, found, "it is shown once")
	revoke := regexp.MustCompile(`action="([^"]+/revoke)"`).FindStringSubmatch(br.last.body)
	require.NotNil(t, revoke)
	require.Equal(t, http.StatusSeeOther, br.post(t, revoke[1], url.Values{}).status)
	require.Contains(t, br.visited(t, keys).body, "Revoked")
	require.Equal(t, []string{"key.created", "key.revoked"},
		postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry ORDER BY id`))
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hooks := "/w/" + b.acme.ID.String() + "/developers/webhooks"
	br := b.browser(t)
	br.signIn(t)
	for want, form := range map[string]url.Values{
		"Enter the receiver’s address.":   {"all": {"yes"}},
		"Choose at least one event":       {"url": {"https://hooks.example.com/"}},
		"Start the address with https://": {"url": {"http://127.0.0.1/"}, "all": {"yes"}},
		"Choose at least one event.":      {"url": {"https://hooks.example.com/"}, "event": {"post.exploded"}},
	} {
		br.visited(t, hooks)
		got := br.post(t, hooks, form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
	}
	br.visited(t, hooks)
	got := br.post(t, hooks, url.Values{"url": {"https://hooks.example.com/"}, "event": {"post.published", "post.failed"}})
	require.Equal(t, http.StatusCreated, got.status, got.body)
	first := regexp.MustCompile(`whsec_[0-9A-Za-z+/=]+`).FindString(strings.ReplaceAll(got.body, "&#43;", "+"))
	require.NotEmpty(t, first)
	require.Equal(t, []string{"{post.published,post.failed}"}, postgrestest.Column(t, b.dsn, `SELECT events::text FROM webhook`))
	path := regexp.MustCompile(`action="([^"]+)/test"`).FindStringSubmatch(got.body)[1]
	news := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: b.acme.ID, Name: "News", Type: channel.Bluesky, ExternalID: "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), news, channel.Credentials{AccessToken: "x"}))
	for _, channels := range [][]string{{news.ID.String()}, {}} {
		br.visited(t, path)
		form := url.Values{"url": {"https://hooks.example.com/"}, "event": {"post.published", "post.failed"}, "channel": channels}
		require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status)
		require.ElementsMatch(t, channels, postgrestest.Column(t, b.dsn, `SELECT unnest(channel_ids) FROM webhook`))
		for _, id := range channels {
			require.Contains(t, br.visited(t, path).body, `value="`+id+`" checked`)
		}
	}
	require.NotContains(t, br.visited(t, path).body, "whsec_", "it is shown once")
	got = br.post(t, path+"/rotate", url.Values{})
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, "whsec_")
	br.visited(t, path)
	require.Equal(t, http.StatusConflict, br.post(t, path+"/rotate", url.Values{}).status, "the secret before still signs")
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/test", url.Values{}).status)
	require.Equal(t, []string{"webhook.test"}, postgrestest.Column(t, b.dsn, `SELECT type FROM event`))
	for _, active := range []string{"no", "yes"} {
		br.visited(t, path)
		require.Equal(t, http.StatusSeeOther, br.post(t, path+"/active", url.Values{"active": {active}}).status)
		require.Equal(t, []string{map[string]string{"no": "false", "yes": "true"}[active]},
			postgrestest.Column(t, b.dsn, `SELECT is_active::text FROM webhook`))
	}
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path, url.Values{
		"url": {"https://hooks.example.com/new"}, "all": {"yes"}, "description": {"Main"},
	}).status)
	require.Contains(t, br.visited(t, path).body, "https://hooks.example.com/new")
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/replay", url.Values{"since": {"day"}, "only": {"failed"}}).status)
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/delete", url.Values{}).status)
	require.Equal(t, http.StatusNotFound, br.get(t, path).status)
}

// TestDeliveries shows a delivery with its attempt and sends it again.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	postgrestest.Exec(t, b.dsn, `INSERT INTO delivery_attempt (delivery_id, n, trigger, started_at, duration_ms, status_code, response, error_class,
			request_headers, response_headers)
		SELECT id, 1, 'AUTOMATIC', now(), 12, 500, '<script>alert(1)</script>', 'http_status',
			'X-Service-Signature: t=1,v1=it''s' || chr(10) || 'Content-Type: application/json', 'Server: nginx' FROM delivery`)
	postgrestest.Exec(t, b.dsn, `UPDATE delivery SET attempts = 1`)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	path := filled("/w/{workspace}/developers/webhooks/{webhook}", ours.wildcards)
	require.Contains(t, br.visited(t, path).body, "webhook.test")
	path = filled(path+"/deliveries/{delivery}", ours.wildcards)
	page := br.visited(t, path)
	require.Contains(t, page.body, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.Contains(t, page.body, "<strong>500 Internal Server Error</strong>")
	require.Contains(t, page.body, ">Server: nginx</pre>")
	require.Contains(t, page.body, html.EscapeString(`curl -i 'https://hooks.example.com' -H 'X-Service-Signature: t=1,v1=it'\''s' -H 'Content-Type: application/json' --data-binary '{`),
		"each part is quoted for a shell")
	require.Contains(t, page.body, "webhookId", "the body that was sent")
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/redeliver", url.Values{}).status)
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM redelivery`), 1)
}

func TestPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	list := filled("/w/{workspace}/posts", ours.wildcards)
	path := filled(list+"/{post}", ours.wildcards)
	require.Contains(t, br.visited(t, list).body, "Secret of Ours")
	require.Contains(t, br.visited(t, list+"?status=published").body, "Nothing published yet")
	for _, step := range []struct{ action, status, said string }{
		{"archive", "ARCHIVED", "Post archived."},
		{"unarchive", "DRAFT", "Post restored."},
		{"request-approval", "PENDING_APPROVAL", "Sent for approval."},
		{"reject", "DRAFT", "Changes requested.</span>"},
		{"publish", "SCHEDULED", "Publishing now."},
		{"unschedule", "DRAFT", "Moved back to drafts.</span>"},
	} {
		br.visited(t, path)
		got := br.post(t, path+"/"+step.action, url.Values{"comment": {"Not <b>yet</b>"}})
		require.Equal(t, http.StatusSeeOther, got.status, "%s: %s", step.action, got.body)
		require.Contains(t, br.visited(t, path).body, step.said)
		require.NotContains(t, br.visited(t, path).body, step.said, "it is said once")
		require.Equal(t, []string{step.status}, postgrestest.Column(t, b.dsn, `SELECT status FROM post`), step.action)
	}
	require.Contains(t, br.last.body, " by Grace Hopper</p>", "the timeline names the person")
	require.NotRegexp(t, `[^"]\d{4}-\d\d-\d\dT`, br.last.body, "times are in the zone of the workspace")
	require.Contains(t, br.last.body, "Not &lt;b&gt;yet&lt;/b&gt;")
	br.visited(t, path)
	got := br.post(t, path+"/unarchive", url.Values{})
	require.Equal(t, http.StatusConflict, got.status)
	require.Contains(t, got.body, "does not allow unarchive")
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/delete", url.Values{}).status)
	require.Equal(t, http.StatusNotFound, br.get(t, path).status)
}

// TestDeletingPosts deletes posts in every state as members of every role.
func TestDeletingPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	path := filled("/w/{workspace}/posts/{post}", ours.wildcards)
	for _, role := range member.Roles() {
		br := b.browser(t)
		br.signInAs(t, b.membership(t, ours.workspace, role).Email)
		for status, needs := range map[post.Status]credential.Permission{
			post.Draft: credential.PostsWrite, post.PendingApproval: credential.PostsWrite, post.Scheduled: credential.PostsPublish,
			post.Failed: credential.PostsPublish, post.Archived: credential.PostsArchive,
		} {
			postgrestest.Exec(t, b.dsn, `UPDATE post SET status = $1, revision = revision + 1, scheduled_at = now() + interval '1 hour',
				approval_status = CASE WHEN $1 = 'PENDING_APPROVAL' THEN 'PENDING' END,
				archived_from = CASE WHEN $1 = 'ARCHIVED' THEN 'DRAFT' END, error_code = CASE WHEN $1 = 'FAILED' THEN 'X' END,
				error_message = CASE WHEN $1 = 'FAILED' THEN 'No.' END, error_retryable = CASE WHEN $1 = 'FAILED' THEN true END`, string(status))
			page := br.visited(t, path)
			require.Equal(t, role.Allows(needs), strings.Contains(page.body, path+"/delete"), "%s %s", role, status)
			br.visited(t, filled("/w/{workspace}/settings/profile", ours.wildcards)) // has a form, for the token
			got := br.post(t, path+"/delete", url.Values{})
			if !role.Allows(needs) {
				require.Equal(t, http.StatusForbidden, got.status, "%s %s", role, status)
				require.Contains(t, got.body, "Your role doesn’t allow")
				require.Equal(t, http.StatusOK, br.get(t, path).status)
				continue
			}
			require.Equal(t, http.StatusSeeOther, got.status, "%s %s: %s", role, status, got.body)
			require.Equal(t, http.StatusNotFound, br.get(t, path).status)
			ours.wildcards["post"] = b.post(t, ours)
			path = filled("/w/{workspace}/posts/{post}", ours.wildcards)
		}
	}
}

// post creates another draft, and returns its ID.
func (b *bundle) post(t *testing.T, of tenant) string {
	t.Helper()
	id, err := ident.Parse[ident.Channel](of.wildcards["channel"])
	require.NoError(t, err)
	created, err := post.Create(post.NewPost{
		WorkspaceID: of.workspace.ID, ChannelID: id, ContentType: post.ContentPost, Content: "Another",
	}, b.clock.Now(), "user Ada")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(b.db).Insert(t.Context(), []post.Change{created}))
	return created.Post.ID.String()
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := filled("/w/{workspace}/channels/{channel}", ours.wildcards)
	slots := func() []string {
		return postgrestest.Column(t, b.dsn, `SELECT weekday || ' ' || minute FROM channel_slot ORDER BY weekday, minute`)
	}
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/schedule",
		url.Values{"time": {"09:30"}, "weekday": {"MONDAY", "FRIDAY"}}).status)
	require.Equal(t, []string{"1 570", "5 570"}, slots())
	for want, form := range map[string]url.Values{
		"Choose at least one day.":          {"time": {"10:00"}},
		"Choose a time.":                    {"weekday": {"MONDAY"}},
		"Enter a time from 00:00 to 23:59.": {"time": {"25:00"}, "weekday": {"MONDAY"}},
	} {
		br.visited(t, path)
		got := br.post(t, path+"/schedule", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/schedule", url.Values{"slot": {"FRIDAY 09:30"}}).status)
	require.Equal(t, []string{"5 570"}, slots(), "what is not ticked is removed")
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/schedule", url.Values{"slot": {"FRIDAY 09:30"}}).status)
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM audit_entry WHERE action = 'channel.schedule_changed'`), 2,
		"nothing was changed")
	br.visited(t, path)
	got := br.post(t, path+"/schedule", url.Values{"slot": {"FRIDAY 09:30"}, "timezone": {"Mars/Olympus"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Choose a time zone from the list")
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/schedule",
		url.Values{"slot": {"FRIDAY 09:30"}, "timezone": {"Europe/Oslo"}}).status)
	require.Equal(t, []string{"Europe/Oslo"}, postgrestest.Column(t, b.dsn, `SELECT timezone FROM channel`))
	postgrestest.Exec(t, b.dsn, `DELETE FROM channel_timeline WHERE detail LIKE 'Time zone%'`)
	for _, step := range []struct{ action, want string }{{"pause", "true"}, {"resume", "false"}} {
		br.visited(t, path)
		require.Equal(t, http.StatusSeeOther, br.post(t, path+"/"+step.action, url.Values{"late": {"publish"}}).status)
		require.Equal(t, []string{step.want}, postgrestest.Column(t, b.dsn, `SELECT is_queue_paused::text FROM channel`))
	}
	_, history, found := strings.Cut(br.visited(t, path).body, "<h2 id=\"history\">")
	require.True(t, found)
	require.Equal(t, []string{"Schedule changed", "Schedule changed"}, regexp.MustCompile(`Schedule changed`).FindAllString(history, -1))
	require.Contains(t, history, "Weekly times: 1.</p>")
	require.Less(t, strings.Index(history, "Paused"), strings.Index(history, "Schedule changed"), "newest first")
	require.Contains(t, history, "<strong>Paused</strong></p>")
	require.Contains(t, history, "<strong>Resumed</strong></p>")
	require.Contains(t, history, " · Grace Hopper</p>")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/w/" + b.acme.ID.String() + "/settings"
	br := b.browser(t)
	br.signIn(t)
	require.Contains(t, br.visited(t, path).body, "Growth plan")
	require.Contains(t, br.last.body, `name="hold" type="text" value="24"`)
	got := br.post(t, path, url.Values{"name": {""}, "timezone": {"Mars/Olympus"}, "hold": {"169"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Equal(t, 3, strings.Count(got.body, `class="fault"`))
	for _, bad := range []string{"", "-1", "168.1", "a day", "NaN", "1e9", "+Inf"} {
		br.visited(t, path)
		got = br.post(t, path, url.Values{"name": {"Acme"}, "timezone": {"Europe/Oslo"}, "hold": {bad}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, bad)
		require.Contains(t, got.body, "Enter a number of hours from 0 to 168.", bad)
	}
	for hold, seconds := range map[string]string{"0": "0", "1.5": "5400", "168": "604800"} {
		br.visited(t, path)
		require.Equal(t, http.StatusSeeOther, br.post(t, path,
			url.Values{"name": {"Acme"}, "timezone": {"Europe/Oslo"}, "hold": {hold}}).status)
		require.Contains(t, br.visited(t, path).body, "Europe/Oslo")
		require.Contains(t, br.last.body, `name="hold" type="text" value="`+hold+`"`)
		require.Equal(t, []string{seconds}, postgrestest.Column(t, b.dsn, `SELECT reconnect_hold_seconds::text FROM workspace`))
	}
	require.Contains(t, postgrestest.Column(t, b.dsn, `SELECT subject || ': ' || detail FROM audit_entry WHERE action = 'workspace.changed'`),
		"Acme: Europe/Oslo, posts wait for a lost connection for at most 1h30m0s")
	reader := b.browser(t)
	reader.signInAs(t, b.membership(t, b.acme, member.Viewer).Email)
	require.Regexp(t, `<dd>[0-9.]+ hours`, reader.visited(t, path).body)
	require.NotContains(t, reader.last.body, `name="hold"`)
}

// TestAssets checks that pages load only the application's own files, whose names change with their content.
func TestAssets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	page := br.visited(t, "/w/"+b.acme.ID.String()+"/posts")
	policy := page.header.Get("Content-Security-Policy")
	require.Contains(t, policy, "script-src 'self';")
	require.NotContains(t, policy, "unsafe")
	require.NotRegexp(t, `<script(>| [^>]*>[^<])|<style| style=| on[a-z]+="`, page.body)
	found := regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(page.body, -1)
	loaded := 0
	for _, match := range found {
		if strings.HasPrefix(match[1], "data:") {
			continue
		}
		require.Regexp(t, `^/`, match[1])
		if strings.HasPrefix(match[1], "/assets/") {
			loaded++
			got := br.get(t, match[1])
			require.Equal(t, http.StatusOK, got.status)
			require.Contains(t, got.header.Get("Cache-Control"), "immutable")
			require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
		}
	}
	require.Equal(t, 9, loaded)
	require.Equal(t, http.StatusNotFound, br.get(t, "/assets/app.css").status)
}

// TestConsentIsLimitedByRole checks that members cannot let programs do what they may not do themselves.
func TestConsentIsLimitedByRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	contributor := b.membership(t, b.acme, member.Contributor)
	br := b.browser(t)
	br.signInAs(t, contributor.Email)
	handle := b.asks(t, "posts:write posts:publish")
	br.get(t, "/consent?request="+handle)
	form := url.Values{
		"request": {handle}, "decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:write", "posts:publish"},
	}
	got := br.post(t, "/consent", form)
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "you cannot allow them: posts:publish")
	form.Set("scope", "posts:write")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/consent", form).status)
}

// TestPageWeights checks that the first load of each page, without pictures, is at most 180 kB, and that a page after it loads
// at most 40 kB more.
func TestPageWeights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	var posts []post.Change
	for range 40 {
		channelID, err := ident.Parse[ident.Channel](ours.wildcards["channel"])
		require.NoError(t, err)
		created, err := post.Create(post.NewPost{
			WorkspaceID: ours.workspace.ID, ChannelID: channelID, ContentType: post.ContentPost,
			Content: strings.Repeat("A text that fills a line. ", 20),
		}, b.clock.Now(), "user Ada")
		require.NoError(t, err)
		posts = append(posts, created)
	}
	require.NoError(t, postgres.NewPosts(b.db).Insert(t.Context(), posts))
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	transferred := func(path string) (page, int) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, br.base+path, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Accept-Encoding", "gzip") // the client then keeps the response as it was sent
		got := br.send(t, r)
		require.Less(t, got.status, http.StatusBadRequest, path)
		return got, len(got.body)
	}
	const first, later = 180_000, 40_000
	kept := make(map[string]bool) // in the cache of the browser
	for _, route := range b.routes(t) {
		if route.Access != frame.Members || route.Method() != http.MethodGet || route.Stream {
			continue
		}
		if strings.Contains(route.Path(), "{attempt}") || strings.Contains(route.Path(), "import}") { // only who began them sees them
			continue
		}
		shown, weight := transferred(filled(route.Path(), ours.wildcards))
		added := weight
		for _, match := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(shown.body, -1) {
			_, packed := transferred(match[1])
			weight += packed
			if !kept[match[1]] {
				added += packed
			}
		}
		require.LessOrEqual(t, weight, first, route.Pattern)
		if len(kept) > 0 {
			require.LessOrEqual(t, added, later, route.Pattern)
		}
		for _, match := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(shown.body, -1) {
			kept[match[1]] = true
		}
	}
}

// TestReferencedPagesExist checks that the pages to which texts of other programs refer exist.
func TestReferencedPagesExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	exists := map[string]bool{}
	for _, route := range b.routes(t) {
		if route.Method() == http.MethodGet {
			exists[route.Path()] = true
		}
	}
	for _, page := range app.AppPages() {
		require.True(t, exists[string(page)], page)
	}
}

func TestNewWorkspaceSteps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for role, want := range map[member.Role][]string{
		member.Owner:  {"Connect a channel", "Create an API key", "Create your first post"},
		member.Viewer: nil,
	} {
		br := b.browser(t)
		br.signInAs(t, b.membership(t, b.acme, role).Email)
		page := br.visited(t, "/w/"+b.acme.ID.String()+"/posts").body
		require.Equal(t, want != nil, strings.Contains(page, "Next steps"), role)
		for _, step := range want {
			require.Contains(t, page, "<strong>"+step+"</strong>")
		}
		require.NotContains(t, br.visited(t, "/w/"+b.acme.ID.String()+"/posts?status=failed").body, "Next steps")
	}
	// with a channel, and without the permission to make keys
	ours := b.furnish(t, "Ours")
	postgrestest.Exec(t, b.dsn, `DELETE FROM post`)
	for _, role := range []member.Role{member.Editor, member.Contributor, member.Viewer} {
		br := b.browser(t)
		br.signInAs(t, b.membership(t, ours.workspace, role).Email)
		_, list, found := strings.Cut(br.visited(t, filled("/w/{workspace}/posts", ours.wildcards)).body, `<section aria-label="Posts"`)
		require.True(t, found)
		require.Contains(t, list, "No posts yet")
		require.NotContains(t, list, "API key", role)
		require.NotContains(t, list, "/developers/keys", "the page is forbidden to %s", role)
	}
}

// TestWorkspaceIsDeleted checks the page, the days in which an owner can keep the workspace, and that then no table and no
// object has anything of it.
func TestWorkspaceIsDeleted(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	owner := b.membership(t, ours.workspace, member.Owner)
	br.signInAs(t, owner.Email)
	path := "/w/" + ours.workspace.ID.String() + "/settings/delete"
	require.Contains(t, br.visited(t, path).body, "1 channel, whose access we ask the networks to revoke.")
	got := br.post(t, path, url.Values{"name": {"Theirs"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Enter the name of the workspace: Ours")
	deleted := func() {
		require.Equal(t, http.StatusSeeOther, br.post(t, path, url.Values{"name": {"Ours"}}).status)
		require.Contains(t, br.visited(t, path).body, "Ours will be deleted</strong> on")
		require.Contains(t, br.last.body, "All publishing is stopped")
	}
	deleted()
	require.Equal(t, []string{"true"}, postgrestest.Column(t, b.dsn,
		`SELECT count(*) > 0 FROM mail WHERE kind = 'WORKSPACE_DELETION'`), "every owner is mailed")
	got = br.post(t, "/w/"+ours.workspace.ID.String()+"/publishing/resume", url.Values{"late": {"publish"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "An owner has to keep it first")

	b.clock.Advance(workspace.DeletionGrace - time.Hour)
	require.NoError(t, b.connections.EraseWorkspaces(t.Context()))
	br.signInAs(t, owner.Email)
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/keep", url.Values{}).status)
	require.NotContains(t, br.visited(t, path).body, "will be deleted")
	b.clock.Advance(2 * time.Hour)
	require.NoError(t, b.connections.EraseWorkspaces(t.Context()))
	require.Contains(t, br.visited(t, path).body, "1 channel, whose access", "it stays")
	b.clock.Advance(user.FreshFor)
	require.Contains(t, br.post(t, path, url.Values{"name": {"Ours"}}).header.Get("Location"), "/confirm?next=", "asks for the password")
	br.post(t, "/confirm", url.Values{"password": {secret}, "next": {path}})
	deleted()

	tables := postgrestest.Column(t, b.dsn, `SELECT table_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_name <> 'outbox'`)
	count := func(id ident.Workspace) (used []string) {
		for _, table := range tables {
			rows := postgrestest.Column(t, b.dsn, `SELECT count(*) FROM `+table+` WHERE workspace_id = $1`, id.String())
			if rows[0] != "0" {
				used = append(used, table)
			}
		}
		return used
	}
	kept := count(theirs.workspace.ID)
	require.Greater(t, len(count(ours.workspace.ID)), 15)
	keys := postgrestest.Column(t, b.dsn, `SELECT object_key FROM media WHERE workspace_id = $1`, ours.workspace.ID.String())
	require.NotEmpty(t, keys)
	b.clock.Advance(workspace.DeletionGrace)
	require.NoError(t, b.connections.EraseWorkspaces(t.Context()))
	require.Empty(t, count(ours.workspace.ID))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT id FROM workspace WHERE id = $1 OR live_id = $1`, ours.workspace.ID.String()))
	require.Subset(t, postgrestest.Column(t, b.dsn, `SELECT key FROM loose_object WHERE delete_after <= now()`), keys)
	require.Equal(t, kept, count(theirs.workspace.ID))
	br.signInAs(t, owner.Email)
	require.Equal(t, http.StatusNotFound, br.get(t, path).status)
}
