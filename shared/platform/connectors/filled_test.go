package connectors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// configuration returns the settings with the addresses of the real networks.
func configuration(t *testing.T) connectors.Environment {
	t.Helper()
	loaded, err := config.Load[connectors.Environment](nil)
	require.NoError(t, err)
	return loaded
}

// TestStoredApplicationCredentials checks that every variable of an application makes its accounts connectable, and
// that the environment overrides stored values.
func TestStoredApplicationCredentials(t *testing.T) {
	t.Parallel()
	configured := func(e connectors.Environment, app struct {
		typ     channel.Type
		variant channel.Variant
	},
	) bool {
		links, err := connectors.New(e, clock.System(), 0)
		require.NoError(t, err)
		link, _ := links.Link(channel.Channel{Type: app.typ})
		connecter, ok := link.(platform.Connecter)
		require.True(t, ok, "%s", app.typ)
		return connecter.Configured(app.variant)
	}
	for _, declared := range connectors.Networks() {
		for _, app := range declared.Applications {
			for _, typ := range app.Types {
				one := struct {
					typ     channel.Type
					variant channel.Variant
				}{typ, app.Variant}
				empty := configuration(t)
				require.False(t, configured(empty, one), "%s", typ)
				stored := map[string]string{app.ID: "stored-id", app.Secret: "stored-secret"}
				require.True(t, configured(empty.Filled(stored), one), "%s", typ)
			}
		}
	}
	given := configuration(t)
	given.XApplication.ClientID = "given"
	filled := given.Filled(map[string]string{"X_CLIENT_ID": "stored", "X_CLIENT_SECRET": "secret", "X_API_URL": "https://x"})
	require.Equal(t, "given", filled.XApplication.ClientID)
	require.Equal(t, "secret", filled.XApplication.ClientSecret.Reveal())
	require.False(t, given.XApplication.ClientSecret.IsSet(), "the configuration itself is unchanged")
	require.Contains(t, connectors.Variables(), "GOOGLE_CLIENT_ID")
}
