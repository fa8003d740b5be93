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

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// sent adds requests of a credential to its log, oldest first.
func (b *bundle) sent(t *testing.T, of tenant, from string, requests ...credential.Request) {
	t.Helper()
	id, err := ident.Parse[ident.Credential](from)
	require.NoError(t, err)
	for i := range requests {
		r := &requests[i]
		r.ID, r.WorkspaceID, r.Credential, r.At = ident.New[ident.Request](), of.workspace.ID, id, b.clock.Now()
		r.Method, r.Operation, r.Path, r.Client = "GET", "list-posts", "/v1/posts", "192.0.2.0/24"
	}
	require.NoError(t, postgres.NewRequests(b.db).Add(t.Context(), requests))
}

// grantOf creates a grant of a program in a workspace.
func (b *bundle) grantOf(t *testing.T, of tenant, person ident.User) string {
	t.Helper()
	id := ident.New[ident.Grant]()
	postgrestest.Exec(t, b.dsn, `INSERT INTO oauth_grant (id, client_id, user_id, workspace_id, scopes, resource, created_at)
		VALUES ($1, $2, $3, $4, '{}', 'x', now())`, id.String(), b.client.ID, person.String(), of.workspace.ID.String())
	postgrestest.Exec(t, b.dsn, `INSERT INTO oauth_refresh_token (hash, grant_id, expires_at)
		VALUES (sha256(convert_to($2, 'UTF8')), $1, now() + interval '1 day')`, id.String(), id.String())
	return id.String()
}

// requestIDs returns the request IDs on a page of the log, in their order.
func requestIDs(body string) (ids []string) {
	for _, found := range regexp.MustCompile(`<p class="meta"><code>([^<]+)</code></p>`).FindAllStringSubmatch(body, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

func TestRequestsOfKeysAndPrograms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	owner := b.membership(t, ours.workspace, member.Owner)
	br := b.browser(t)
	br.signInAs(t, owner.Email)
	path := filled("/w/{workspace}/developers/requests", ours.wildcards)
	postgrestest.Exec(t, b.dsn, `DELETE FROM request_log`)
	require.Contains(t, br.visited(t, path).body, "No requests yet")

	program := b.grantOf(t, ours, owner.ID)
	key := ours.wildcards["key"]
	b.sent(t, ours, key,
		credential.Request{
			RequestID: "first", Status: http.StatusOK, Duration: 12 * time.Millisecond, Query: "limit=1&q=…", Agent: "fencepost-python/1",
		},
		credential.Request{RequestID: "second", Status: http.StatusUnprocessableEntity, Code: "VALIDATION_FAILED"},
		credential.Request{RequestID: "third", Status: http.StatusServiceUnavailable, Code: "UNAVAILABLE"})
	b.sent(t, ours, program, credential.Request{RequestID: "fourth", Status: http.StatusOK})
	b.sent(t, theirs, theirs.wildcards["key"], credential.Request{RequestID: "foreign", Status: http.StatusOK})

	for query, want := range map[string][]string{
		"":                                      {"fourth", "third", "second", "first"},
		"?credential=" + key:                    {"third", "second", "first"},
		"?credential=" + program:                {"fourth"},
		"?status=failed":                        {"third", "second"},
		"?status=client":                        {"second"},
		"?status=server":                        {"third"},
		"?status=ok":                            {"fourth", "first"},
		"?status=nonsense":                      {"fourth", "third", "second", "first"},
		"?request=second":                       {"second"},
		"?request=+second+":                     {"second"},
		"?request=foreign":                      nil,
		"?request=sec":                          nil,
		"?request=%00%ff'--":                    nil,
		"?before=nonsense":                      {"fourth", "third", "second", "first"},
		"?request=" + strings.Repeat("x", 2000): nil,
		"?status=ok&credential=" + key:          {"first"},
	} {
		got := br.visited(t, path+query)
		require.Equal(t, want, requestIDs(got.body), query)
		if want == nil {
			require.Contains(t, got.body, "No request matches", query)
		}
	}
	for _, query := range []string{"?credential=" + theirs.wildcards["key"], "?credential=x", "?credential=" + ident.New[ident.Grant]().String()} {
		require.Equal(t, http.StatusNotFound, br.get(t, path+query).status, query)
	}

	body := html.UnescapeString(br.visited(t, path).body)
	for _, part := range []string{
		"limit=1&q=…", "fencepost-python/1", "12 ms", "192.0.2.0/24", "422 Unprocessable Entity", `/docs/reference/list-posts"`,
		`/problems/validation-failed"`, b.client.Title() + " (" + owner.Name + ")",
	} {
		require.Contains(t, body, part)
	}
}

// TestRequestsAreOnSeveralPages goes to older requests and back.
func TestRequestsAreOnSeveralPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.asMember(t, ours, member.Admin)
	postgrestest.Exec(t, b.dsn, `DELETE FROM request_log`)
	all := make([]credential.Request, 60)
	for i := range all {
		all[i] = credential.Request{RequestID: "r" + ident.New[ident.Post]().String(), Status: http.StatusNotFound}
	}
	b.sent(t, ours, ours.wildcards["key"], all...)
	next := filled("/w/{workspace}/developers/requests?status=failed", ours.wildcards)
	var seen []string
	for page := range 3 {
		body := br.visited(t, next).body
		seen = append(seen, requestIDs(body)...)
		require.Equal(t, page > 0, strings.Contains(body, ">Newest</a>"))
		older := regexp.MustCompile(`href="([^"]+)">Older`).FindStringSubmatch(body)
		require.Equal(t, page < 2, older != nil)
		if older != nil {
			next = html.UnescapeString(older[1])
			require.Contains(t, next, "status=failed", "the filter stays")
		}
	}
	require.Len(t, seen, 60)
}

// TestKeysLinkToTheirRequests follows the links of a key, of a test key and of a program.
func TestKeysLinkToTheirRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	base := "/w/" + b.acme.ID.String()
	for _, mode := range []string{"live", "test"} {
		br.visited(t, base+"/developers/keys")
		form := url.Values{"name": {mode}, "scope": {"channels:read"}, "expires": {"30 days"}, "mode": {mode}}
		require.Equal(t, http.StatusCreated, br.post(t, base+"/developers/keys", form).status)
	}
	links := regexp.MustCompile(`href="([^"]+/developers/requests\?credential=[^"]+)"`).FindAllStringSubmatch(br.visited(t, base+"/developers/keys").body, -1)
	require.Len(t, links, 2)
	workspaces := map[string]bool{}
	for _, link := range links {
		got := br.visited(t, html.UnescapeString(link[1]))
		require.Contains(t, got.body, "No request matches")
		workspaces[strings.Split(link[1], "/")[2]] = true
	}
	require.Len(t, workspaces, 2, "test keys have their log in the test workspace")
	grant := b.grantOf(t, tenant{workspace: b.acme}, b.person.ID)
	require.Contains(t, br.visited(t, base+"/settings/programs").body, base+"/developers/requests?credential="+grant)
	editor := b.membership(t, b.acme, member.Editor)
	b.grantOf(t, tenant{workspace: b.acme}, editor.ID)
	other := b.browser(t)
	other.signInAs(t, editor.Email)
	require.NotContains(t, other.visited(t, base+"/settings/programs").body, "/developers/requests", "who may not manage keys")
}
