package web_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
)

// samples returns valid arguments for each tool and a tenant.
func (b *bundle) samples(t testing.TB, of tenant) map[string]object {
	t.Helper()
	page := b.page(t, of)
	block := b.call(t, of.key, "add_link_block", object{"pageId": page, "type": "TEXT", "settings": object{"text": "A"}})
	upload := b.call(t, of.key, "create_media_upload",
		object{"fileName": "a.png", "contentType": "image/png", "sizeBytes": 10})
	return map[string]object{
		"list_channels": {},
		"get_post":      {"postId": b.draft(t, of)},
		"list_posts":    {"postId": b.draft(t, of)},
		"get_analytics": {"channelId": of.channel.String()},
		"create_post": {
			"channelIds": []any{of.channel.String()}, "content": "x", "mediaIds": []any{of.video.String()},
		},
		"schedule_post":         {"postId": b.draft(t, of), "scheduledAt": tomorrow()},
		"publish_post":          {"postId": b.draft(t, of)},
		"unschedule_post":       {"postId": b.inState(t, of, post.Scheduled)},
		"approve_post":          {"postId": b.inState(t, of, post.PendingApproval)},
		"reject_post":           {"postId": b.inState(t, of, post.PendingApproval), "comment": "No."},
		"request_approval":      {"postId": b.draft(t, of)},
		"create_media_upload":   {"fileName": "a.png", "contentType": "image/png", "sizeBytes": 10},
		"complete_media_upload": {"mediaId": textAt(t, upload, "mediaId")},
		"list_link_pages":       {},
		"get_link_page":         {"pageId": page},
		"add_link_block":        {"pageId": page, "type": "TEXT", "settings": object{"text": "B"}},
		"update_link_block": {
			"pageId": page, "blockId": textAt(t, block, "block", "id"), "settings": object{"text": "C"},
		},
		"publish_link_page":    {"pageId": page},
		"get_channel_schedule": {"channelId": of.channel.String()},
		"list_boards":          {"channelId": of.channels[channel.Pinterest].String()},
		"validate_post": {
			"channelIds": []any{of.channel.String()}, "content": "x", "mediaIds": []any{of.video.String()},
		},
		"update_post":       {"postId": b.draft(t, of), "content": "y", "mediaIds": []any{of.video.String()}},
		"delete_post":       {"postId": b.draft(t, of)},
		"reschedule_posts":  {"postIds": []any{b.inState(t, of, post.Scheduled)}, "shiftBy": "PT2H"},
		"get_post_timeline": {"postId": b.draft(t, of)},
		"import_media":      {"url": "http://127.0.0.1/refused.png"}, // without a worker, others wait
		"list_media":        {"limit": 1},
	}
}

// needs holds the scopes that a call requires: all, or any one of them.
type needs struct {
	tool      string
	arguments object
	scopes    []credential.Scope
	either    bool
}

