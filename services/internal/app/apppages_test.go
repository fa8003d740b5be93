package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/ident"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	workspace, channel := ident.New[ident.Workspace](), ident.New[ident.Channel]()
	require.Equal(t, ": https://app.example.com/w/"+workspace.String()+"/channels/"+channel.String(),
		app.ChannelPage.Link("https://app.example.com", workspace, channel))
	require.Equal(t, "https://app.example.com/programs", app.ProgramsPage.At("https://app.example.com"))
	require.Equal(t, ".", app.ChannelPage.Link("", workspace, channel))
	require.Empty(t, app.KeysPage.At("", workspace))
}
