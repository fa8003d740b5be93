package postgres_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

func intent(n int, handle string) postgres.Intent {
	return postgres.Intent{N: n, Handle: handle, Marker: "m", Owner: uuid.New()}
}

// impatient returns a second pool on the bundle's database, as in another process, with the given lock timeout. It has an
// express lane for deliveries that wait for a minute.
func (b *bundle) impatient(t *testing.T, timeout time.Duration) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(postgres.Config{
		URL: b.address, MaxConnections: 5, Logger: slog.New(slog.DiscardHandler), LockTimeout: timeout,
		Express: new(time.Minute),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// tenant creates another workspace.
func (b *bundle) tenant(t *testing.T) workspace.Workspace {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Other", Plan: workspace.Free, Timezone: "UTC", CreatedAt: b.now,
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	return w
}

// hold runs do in a transaction that stays open until the returned function commits it.
func hold(t *testing.T, db *postgres.DB, do func(ctx context.Context) error) (commit func()) {
	t.Helper()
	ready, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.WithinTx(t.Context(), func(ctx context.Context) error {
			err := do(ctx)
			close(ready)
			<-release
			return err
		})
	}()
	<-ready
	return func() {
		close(release)
		require.NoError(t, <-ended)
	}
}

// blocked starts do and returns once it waits for a lock of another transaction. Its error comes through the channel.
func (b *bundle) blocked(t *testing.T, do func() error) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	require.Eventually(t, func() bool {
		waiting := postgrestest.Column(t, b.address,
			`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		return len(waiting) == 1 || len(ended) == 1
	}, time.Minute, 10*time.Millisecond)
	require.Empty(t, ended, "it has not waited")
	return ended
}

func (b *bundle) credentials() channel.Credentials {
	return channel.Credentials{AccessToken: "token-canary"}
}