// everyNeed returns each tool, and create_post once for each kind of schedule.
func (b *bundle) everyNeed(t testing.TB) []needs {
	t.Helper()
	write, publish := credential.PostsWrite, credential.PostsPublish
	scopes := map[string][]credential.Scope{
		"list_channels": {credential.ChannelsRead}, "get_post": {write, publish}, "list_posts": {write, publish},
		"get_analytics": {credential.AnalyticsRead}, "create_post": {write}, "schedule_post": {publish},
		"publish_post": {publish}, "unschedule_post": {write}, "approve_post": {publish}, "reject_post": {publish},
		"request_approval":    {write},
		"create_media_upload": {credential.MediaWrite}, "complete_media_upload": {credential.MediaWrite},
		"list_link_pages": {credential.LinksRead},
		"get_link_page":   {credential.LinksRead}, "add_link_block": {credential.LinksWrite},
		"update_link_block":    {credential.LinksWrite},
		"publish_link_page":    {credential.LinksWrite},
		"get_channel_schedule": {credential.ChannelsRead}, "list_boards": {credential.ChannelsRead},
		"reschedule_posts": {write, publish}, "validate_post": {write}, "update_post": {write}, "delete_post": {write}, "get_post_timeline": {write, publish},
		"import_media": {credential.MediaWrite}, "list_media": {credential.MediaWrite},
	}
	samples := b.samples(t, b.ours)
	var out []needs
	for _, tool := range sortedKeys(samples) {
		out = append(out, needs{
			tool: tool, arguments: samples[tool], scopes: scopes[tool],
			either: slices.Contains([]string{"list_posts", "get_post", "get_post_timeline"}, tool),
		})
	}
	for _, schedule := range []string{"now", "next_slot", tomorrow(), "soon", "Draft"} {
		arguments := maps.Clone(samples["create_post"])
		arguments["schedule"] = schedule
		out = append(out, needs{tool: "create_post", arguments: arguments, scopes: []credential.Scope{write, publish}})
	}
	arguments := maps.Clone(samples["create_post"])
	arguments["schedule"] = "draft"
	return append(out, needs{tool: "create_post", arguments: arguments, scopes: []credential.Scope{write}})
}

func (n needs) metBy(granted []credential.Scope) bool {
	has := func(s credential.Scope) bool { return slices.Contains(granted, s) }
	if n.either {
		return slices.ContainsFunc(n.scopes, has)
	}
	return !slices.ContainsFunc(n.scopes, func(s credential.Scope) bool { return !has(s) })
}

// requested returns the scopes that a client is asked to request.
func (n needs) requested() []credential.Scope {
	if n.either {
		return n.scopes[:1]
	}
	return n.scopes
}

// grants returns each scope alone, none, useful combinations, and all but one.
func grants() [][]credential.Scope {
	out := [][]credential.Scope{
		nil,
		{credential.PostsWrite, credential.MediaWrite, credential.AnalyticsRead},
		{credential.PostsWrite, credential.PostsPublish},
		credential.DefaultScopes(), credential.Scopes(),
	}
	for _, one := range credential.Scopes() {
		out = append(out, []credential.Scope{one}, slices.DeleteFunc(credential.Scopes(),
			func(s credential.Scope) bool { return s == one }))
	}
	return out
}

// state returns all data that a tool could change.
func (b *bundle) state(t testing.TB) []string {
	t.Helper()
	var queries []string
	for _, table := range []string{
		"post", "post_timeline", "event", "outbox", "media_upload", "media", "link_page", "link_page_live",
		"idempotency_key",
	} {
		queries = append(queries, `SELECT '`+table+
			` ' || count(*) || ' ' || COALESCE(md5(string_agg(r::text, ' ' ORDER BY r::text)), '') FROM `+table+` r`)
	}
	return b.column(t, strings.Join(queries, " UNION ALL "))
}

func TestScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	calls := b.everyNeed(t)
	before := b.state(t)
	for _, granted := range grants() {
		key := b.key(t, b.ours.id, granted...)
		for _, n := range calls {
			if n.metBy(granted) {
				continue
			}
			got := b.refusalIn(t, n.tool, b.do(t, callOf(t, newest, key, n.tool, n.arguments)), "INSUFFICIENT_SCOPE")
			require.ElementsMatch(t, names(n.requested()), got.RequiredScopes, n.tool)
			require.Contains(t, got.Next, "requiredScopes")
		}
	}
	require.Equal(t, before, b.state(t), "what is refused is not done")
	for _, granted := range grants() {
		key := b.key(t, b.ours.id, granted...)
		for _, n := range calls {
			if !n.metBy(granted) {
				continue
			}
			a := b.do(t, callOf(t, newest, key, n.tool, n.arguments))
			require.Equal(t, http.StatusOK, a.status, "%s with %v: %s", n.tool, granted, a.body)
			require.NotContains(t, a.body, "INSUFFICIENT_SCOPE")
		}
	}
}

