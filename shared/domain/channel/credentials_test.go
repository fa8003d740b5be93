package channel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

var at = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// TestRenewalKeepsOmittedValues checks that an empty refresh token never replaces a stored one, and that the
// end of a refresh token is kept with it, but not with another one.
func TestRenewalKeepsOmittedValues(t *testing.T) {
	t.Parallel()
	stored := channel.Credentials{
		AccessToken: "a", RefreshToken: "r", RefreshExpiresAt: at.Add(time.Hour), DataAccessEndsAt: at.Add(2 * time.Hour),
		Scope: "s", ClientID: "c", Variant: channel.FacebookLogin, Server: "https://server.test",
	}
	want := stored
	want.AccessToken, want.IssuedAt, want.StoredAt = "b", at, at
	require.Equal(t, want, stored.Renewed(channel.Credentials{AccessToken: "b"}, at))
	rotated := stored.Renewed(channel.Credentials{AccessToken: "b", RefreshToken: "q"}, at)
	require.Equal(t, "q", rotated.RefreshToken)
	require.Zero(t, rotated.RefreshExpiresAt, "the end belongs to the old one")
}

// TestReconnectionKeepsRefreshToken checks that a reconnection without a refresh token keeps the stored one, unless
// it is of another application or variant.
func TestReconnectionKeepsRefreshToken(t *testing.T) {
	t.Parallel()
	stored := channel.Credentials{
		AccessToken: "a", RefreshToken: "r", RefreshExpiresAt: at, ClientID: "c", Server: "https://server.test",
	}
	for name, c := range map[string]struct {
		given channel.Credentials
		want  string
	}{
		"none given":          {channel.Credentials{AccessToken: "b"}, "r"},
		"one given":           {channel.Credentials{AccessToken: "b", RefreshToken: "q"}, "q"},
		"the application":     {channel.Credentials{AccessToken: "b", ClientID: "c"}, "r"},
		"another application": {channel.Credentials{AccessToken: "b", ClientID: "d"}, ""},
	} {
		got := stored.Replaced(c.given, at)
		require.Equal(t, c.want, got.RefreshToken, name)
		require.Equal(t, at, got.StoredAt, name)
		require.Equal(t, "b", got.AccessToken, name)
		require.Equal(t, "https://server.test", got.Server, name)
	}
}
