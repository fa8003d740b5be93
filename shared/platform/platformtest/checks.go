package platformtest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

func testDeclaration(t *testing.T, b *bench) {
	t.Helper()
	require.NotEmpty(t, b.connector.Types())
	_, carries := b.connector.(platform.Carrier)
	require.Equal(t, carries, len(b.Media) > 0, "a carrier is tested with media, and nothing else is")
	for _, kind := range b.connector.Types() {
		require.Equal(t, b.Network, kind.Network())
		require.True(t, kind.Capabilities().Publish)
	}
	require.Contains(t, []platform.ReconcileStrength{
		platform.ReconcileNone, platform.ReconcileMatch, platform.ReconcileExact,
	}, b.connector.Strength())
}

func testPublish(t *testing.T, b *bench) {
	t.Helper()
	publication, handle, err := b.commit(t)
	require.NoError(t, err)
	entry := b.requireLedger(t, 1)[0]
	require.Equal(t, b.content.Text, entry.Text)
	publication = b.settled(t, publication)
	require.Equal(t, entry.ID, publication.ExternalID)
	require.Contains(t, publication.URL, entry.ID)
	require.Equal(t, int32(1), b.front.commits.Load())
	b.requireFound(t, handle, entry)
}

func testPrepareAgain(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	require.Equal(t, b.Prepares || b.Keeps, handle != "")
	again, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Handle: handle, Ready: true}, again)
	b.requireLedger(t, 0)
	require.Zero(t, b.front.commits.Load())
}

func testManyAtOnce(t *testing.T, b *bench) {
	t.Helper()
	const posts = 20
	var group sync.WaitGroup
	ids := make([]string, posts)
	errs := make([]error, posts)
	for i := range posts {
		group.Go(func() {
			content := b.content
			content.PostID = ident.New[ident.Post]()
			content.Text += strings.Repeat("!", i)
			handle, err := prepared(t.Context(), b, content, "")
			if err != nil {
				errs[i] = err
				return
			}
			publication, err := b.connector.Commit(t.Context(), b.account, content, handle)
			if errs[i] = err; err == nil {
				ids[i] = b.settled(t, publication).ExternalID
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	accepted := make([]string, 0, posts)
	for _, entry := range b.requireLedger(t, posts) {
		accepted = append(accepted, entry.ID)
	}
	require.ElementsMatch(t, accepted, ids)
}

// testExpiredToken checks that the post is published after one refresh.
func testExpiredToken(t *testing.T, b *bench) {
	t.Helper()
	if b.Addressed {
		return
	}
	handle := b.ready(t)
	b.inject(t, "commit", "expired_token", 0)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireLedger(t, 0)
	if !b.Refreshes {
		if b.Renews {
			b.requireFailure(t, err, platform.ClassRefresh, platform.ClassReconnect)
		} else {
			b.requireFailure(t, err, platform.ClassReconnect)
		}
		_, err = b.connector.Refresh(t.Context(), b.account)
		b.requireFailure(t, err, platform.ClassReconnect)
		return
	}
	b.requireFailure(t, err, platform.ClassRefresh)
	_, err = b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassRefresh)

	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.NotEqual(t, b.account.Credentials.AccessToken, fresh.AccessToken)
	require.True(t, fresh.ExpiresAt.After(time.Now()))
	b.account.Credentials = fresh
	_, err = b.connector.Commit(t.Context(), b.account, b.content, handle)
	require.NoError(t, err)
	b.requireLedger(t, 1)
}

// testRenewedToken checks that a token that has not expired can be renewed, and that both work then.
func testRenewedToken(t *testing.T, b *bench) {
	t.Helper()
	if !b.Renews {
		return
	}
	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.NotEqual(t, b.account.Credentials.AccessToken, fresh.AccessToken)
	require.True(t, fresh.ExpiresAt.After(time.Now()))
	handle := b.ready(t)
	b.account.Credentials = fresh
	_, err = b.connector.Commit(t.Context(), b.account, b.content, handle)
	require.NoError(t, err)
	b.requireLedger(t, 1)
}

// testDeadToken checks that a token that cannot be refreshed ends in ClassReconnect.
func testDeadToken(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.account.Credentials.AccessToken = "99:an-unknown-token"
	b.account.Credentials.RefreshToken = "another-unknown-token"
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	if b.Addressed { // the preparation notices it
		require.NoError(t, err)
		_, err = b.connector.Prepare(t.Context(), b.account, b.content, "")
		b.requireFailure(t, err, platform.ClassRefresh, platform.ClassReconnect)
		return
	}
	b.requireFailure(t, err, platform.ClassRefresh, platform.ClassReconnect)
	_, err = b.connector.Refresh(t.Context(), b.account)
	b.requireFailure(t, err, platform.ClassReconnect)
	b.requireLedger(t, 0)
}

func testRateLimit(t *testing.T, b *bench) {
	t.Helper()
	const wait = 30 * time.Second
	handle := b.ready(t)
	b.inject(t, "commit", "rate_limit", wait)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	failure := b.failureOf(t, err, platform.ClassRateLimited)
	require.WithinDuration(t, time.Now().Add(wait), failure.Until, 3*time.Second)
	b.requireLedger(t, 0)
}

func testReject(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.inject(t, "commit", "reject", 0)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassRejected)
	b.requireLedger(t, 0)
}

func testSlow(t *testing.T, b *bench) {
	t.Helper()
	b.inject(t, "commit", "slow", 50*time.Millisecond)
	_, _, err := b.commit(t)
	require.NoError(t, err)
	b.requireLedger(t, 1)
}

func testUnavailablePrepare(t *testing.T, b *bench) {
	t.Helper()
	b.inject(t, "create", "unavailable", 0)
	_, err := prepared(t.Context(), b, b.content, "")
	if !b.Prepares {
		require.NoError(t, err)
		return
	}
	b.requireFailure(t, err, platform.ClassTransient)
	b.ready(t)
	b.requireLedger(t, 0)
}
