package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/credential"
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

func TestChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	whatsapp := b.channel(t, b.ours.id, channel.WhatsAppBusiness, false)
	listed := b.get(t, "/v1/channels").list(t)
	require.Len(t, listed, 2)
	require.Equal(t, b.ours.channel.String(), listed[0]["id"])

	read := b.get(t, "/v1/channels/"+b.ours.channel.String())
	require.Equal(t, http.StatusOK, read.status)
	c := read.object(t)
	require.Equal(t, listed[0], c)
	require.Len(t, c, 11)
	require.Nil(t, c["avatar"])
	require.Equal(t, "TELEGRAM_CHANNEL", c["type"])
	require.Equal(t, map[string]any{"publish": true, "analytics": true, "editAfterPublish": true, "deleteAfterPublish": true}, c["capabilities"])
	other := b.get(t, "/v1/channels/"+whatsapp.String()).object(t)
	require.Equal(t, false, other["isConnected"])
	require.Equal(t, map[string]any{"publish": false, "analytics": false, "editAfterPublish": false, "deleteAfterPublish": false}, other["capabilities"])
	require.NotContains(t, read.body, "token\"", "credentials are never shown")

	empty := b.do(t, request{method: http.MethodGet, path: "/v1/channels", key: b.key(t, b.emptyWorkspace(t), credential.ChannelsRead)})
	require.JSONEq(t, `[]`, empty.body)
}
