package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

// launch runs the program until the test ends. It returns its address and a valid key.
func launch(t *testing.T, baseURL string) (address, key string) {
	t.Helper()
	db, database := postgrestest.OpenURL(t)
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	cfg, err := config.Load[config.API[connectors.Environment]](map[string]string{
		"DATABASE_URL": database, "API_ADDR": address, "BASE_URL": baseURL, "TEMPORAL_ADDRESS": "127.0.0.1:1",
		"ENCRYPTION_KEYS": "a:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)),
		"S3_ENDPOINT":     "http://127.0.0.1:9", "S3_ACCESS_KEY": "x", "S3_SECRET_KEY": "x", "REQUESTS_PER_MINUTE": "100000",
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	service, err := start(ctx, cfg, &bootstrap.Process{
		Name: "api", Version: "1", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
		Clock: clock.System(),
	})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return address, newKey(t, db)
}

// newKey creates a key in a new workspace.
func newKey(t *testing.T, db *postgres.DB) string {
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

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	address, key := launch(t, "http://localhost:8080")
	framingtest.Run(t, framingtest.Target{
		Address: address, Get: "/v1/workspace", Post: "/v1/posts/validate", Fields: "Authorization: Bearer " + key + "\r\n",
		ReadsFirst: true,
	})
}

func TestOtherHostsAreRefused(t *testing.T) {
	t.Parallel()
	address, key := launch(t, "https://api.example.com")
	framingtest.Hosts(t, "http://"+address+"/v1/workspace", "api.example.com", http.Header{"Authorization": {"Bearer " + key}})
}
