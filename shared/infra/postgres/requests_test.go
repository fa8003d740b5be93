package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// apiKey creates a key of a workspace.
func (b *bundle) apiKey(t *testing.T, of ident.Workspace) ident.Credential {
	t.Helper()
	hash, err := credential.APIKey.Hash(credential.APIKey.New())
	require.NoError(t, err)
	key := credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: of, Name: "Key", Display: "svc_live_x", Scopes: credential.Scopes(), Hash: hash,
		CreatedAt: b.now,
	}
	require.NoError(t, postgres.NewKeys(b.db).Insert(t.Context(), key))
	return key.ID
}

func (b *bundle) requestOf(key ident.Credential, of ident.Workspace, status int) credential.Request {
	return credential.Request{
		ID: ident.New[ident.Request](), WorkspaceID: of, Credential: key, At: b.now, Method: "GET", Operation: "list-posts",
		Path: "/v1/posts", Query: "limit=1", Status: status, Duration: 1500 * time.Microsecond, RequestID: "r-" + ident.New[ident.Post]().String(),
		Client: "192.0.2.0/24", Agent: `it's "curl" 🦊`,
	}
}

func TestRequestsAreStoredOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	requests := postgres.NewRequests(b.db)
	key, other := b.apiKey(t, b.ws.ID), b.apiKey(t, b.ws.ID)
	theirs := b.tenant(t)
	foreign := b.apiKey(t, theirs.ID)
	ok, refused, broken := b.requestOf(key, b.ws.ID, 200), b.requestOf(key, b.ws.ID, 404), b.requestOf(other, b.ws.ID, 503)
	refused.Code = "NOT_FOUND"
	batch := []credential.Request{
		ok, refused, broken, b.requestOf(foreign, theirs.ID, 200),
		b.requestOf(ident.New[ident.Credential](), b.ws.ID, 200), // deleted
		b.requestOf(foreign, b.ws.ID, 200),                       // not of this workspace
		b.requestOf(key, ident.New[ident.Workspace](), 200),      // of a deleted workspace
	}
	for range 2 {
		require.NoError(t, requests.Add(t.Context(), batch))
	}
	require.NoError(t, requests.Add(t.Context(), nil))
	for name, c := range map[string]struct {
		filter postgres.RequestFilter
		want   []credential.Request
	}{
		"all, newest first":  {postgres.RequestFilter{}, []credential.Request{broken, refused, ok}},
		"of a key":           {postgres.RequestFilter{Credential: key}, []credential.Request{refused, ok}},
		"failed":             {postgres.RequestFilter{From: 400, To: 599}, []credential.Request{broken, refused}},
		"refused":            {postgres.RequestFilter{From: 400, To: 499}, []credential.Request{refused}},
		"by ID":              {postgres.RequestFilter{RequestID: ok.RequestID}, []credential.Request{ok}},
		"before":             {postgres.RequestFilter{Before: refused.ID}, []credential.Request{ok}},
		"of another's key":   {postgres.RequestFilter{Credential: foreign}, []credential.Request{}},
		"with an unknown ID": {postgres.RequestFilter{RequestID: "x"}, []credential.Request{}},
	} {
		c.filter.Limit = 10
		found, err := requests.List(t.Context(), b.ws.ID, c.filter)
		require.NoError(t, err)
		for i := range found {
			require.WithinDuration(t, c.want[i].At, found[i].At, time.Microsecond)
			found[i].At = c.want[i].At
		}
		require.Equal(t, c.want, found, name)
	}
}

func TestOldRequestsAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	requests := postgres.NewRequests(b.db)
	key := b.apiKey(t, b.ws.ID)
	for range 5 {
		require.NoError(t, requests.Add(t.Context(), []credential.Request{b.requestOf(key, b.ws.ID, 200)}))
	}
	n, err := requests.Prune(t.Context(), time.Hour, 10)
	require.NoError(t, err)
	require.Zero(t, n, "all are new")
	postgrestest.Exec(t, b.address, `UPDATE request_log SET at = at - interval '31 days' WHERE id IN (SELECT id FROM request_log ORDER BY id LIMIT 3)`)
	for _, want := range []int{2, 1, 0} {
		n, err = requests.Prune(t.Context(), 30*24*time.Hour, 2)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	left, err := requests.List(t.Context(), b.ws.ID, postgres.RequestFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, left, 2)
}

// TestRequestsAreDeletedWithTheirOwner checks keys, workspaces and grants.
func TestRequestsAreDeletedWithTheirOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, gone := b.apiKey(t, b.ws.ID), b.apiKey(t, b.ws.ID)
	require.NoError(t, postgres.NewRequests(b.db).Add(t.Context(), []credential.Request{
		b.requestOf(key, b.ws.ID, 200), b.requestOf(gone, b.ws.ID, 200),
	}))
	count := func() string { return postgrestest.Column(t, b.address, `SELECT count(*)::text FROM request_log`)[0] }
	postgrestest.Exec(t, b.address, `DELETE FROM api_key WHERE id = $1`, gone.String())
	require.Equal(t, "1", count())
	postgrestest.Exec(t, b.address, `UPDATE request_log SET key_id = NULL, grant_id = $1 WHERE key_id = $2`,
		b.grantOf(t), key.String())
	postgrestest.Exec(t, b.address, `DELETE FROM app_user`)
	require.Equal(t, "0", count(), "a program's entries end with the grant of its person")
}

// grantOf creates a grant of a program, and returns its ID.
func (b *bundle) grantOf(t *testing.T) string {
	t.Helper()
	id, user := ident.New[ident.Grant]().String(), ident.New[ident.User]().String()
	postgrestest.Exec(t, b.address, `WITH person AS (INSERT INTO app_user (id, email, name, password_hash, created_at)
			VALUES ($1, 'ada@example.com', 'Ada', '', now()) RETURNING id),
		program AS (INSERT INTO oauth_client (id, kind, name, uri, redirect_uris, auth_method, created_at)
			VALUES ('p', 'REGISTERED', 'P', '', '{}', 'none', now()) RETURNING id)
		INSERT INTO oauth_grant (id, client_id, user_id, workspace_id, scopes, resource, created_at)
		SELECT $2, program.id, person.id, $3, '{}', 'x', now() FROM person, program`, user, id, b.ws.ID.String())
	return id
}

// oldRequests makes two expired entries for a sweep.
func oldRequests(t *testing.T, b *bundle) {
	t.Helper()
	key := b.apiKey(t, b.ws.ID)
	require.NoError(t, postgres.NewRequests(b.db).Add(t.Context(), []credential.Request{
		b.requestOf(key, b.ws.ID, 200), b.requestOf(key, b.ws.ID, 200),
	}))
}

func pruneRequests(ctx context.Context, db *postgres.DB) (int, error) {
	return postgres.NewRequests(db).Prune(ctx, -time.Minute, 10)
}
