package apppages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/apppages"
	"fencepost.internal/shared/kernel/ident"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	workspace, channel := ident.New[ident.Workspace](), ident.New[ident.Channel]()
	require.Equal(t, ": https://app.example.com/w/"+workspace.String()+"/channels/"+channel.String(),
		apppages.Channel.Link("https://app.example.com", workspace, channel))
	require.Equal(t, "https://app.example.com/programs", apppages.Programs.At("https://app.example.com"))
	require.Equal(t, ".", apppages.Channel.Link("", workspace, channel))
	require.Empty(t, apppages.Keys.At("", workspace))
}
