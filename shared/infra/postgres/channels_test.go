package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// channelOf keeps a channel of another workspace.
func (b *bundle) channelOf(t *testing.T, ws workspace.Workspace) channel.Channel {
	t.Helper()
	c := b.ch
	c.ID, c.WorkspaceID, c.Name, c.ExternalID = ident.New[ident.Channel](), ws.ID, "Theirs", "3"
	require.NoError(t, b.channels.Insert(t.Context(), c, b.credentials()))
	return c
}

func TestChannelsAreReadOnlyByTheirWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	theirs := b.channelOf(t, b.tenant(t))
	all, err := b.channels.List(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, []channel.Channel{b.ch}, all)
	many, err := b.channels.GetMany(t.Context(), b.ws.ID, []ident.Channel{theirs.ID, b.ch.ID, ident.New[ident.Channel]()})
	require.NoError(t, err)
	require.Equal(t, []channel.Channel{b.ch}, many)
	got, err := b.channels.Get(t.Context(), b.ws.ID, b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, b.ch, got)
	_, err = b.channels.Get(t.Context(), b.ws.ID, theirs.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

func TestChannelsAreChangedOnlyByTheirWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.tenant(t)
	changed, err := b.channels.SetConnected(t.Context(), other.ID, b.ch.ID, false)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.False(t, changed)
	foreign := b.ch
	foreign.WorkspaceID, foreign.TokenStatus = other.ID, channel.TokenNeedsReconnect
	require.NoError(t, b.channels.Replace(t.Context(), foreign, channel.Credentials{AccessToken: "foreign"}))
	got, err := b.channels.Get(t.Context(), b.ws.ID, b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, b.ch, got)
	credentials, revision, err := b.channels.Credentials(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, b.credentials(), credentials)
	require.NoError(t, b.channels.Replace(t.Context(), b.ch, channel.Credentials{AccessToken: "new"}))
	credentials, replaced, err := b.channels.Credentials(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, "new", credentials.AccessToken)
	require.Equal(t, revision+1, replaced)
}

// TestLockedChannelIsChangedByOneTransaction also checks that a request of another workspace does not lock the channel.
func TestLockedChannelIsChangedByOneTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, impatient := b.tenant(t), b.impatient(t, 100*time.Millisecond)
	lock := func() error {
		return impatient.WithinTx(t.Context(), func(ctx context.Context) error {
			_, err := postgres.NewChannels(impatient, keyring(t)).GetLocked(ctx, b.ws.ID, b.ch.ID)
			return err
		})
	}
	commit := hold(t, b.db, func(ctx context.Context) error {
		if _, err := b.channels.GetLocked(ctx, other.ID, b.ch.ID); !apperr.Is(err, apperr.NotFound) {
			return errors.Join(errors.New("another workspace found the channel"), err)
		}
		return nil
	})
	require.NoError(t, lock())
	commit()
	commit = hold(t, b.db, func(ctx context.Context) error {
		_, err := b.channels.GetLocked(ctx, b.ws.ID, b.ch.ID)
		return err
	})
	require.True(t, postgres.IsContention(lock()))
	commit()
	require.NoError(t, lock())
}
