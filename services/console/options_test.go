package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/options"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestFormsOfOptionsWorkWithoutTheNetwork reads what the forms of Pinterest and TikTok list, while the networks do not
// respond.
func TestFormsOfOptionsWorkWithoutTheNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := func(of ident.Workspace, kind channel.Type, status channel.TokenStatus, current post.Options) options.Source {
		c := channel.Channel{
			ID: ident.New[ident.Channel](), WorkspaceID: of, Name: "News", Type: kind, ExternalID: ident.New[ident.Channel]().String(),
			Username: "acme", IsConnected: true, TokenStatus: status, Timezone: "UTC", CreatedAt: b.clock.Now(),
		}
		require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), c, channel.Credentials{AccessToken: "x"}))
		s, err := options.Read(t.Context(), b.app, app.Principal{WorkspaceID: of}, c, current, nil)
		require.NoError(t, err)
		return s
	}
	require.Empty(t, read(b.acme.ID, channel.YouTube, channel.TokenHealthy, post.Options{}).Said)
	down := read(b.acme.ID, channel.Pinterest, channel.TokenHealthy, post.Options{BoardID: "1001"})
	require.Nil(t, down.Said.Boards)
	require.Contains(t, down.Said.Problem, "Pinterest cannot be read right now")
	lost := read(b.acme.ID, channel.TikTokPersonal, channel.TokenNeedsReconnect, post.Options{})
	require.Nil(t, lost.Said.Creator)
	require.Contains(t, lost.Said.Problem, "Reconnect it to choose")

	// A channel of another workspace does not exist.
	other := app.Principal{WorkspaceID: b.furnish(t, "Other").workspace.ID}
	_, err := options.Read(t.Context(), b.app, other, down.Channel, post.Options{}, nil)
	require.True(t, apperr.Is(err, apperr.NotFound))
}
