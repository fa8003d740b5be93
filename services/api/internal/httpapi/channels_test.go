package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
)

func TestWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := b.key(t, b.ours.id, credential.ChannelsRead)
	read := b.do(t, request{method: http.MethodGet, path: "/v1/workspace", key: key})
	require.Equal(t, http.StatusOK, read.status)
	w := read.object(t)
	require.Equal(t, b.ours.id.String(), w["id"])
	require.Equal(t, "Acme", w["name"])
	require.Equal(t, "GROWTH", w["plan"])
	require.Equal(t, "Europe/Berlin", w["timezone"])
	require.Equal(t, []any{"channels:read"}, w["grantedScopes"])
	require.Contains(t, w, "createdAt")

	none := b.do(t, request{method: http.MethodGet, path: "/v1/workspace", key: b.key(t, b.ours.id)})
	require.Equal(t, http.StatusOK, none.status, "any valid credential")
	require.Equal(t, []any{}, none.object(t)["grantedScopes"])
}

func TestUsage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	usage := func(of tenant) map[string]any {
		t.Helper()
		out, ok := b.do(t, request{
			method: http.MethodGet, path: "/v1/workspace", key: of.key,
		}).object(t)["usage"].(map[string]any)
		require.True(t, ok)
		return out
	}
	now := time.Now().UTC()
	none := map[string]any{
		"storage": map[string]any{"usedBytes": 0.0, "limitBytes": 100.0 * (1 << 30), "maxFileBytes": 1.0 * (1 << 30)},
		"uploads": map[string]any{
			"used": 0.0, "limit": 5000.0,
			"resetsAt": time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z"),
		},
		"webhooks": map[string]any{"used": 0.0, "limit": 20.0}, "linkPages": map[string]any{"used": 0.0, "limit": 20.0},
		"requestsPerMinute": float64(ofCredentials),
	}
	require.Equal(t, none, usage(b.ours))

	store := postgres.NewUsage(b.db)
	for range 2 {
		require.NoError(t, store.Reserve(t.Context(), b.ours.id, 1<<20, workspace.Growth.Limits()))
	}
	require.NoError(t, store.Release(t.Context(), b.ours.id, 1<<20))
	created := b.post(t, "/v1/webhooks", hook)
	require.Equal(t, http.StatusCreated, b.post(t, "/v1/webhooks", hook).status)
	gone := b.do(t, request{method: http.MethodDelete, path: created.header.Get("Location"), key: b.ours.key})
	require.Equal(t, http.StatusNoContent, gone.status)
	after := usage(b.ours)
	require.Equal(t, map[string]any{
		"usedBytes": 1.0 * (1 << 20), "limitBytes": 100.0 * (1 << 30), "maxFileBytes": 1.0 * (1 << 30),
	}, after["storage"])
	uploads, ok := after["uploads"].(map[string]any)
	require.True(t, ok)
	require.InDelta(t, 2, uploads["used"], 0, "what was deleted stays counted")
	require.Equal(t, map[string]any{"used": 1.0, "limit": 20.0}, after["webhooks"])
	require.Equal(t, none, usage(b.theirs))
	b.exec(t, `UPDATE workspace_usage SET month = month - interval '1 month'`)
	uploads, ok = usage(b.ours)["uploads"].(map[string]any)
	require.True(t, ok)
	require.InDelta(t, 0, uploads["used"], 0, "a new month begins anew")

	b.exec(t, `UPDATE workspace SET plan = 'FREE' WHERE id = $1`, b.ours.id.String())
	require.Equal(t, map[string]any{
		"usedBytes": 1.0 * (1 << 20), "limitBytes": 1.0 * (1 << 30), "maxFileBytes": 50.0 * (1 << 20),
	}, usage(b.ours)["storage"])
}

func TestChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	whatsapp := b.channel(t, b.ours.id, channel.WhatsAppBusiness, false)
	listed := b.get(t, "/v1/channels").list(t)
	require.Len(t, listed, len(b.ours.channels)+2)
	require.Equal(t, b.ours.channel.String(), listed[0]["id"], "oldest first")
	require.Equal(t, whatsapp.String(), listed[len(listed)-1]["id"])

	read := b.get(t, "/v1/channels/"+b.ours.channel.String())
	require.Equal(t, http.StatusOK, read.status)
	c := read.object(t)
	require.Equal(t, listed[0], c)
	require.Len(t, c, 12)
	require.Nil(t, c["avatar"])
	require.Equal(t, "TELEGRAM_CHANNEL", c["type"])
	require.Equal(t, map[string]any{
		"publish": true, "analytics": true, "editAfterPublish": true, "deleteAfterPublish": true,
	}, c["capabilities"])
	other := b.get(t, "/v1/channels/"+whatsapp.String()).object(t)
	require.Equal(t, false, other["isConnected"])
	require.Equal(t, map[string]any{
		"publish": false, "analytics": false, "editAfterPublish": false, "deleteAfterPublish": false,
	}, other["capabilities"])
	require.NotContains(t, read.body, "token\"", "credentials are never shown")

	empty := b.do(t, request{
		method: http.MethodGet, path: "/v1/channels", key: b.key(t, b.emptyWorkspace(t), credential.ChannelsRead),
	})
	require.JSONEq(t, `[]`, empty.body)
}
