package structure_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// TestEveryNetworkCanBeConnected checks that a person can connect each type that publishes, and that the page of its
// network in docs/connect names its scopes, its variables and its redirect address.
func TestEveryNetworkCanBeConnected(t *testing.T) {
	t.Parallel()
	links, err := connectors.New(connectors.Environment{SandboxURL: "https://network.test"}, clock.System(), 0)
	require.NoError(t, err)
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "connect", name+".md"))
		require.NoError(t, err)
		return string(text)
	}
	index := page("README")
	for _, typ := range channel.Types() {
		if _, publishes := links.For(channel.Channel{Type: typ}); !publishes {
			continue
		}
		name := string(typ.Network())
		require.Contains(t, index, "("+name+".md)")
		text := page(name)
		link, _ := links.Link(channel.Channel{Type: typ})
		if _, entered := link.(platform.Enterer); entered {
			continue
		}
		connecter, ok := link.(platform.Connecter)
		require.True(t, ok, "%s cannot be connected", typ)
		require.Contains(t, text, "APP_URL/connect/"+name+"/callback")
		declared := connectors.Of(typ.Network())
		for _, variant := range append([]channel.Variant{""}, declared.Account(typ).VariantIDs()...) {
			for _, scope := range connecter.Scopes(variant).All() {
				require.Contains(t, text, scope[strings.LastIndexByte(scope, '/')+1:], name)
			}
		}
		for _, app := range declared.Applications {
			for _, variable := range []string{app.ID, app.Secret} {
				require.Contains(t, text, variable)
				require.Contains(t, index, variable)
			}
		}
	}
}