func names(scopes []credential.Scope) (out []string) {
	for _, scope := range scopes {
		out = append(out, string(scope))
	}
	return out
}

// TestProgramsAreChallengedForScopes calls tools with tokens of programs, which can request the missing scopes.
func TestProgramsAreChallengedForScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	calls := b.everyNeed(t)
	before := b.state(t)
	for _, granted := range [][]credential.Scope{
		{credential.PostsWrite, credential.MediaWrite, credential.AnalyticsRead}, {credential.LinksRead},
	} {
		token := b.token(t, toolsURL, granted...).Access
		for _, n := range calls {
			if n.metBy(granted) {
				continue
			}
			for _, revision := range append(revisions(), "") { // empty: older than all of them
				b.requireStepUp(t, b.do(t, callOf(t, revision, token, n.tool, n.arguments)), n, revision, granted)
			}
		}
	}
	require.Equal(t, before, b.state(t), "what is refused is not done")

	token := b.token(t, toolsURL, credential.ChannelsRead).Access
	b.exec(t, `UPDATE workspace_member SET role = 'VIEWER'`)
	refused := b.twin(t).do(t, callOf(t, newest, token, "create_post",
		object{"channelIds": []any{b.ours.channel.String()}, "content": "x"}))
	require.Contains(t, b.refusalIn(t, "create_post", refused, "INSUFFICIENT_SCOPE").Next, "whose role allows them",
		"a challenge that the person cannot meet would not help")
}

// requireStepUp checks the response to a call with insufficient scopes.
func (b *bundle) requireStepUp(t *testing.T, a toolResponse, n needs, revision string, granted []credential.Scope) {
	t.Helper()
	require.Equal(t, http.StatusForbidden, a.status, "%s with %v: %s", n.tool, granted, a.body)
	p := requireProblem(t, a, http.StatusForbidden, "INSUFFICIENT_SCOPE")
	requireBudget(t, a)
	reported := challenge(t, a)
	require.Equal(t, "insufficient_scope", reported["error"], granted)
	require.Equal(t, "https://mcp.test.example/.well-known/oauth-protected-resource/mcp", reported["resource_metadata"])
	want := n.requested()
	for _, scope := range want {
		require.Contains(t, p["detail"], string(scope))
	}
	if revision != newest { // older clients would lose their scopes
		ofTools := func(s credential.Scope) bool {
			return !slices.Contains(want, s) && s != credential.WebhooksManage && s != credential.IdeasRead &&
				s != credential.IdeasWrite
		}
		for _, scope := range granted {
			if ofTools(scope) {
				want = append(slices.Clone(want), scope)
			}
		}
	}
	got := strings.Fields(reported["scope"])
	require.Len(t, got, len(want), "%s: %v", n.tool, got)
	for _, scope := range want {
		require.Contains(t, got, string(scope))
	}
}

