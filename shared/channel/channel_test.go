package channel_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/channel"
)

// TestTypes is the table of the specification, Channel, with the decisions of section 3a.
func TestTypes(t *testing.T) {
	t.Parallel()
	all := channel.Capabilities{Publish: true, Analytics: true}
	table := []struct {
		kind         channel.Type
		network      channel.Network
		capabilities channel.Capabilities
	}{
		{"FACEBOOK_PAGE", "facebook", all},
		{"FACEBOOK_GROUP", "facebook", channel.Capabilities{}},
		{"INSTAGRAM_PROFESSIONAL", "instagram", all},
		{"INSTAGRAM_PERSONAL", "instagram", channel.Capabilities{}},
		{"TWITTER", "x", all},
		{"LINKEDIN_PROFILE", "linkedin", all},
		{"LINKEDIN_PAGE", "linkedin", all},
		{"TIKTOK_PERSONAL", "tiktok", all},
		{"TIKTOK_BUSINESS", "tiktok", all},
		{"YOUTUBE", "youtube", all},
		{"PINTEREST", "pinterest", all},
		{"GOOGLE_BUSINESS", "googlebusiness", all},
		{"THREADS", "threads", all},
		{"TELEGRAM_CHANNEL", "telegram", channel.Capabilities{Publish: true, Analytics: true, EditAfterPublish: true, DeleteAfterPublish: true}},
		{"TELEGRAM_BUSINESS", "telegram", channel.Capabilities{Analytics: true}},
		{"WHATSAPP_BUSINESS", "whatsapp", channel.Capabilities{}},
	}
	require.Len(t, channel.Types(), len(table))
	for i, row := range table {
		require.Equal(t, row.kind, channel.Types()[i])
		require.True(t, row.kind.Known(), row.kind)
		require.Equal(t, row.network, row.kind.Network(), row.kind)
		require.Equal(t, row.capabilities, row.kind.Capabilities(), row.kind)
	}
}

func TestATypeOfALaterVersionIsGeneric(t *testing.T) {
	t.Parallel()
	const later channel.Type = "MASTODON"
	require.False(t, later.Known())
	require.Empty(t, later.Network())
	require.Zero(t, later.Capabilities())
}

func TestReady(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		connected bool
		token     channel.TokenStatus
		ready     bool
	}{
		{true, channel.TokenHealthy, true},
		{true, channel.TokenExpiring, true},
		{true, channel.TokenNeedsReconnect, false},
		{false, channel.TokenHealthy, false},
	} {
		require.Equal(t, c.ready, channel.Channel{IsConnected: c.connected, TokenStatus: c.token}.Ready(), "%v", c)
	}
}

func TestCredentialsHideThemselves(t *testing.T) {
	t.Parallel()
	credentials := channel.Credentials{AccessToken: "secret-1", RefreshToken: "secret-2", ExpiresAt: time.Unix(0, 0)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, credentials), "secret", verb)
		require.NotContains(t, fmt.Sprintf(verb, &credentials), "secret", verb)
	}
	raw, err := json.Marshal(credentials) //nolint:gosec // G117: they are stored as JSON, sealed
	require.NoError(t, err)
	var read channel.Credentials
	require.NoError(t, json.Unmarshal(raw, &read))
	require.True(t, read.ExpiresAt.Equal(credentials.ExpiresAt))
	require.Equal(t, "secret-2", read.RefreshToken)
}
