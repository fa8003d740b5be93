package web_test

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/services/mcp/internal/web"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// TestCallsAreLogged finds the calls of a key and of a program, and the refusal of a tool, in the log of requests.
func TestCallsAreLogged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	log, err := requestlog.New(requestlog.Config{
		Store: postgres.NewRequests(b.db), Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	require.NoError(t, err)
	b = b.twin(t, func(cfg *web.Config) { cfg.Requests = log })
	b.did(t, "list_posts", object{"limit": 1})
	b.refused(t, "get_post", object{"postId": ident.New[ident.Post]().String()}, "NOT_FOUND")
	program := b.token(t, toolsURL, credential.ChannelsRead)
	b.call(t, program.Access, "list_channels", object{})
	require.NoError(t, log.Flush(t.Context()))
	found, err := postgres.NewRequests(b.db).List(t.Context(), b.ours.id, postgres.RequestFilter{Limit: 50})
	require.NoError(t, err)
	seen := map[string]credential.Request{}
	for _, r := range found {
		require.Equal(t, "POST", r.Method)
		require.Equal(t, "/mcp", r.Path)
		require.NotEmpty(t, r.RequestID)
		seen[r.Operation] = r
	}
	require.Equal(t, "NOT_FOUND", seen["tools/call get_post"].Code)
	require.Equal(t, 200, seen["tools/call get_post"].Status, "a refusal of a tool is a result")
	require.Empty(t, seen["tools/call list_posts"].Code)
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(DISTINCT grant_id)::text FROM request_log WHERE operation = 'tools/call list_channels'`))
}
