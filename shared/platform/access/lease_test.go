package access_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

// leased returns the number of leases in the database.
func (b *bundle) leased(t *testing.T) string {
	t.Helper()
	return postgrestest.Column(t, b.address, `SELECT count(refreshing_by) FROM channel`)[0]
}

// expire ends the lease as time does.
func (b *bundle) expire(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE channel SET refreshing_until = now() - interval '1 second'
		WHERE refreshing_by IS NOT NULL`)
}

// TestLeaseEndsWithExchange checks that no lease remains after an exchange, whatever its result.
func TestLeaseEndsWithExchange(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]error{
		"success": nil,
		"failure": failure(platform.ClassTransient, "UNAVAILABLE"),
		"refusal": failure(platform.ClassReconnect, "TOKEN_REVOKED"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, expiring)
			b.net.during = func(context.Context) error {
				require.Equal(t, "1", b.leased(t)) //nolint:contextcheck // the test's own context
				return result
			}
			_, _, err := b.Renew(t.Context(), b.net, b.ch, 0)
			require.Equal(t, result == nil, err == nil)
			require.Equal(t, "0", b.leased(t))
		})
	}
}

// TestLeaseOfCrashedHolderExpires checks that another process waits for the lease of a crashed process, and refreshes
// when its time has passed.
func TestLeaseOfCrashedHolderExpires(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	const lasts = 500 * time.Millisecond
	start := time.Now()
	b.takeOver(t, lasts, nil) // the holder crashes: it neither stores nor releases
	got, revision, err := b.another(t, 2).Renew(t.Context(), b.net, b.ch, 0)
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(start), lasts)
	require.Equal(t, "a+", got.AccessToken)
	require.Equal(t, 1, revision)
	require.Equal(t, 1, b.net.exchanges)
}

// TestWaitingCallerCanBeCanceled checks that a caller that waits for another process's lease stops when its context ends.
func TestWaitingCallerCanBeCanceled(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	b.takeOver(t, time.Hour, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, _, err := b.Renew(ctx, b.net, b.ch, 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, b.net.exchanges)
	require.Equal(t, "1", b.leased(t), "the other process still holds it")
}

// TestLeaseExpiresDuringExchange checks a holder that is suspended until its lease has ended. The network has
// accepted its refresh token, so the fresh credentials are stored if no other process has stored any.
func TestLeaseExpiresDuringExchange(t *testing.T) {
	t.Parallel()
	other := channel.Credentials{AccessToken: "theirs", RefreshToken: "r2", ExpiresAt: now.Add(time.Hour)}
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, b *bundle) // after the end of the lease
		token     string
	}{
		"nothing": {func(*testing.T, *bundle) {}, "a+"},
		"another process stored": {func(t *testing.T, b *bundle) {
			t.Helper()
			b.takeOver(t, time.Minute, &other)
		}, "theirs"},
		"another process is refused": {func(t *testing.T, b *bundle) {
			t.Helper()
			b.refused(t)
		}, "a+"},
		"another process crashed": {func(t *testing.T, b *bundle) {
			t.Helper()
			b.takeOver(t, 300*time.Millisecond, nil)
		}, "a+"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, expiring)
			b.net.during = func(context.Context) error {
				b.expire(t) //nolint:contextcheck // the test's own context
				c.meanwhile(t, b)
				return nil
			}
			got, revision, err := b.Renew(t.Context(), b.net, b.ch, 0)
			require.NoError(t, err)
			require.Equal(t, c.token, got.AccessToken)
			require.Equal(t, 1, revision)
			kept, current := b.stored(t)
			require.Equal(t, got, kept)
			require.Equal(t, revision, current)
			require.Equal(t, channel.TokenHealthy, b.tokenStatus(t))
			require.Equal(t, "0", b.leased(t))
		})
	}
}

// takeOver acquires the lease as another process does, and stores the credentials, if any.
func (b *bundle) takeOver(t *testing.T, lasts time.Duration, fresh *channel.Credentials) {
	t.Helper()
	lease := postgres.RefreshLease{Channel: b.ch.ID, Owner: uuid.New()}
	_, acquired, err := b.channels.AcquireRefresh(t.Context(), lease, lasts)
	require.NoError(t, err)
	require.True(t, acquired)
	if fresh != nil {
		stored, err := b.channels.StoreRefreshed(t.Context(), b.ch, lease, *fresh)
		require.NoError(t, err)
		require.True(t, stored)
	}
}

// refused lets another process take over the lease. The network refuses the refresh token that the first process has
// used, and the channel is marked.
func (b *bundle) refused(t *testing.T) {
	t.Helper()
	p := b.another(t, 2)
	revoked := &network{spent: map[string]bool{"r": true}}
	_, _, err := p.Renew(t.Context(), revoked, b.ch, 0)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Equal(t, channel.TokenNeedsReconnect, b.tokenStatus(t))
}

// TestExchangeContinuesAfterCancellation checks that an exchange continues if the caller cancels, and ends at its own limit.
func TestExchangeContinuesAfterCancellation(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	ctx, cancel := context.WithCancel(t.Context())
	b.net.during = func(exchange context.Context) error {
		cancel()
		return exchange.Err()
	}
	got, revision, err := b.Renew(ctx, b.net, b.ch, 0)
	require.NoError(t, err)
	kept, current := b.stored(t)
	require.Equal(t, "r+", kept.RefreshToken)
	require.Equal(t, got, kept)
	require.Equal(t, revision, current)

	b.Hurry(time.Minute, 50*time.Millisecond)
	b.net.during = func(exchange context.Context) error {
		<-exchange.Done()
		return exchange.Err()
	}
	_, _, err = b.Renew(t.Context(), b.net, b.ch, revision)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, "0", b.leased(t))
}

// unrotating is a network whose responses have no refresh token.
type unrotating struct{ network }

func (*unrotating) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{AccessToken: "b", ExpiresAt: now.Add(time.Hour)}, nil
}

// TestEmptyRefreshTokenIsNotStored checks that the old refresh token is kept if the network sends none.
func TestEmptyRefreshTokenIsNotStored(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	got, _, err := b.Renew(t.Context(), &unrotating{}, b.ch, 0)
	require.NoError(t, err)
	require.Equal(t, channel.Credentials{
		AccessToken: "b", RefreshToken: "r", IssuedAt: now, StoredAt: now, ExpiresAt: now.Add(time.Hour),
	}, got)
	kept, _ := b.stored(t)
	require.Equal(t, got, kept)
}
