package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/proctest"
	"fencepost.internal/shared/platform/connectors"
)

func environment(t *testing.T, database string) map[string]string {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	return map[string]string{
		"DATABASE_URL": database, "MCP_ADDR": address, "MCP_URL": "http://" + address + "/tools",
		"ENCRYPTION_KEYS": "a:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)),
		"S3_ENDPOINT":     "http://127.0.0.1:9", "S3_ACCESS_KEY": "x", "S3_SECRET_KEY": "x",
		"TEMPORAL_ADDRESS": "127.0.0.1:1",
	}
}

func launch(ctx context.Context, t *testing.T, environ map[string]string) (bootstrap.Service, error) {
	t.Helper()
	cfg, err := config.Load[config.MCP[connectors.Environment]](environ)
	require.NoError(t, err)
	return start(ctx, cfg, process())
}

func process() *bootstrap.Process {
	return &bootstrap.Process{
		Name: "mcp", Version: "1", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
		Clock: clock.System(),
	}
}

// key creates a key in a new workspace.
func key(t *testing.T, db *postgres.DB) string {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "UTC",
		CreatedAt: time.Now().UTC(),
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), w))
	secret := credential.APIKey.New()
	hash, err := credential.APIKey.Hash(secret)
	require.NoError(t, err)
	require.NoError(t, postgres.NewKeys(db).Insert(t.Context(), credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: w.ID, Name: "test", Display: credential.Display(secret), Hash: hash,
		Scopes: credential.Scopes(), CreatedAt: time.Now(),
	}))
	return secret
}

// TestServesWithoutTemporalAndStore checks that the program serves tools while Temporal and the object store are down, at the path of its
// URL, and that it shuts down in order.
func TestServesWithoutTemporalAndStore(t *testing.T) {
	t.Parallel()
	db, database := postgrestest.OpenURL(t)
	environ := environment(t, database)
	ctx, cancel := context.WithCancel(t.Context())
	service, err := launch(ctx, t, environ)
	require.NoError(t, err)
	require.Equal(t, "database", service.Checks[0].Name)
	require.NoError(t, service.Checks[0].Probe(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	secret := key(t, db)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		status, body := send(t, c, environ["MCP_URL"], secret,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_posts","arguments":{}}}`)
		require.Equal(c, http.StatusOK, status, body)
		require.Contains(c, body, `"nextCursor":null`)
	}, 10*time.Second, 50*time.Millisecond)
	status, body := send(t, t, strings.Replace(environ["MCP_URL"], "/tools", "/mcp", 1), secret, "{}")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, body, environ["MCP_URL"])
	cancel()
	require.NoError(t, <-ended)
}

func send(t *testing.T, c require.TestingT, address, secret, body string) (status int, response string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	require.NoError(c, err)
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	res, err := (&http.Client{Timeout: 10 * time.Second}).Do(r)
	require.NoError(c, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(c, err)
	return res.StatusCode, string(raw)
}

// run runs the program with an environment until the test ends.
func run(t *testing.T, environ map[string]string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	service, err := launch(ctx, t, environ)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	db, database := postgrestest.OpenURL(t)
	environ := environment(t, database)
	run(t, environ)
	framingtest.Run(t, framingtest.Target{
		Address: environ["MCP_ADDR"], Get: "/.well-known/oauth-protected-resource", Post: "/tools",
		Fields: "Authorization: Bearer " + key(t, db) + "\r\n",
	})
}

func TestOtherHostsAreRefused(t *testing.T) {
	t.Parallel()
	_, database := postgrestest.OpenURL(t)
	environ := environment(t, database)
	environ["MCP_URL"] = "https://mcp.example.com/mcp"
	run(t, environ)
	framingtest.Hosts(t, "http://"+environ["MCP_ADDR"]+"/.well-known/oauth-protected-resource", "mcp.example.com",
		http.Header{})
}

// TestStartErrors checks the error messages.
func TestStartErrors(t *testing.T) {
	t.Parallel()
	_, database := postgrestest.OpenURL(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	environ := environment(t, database)
	environ["MCP_ADDR"] = taken.Addr().String()
	_, err = launch(t.Context(), t, environ)
	require.ErrorContains(t, err, "MCP_ADDR")

	cfg, err := config.Load[config.MCP[connectors.Environment]](environment(t, database))
	require.NoError(t, err)
	cfg.MCPURL = "https://mcp.example.com/mcp/"
	_, err = start(t.Context(), cfg, process())
	require.ErrorContains(t, err, "absolute URL")
	cfg.MCPURL, cfg.RequestsPerMinute = "https://mcp.example.com/mcp", -1
	_, err = start(t.Context(), cfg, process())
	require.ErrorContains(t, err, "not negative")
	cfg.S3Endpoint = "nowhere"
	_, err = start(t.Context(), cfg, process())
	require.Error(t, err)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = launch(ended, t, environment(t, "postgres://unknown@127.0.0.1:1/none"))
	require.ErrorIs(t, err, context.Canceled, "it waits for the database no longer than it is wanted")
}