// TestScopesCannotBeBypassed sends messages that the edge and the protocol library could parse differently.
func TestScopesCannotBeBypassed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := b.key(t, b.ours.id, credential.PostsWrite)
	id, account := b.draft(t, b.ours), b.ours.channel.String()
	publish := `"arguments":{"postId":"` + id + `"}`
	create := `"name":"create_post","arguments":{"channelIds":["` + account + `"],"content":"x",`
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	before := b.state(t)
	for _, params := range []string{
		`"params":{"name":"list_posts","name":"publish_post",` + publish + `,` + meta + `}`,
		`"params":{"name":"publish_post","name":"list_posts",` + publish + `,` + meta + `}`,
		`"params":{"name":"list_posts",` + meta + `},"params":{"name":"publish_post",` + publish + `,` + meta + `}`,
		`"params":{"name":"publish_post",` + publish + `,` + meta + `},"params":{"name":"list_posts",` + meta + `}`,
		`"params":{"Name":"list_posts","name":"publish_post",` + publish + `,` + meta + `}`,
		`"params":{"name":"list_posts","Name":"publish_post",` + publish + `,` + meta + `}`,
		`"params":{"name":"list_posts",` + meta + `},"Params":{"name":"publish_post",` + publish + `,` + meta + `}`,
		`"params":{"\u006eame":"publish_post",` + publish + `,` + meta + `}`,
		`"params":{"name":"publish_post","arguments":{},` + publish + `,` + meta + `}`,
		`"params":{"name":"\u0070ublish_post",` + publish + `,` + meta + `}`,
		`"params":{"name":5,"name":"publish_post",` + publish + `,` + meta + `}`,
		`"params":{` + create + `"schedule":"draft","schedule":"now"},` + meta + `}`,
		`"params":{` + create + `"schedule":"now","schedule":"draft"},` + meta + `}`,
		`"params":{` + create + `"schedule":"draft","Schedule":"now"},` + meta + `}`,
		`"params":{` + create + `"Schedule":"now"},` + meta + `}`,
		`"params":{` + create + `"schedul\u0065":"now"},` + meta + `}`,
		`"params":{` + create + `"schedule":"n\u006fw"},` + meta + `}`,
		`"params":{` + create + `"schedule":["now"]},` + meta + `}`,
		`"params":{` + create + `"schedule":null,"schedule":"now"},` + meta + `}`,
		`"params":{` + create + `"schedule":" now"},` + meta + `}`,
		`"params":{"name":"create_post","arguments":{"channelIds":[]},"arguments":{"channelIds":["` + account +
			`"],"content":"x","schedule":"now"},` + meta + `}`,
	} {
		for _, method := range []string{
			`"method":"tools/call",`, `"method":"tools/list","method":"tools/call",`,
			`"Method":"tools/list","method":"tools/call",`, `"method":"tools/call","Method":"tools/list",`,
		} {
			for _, revision := range append(revisions(), "") {
				for _, name := range []string{"list_posts", "publish_post", "create_post"} {
					b.requireNotDone(t, key, revision, name, `{"jsonrpc":"2.0","id":1,`+method+params+`}`)
				}
			}
		}
	}
	require.Equal(t, before, b.state(t))
}

// TestToolsCheckScopes checks that the tool itself rejects a call that the edge cannot parse.
func TestToolsCheckScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for tool, c := range map[string]struct {
		key  string
		want []string
	}{
		"publish_post": {b.key(t, b.ours.id, credential.PostsWrite), []string{"posts:publish"}},
		"create_post":  {b.key(t, b.ours.id), []string{"posts:write", "posts:publish"}},
		"list_posts":   {b.key(t, b.ours.id), []string{"posts:write"}},
	} {
		r := callOf(t, autumn, c.key, tool, object{"schedule": "now"})
		r.body = strings.Replace(r.body, `"params":{`, `"params":{"x":1,"x":2,`, 1)
		reported := b.refusalIn(t, tool, b.do(t, r), "INSUFFICIENT_SCOPE")
		require.Equal(t, c.want, reported.RequiredScopes)
		require.Contains(t, reported.Next, "requiredScopes")
	}
	r := callOf(t, autumn, b.ours.key, "list_posts", object{"limit": 1})
	r.body = strings.Replace(r.body, `"limit":1`, `"limit":1,"limit":2`, 1)
	require.Contains(t, b.refusalIn(t, "list_posts", b.do(t, r), "MALFORMED_REQUEST").Next, "without duplicate fields")
}

func (b *bundle) requireNotDone(t *testing.T, key, revision, name, body string) {
	t.Helper()
	header := http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {name}}
	if revision != "" {
		header.Set("Mcp-Protocol-Version", revision)
	}
	a := b.do(t, request{key: key, body: body, header: header})
	require.NotContains(t, a.body, `"SCHEDULED"`, body)
	require.Less(t, a.status, http.StatusInternalServerError, "%s: %s", body, a.body)
}
