package postgres_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// connectSession is the session of the attempts that connect stores.
var connectSession = bytes.Repeat([]byte{9}, 32)

// connect stores an attempt to connect. A nil state is one that was used.
func (b *bundle) connect(t *testing.T, of ident.Workspace, state []byte) channel.Attempt {
	t.Helper()
	a := channel.Attempt{
		ID: ident.New[ident.Connect](), WorkspaceID: of, Type: channel.Twitter, Actor: "test",
		Outcome: channel.AttemptOpen, CreatedAt: b.now, ExpiresAt: b.now.Add(time.Hour),
	}
	require.NoError(t, postgres.NewConnects(b.db, keyring(t)).Insert(t.Context(), a, channel.AttemptSecret{Verifier: "v"},
		state, connectSession))
	return a
}

// TestConnectAttemptIsEndedOnce has a second request look at the attempt while the first one ends it.
func TestConnectAttemptIsEndedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, id := postgres.NewConnects(b.db, keyring(t)), b.connect(t, b.ws.ID, nil).ID
	commit := hold(t, b.db, func(ctx context.Context) error {
		a, secret, err := store.GetLocked(ctx, b.ws.ID, id, connectSession)
		if err != nil {
			return err
		}
		a.Outcome, a.FinishedAt = channel.AttemptConnected, b.now
		return store.Save(ctx, a, secret)
	})
	var found channel.Attempt
	second := b.blocked(t, func() (err error) {
		found, _, err = store.GetLocked(t.Context(), b.ws.ID, id, connectSession)
		return err
	})
	commit()
	require.NoError(t, <-second)
	require.Equal(t, channel.AttemptConnected, found.Outcome)
}

// TestAccountIsConnectedByOneRequest has a second request look up the channel of the account while the first one
// replaces its credentials.
func TestAccountIsConnectedByOneRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	byAccount := func(ctx context.Context) (channel.Channel, error) {
		c, _, err := b.channels.ByAccount(ctx, b.ws.ID, b.ch.Type, b.ch.ExternalID)
		return c, err
	}
	commit := hold(t, b.db, func(ctx context.Context) error {
		c, err := byAccount(ctx)
		if err != nil {
			return err
		}
		c.TokenStatus = channel.TokenNeedsReconnect
		return b.channels.Replace(ctx, c, b.credentials())
	})
	var found channel.Channel
	second := b.blocked(t, func() (err error) {
		found, err = byAccount(t.Context())
		return err
	})
	commit()
	require.NoError(t, <-second)
	require.Equal(t, channel.TokenNeedsReconnect, found.TokenStatus)
}
