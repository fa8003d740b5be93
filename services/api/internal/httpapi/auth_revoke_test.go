package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// TestRevokedKeysAreRefusedByEveryProcess revokes a key that two processes have cached. A request that starts a second
// later must be rejected.
func TestRevokedKeysAreRefusedByEveryProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := []*bundle{b, b.twin(t)}
	keys := postgres.NewKeys(b.db)
	secret := b.key(t, b.ours.id, credential.ChannelsRead)
	read := func(p *bundle) int {
		return p.do(t, request{method: http.MethodGet, path: "/v1/channels", key: secret}).status
	}
	for _, p := range processes {
		require.Equal(t, http.StatusOK, read(p))
	}
	listed, err := keys.List(t.Context(), b.ours.id)
	require.NoError(t, err)
	require.NoError(t, keys.Revoke(t.Context(), b.ours.id, newest(listed), time.Now()))
	revoked := time.Now()
	for _, p := range processes {
		for begun := time.Now(); read(p) != http.StatusUnauthorized; begun = time.Now() {
			require.Less(t, begun.Sub(revoked), time.Second, "served after it was revoked")
		}
		for range 5 {
			require.Equal(t, http.StatusUnauthorized, read(p), "it stays so")
		}
		require.Equal(t, http.StatusOK, p.get(t, "/v1/channels").status, "other keys go on")
	}
}

// newest returns the last created key, because ids ascend.
func newest(keys []credential.Key) ident.Credential { return keys[len(keys)-1].ID }

func TestExpiredKeysAreRefused(t *testing.T) {
	t.Parallel()
	b, clk := at(t, sunday())
	secret := b.key(t, b.ours.id, credential.ChannelsRead)
	read := func() response { return b.do(t, request{method: http.MethodGet, path: "/v1/channels", key: secret}) }
	b.exec(t, `UPDATE api_key SET expires_at = $1 WHERE display = $2`, sunday().Add(time.Minute),
		credential.Display(secret))
	clk.Advance(time.Minute - time.Millisecond)
	require.Equal(t, http.StatusOK, read().status)
	clk.Advance(time.Millisecond)
	requireProblem(t, read(), http.StatusUnauthorized, "UNAUTHENTICATED")
}
