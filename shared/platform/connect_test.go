package platform_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

func TestMissingScopes(t *testing.T) {
	t.Parallel()
	scopes := platform.Scopes{Needed: []string{"read", "write"}, Useful: []string{"figures"}}
	require.Equal(t, []string{"read", "write", "figures"}, scopes.All())
	for granted, want := range map[string][2][]string{
		"":                         {nil, nil}, // the network does not say
		"figures write read other": {{}, {}},
		"read figures":             {{"write"}, {}},
		"write read":               {{}, {"figures"}},
		"readwrite":                {{"read", "write"}, {"figures"}},
	} {
		needed, useful := scopes.Missing(granted)
		require.Equal(t, want, [2][]string{needed, useful}, granted)
	}
	require.Equal(t, []string{"read", "write", "figures"}, scopes.All(), "Missing changes nothing")
}

// TestRegistryLinksAreReplaced checks that a registry in use takes the links of another one.
func TestRegistryLinksAreReplaced(t *testing.T) {
	t.Parallel()
	used, err := platform.NewRegistry(links(channel.Twitter))
	require.NoError(t, err)
	fresh, err := platform.NewRegistry(links(channel.Threads))
	require.NoError(t, err)
	used.Use(fresh)
	_, ok := used.Link(channel.Channel{Type: channel.Twitter})
	require.False(t, ok)
	found, ok := used.Link(channel.Channel{Type: channel.Threads})
	require.True(t, ok)
	require.Equal(t, []channel.Type{channel.Threads}, found.Types())
}
