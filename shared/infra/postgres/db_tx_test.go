package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var errChangedMyMind = errors.New("changed my mind")

// ledger writes rows that transaction tests check for.
type ledger struct {
	*bundle

	workspaces *postgres.Workspaces
}

func newLedger(t *testing.T) ledger {
	t.Helper()
	b := setup(t)
	return ledger{bundle: b, workspaces: postgres.NewWorkspaces(b.db)}
}

// write creates a workspace with the name.
func (l ledger) write(ctx context.Context, name string) error {
	return l.workspaces.Insert(ctx, workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: name, Plan: workspace.Free, Timezone: "UTC", CreatedAt: l.now,
	})
}

// written returns the names that were committed.
func (l ledger) written(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, l.address, `SELECT name FROM workspace WHERE name <> $1 ORDER BY id`, l.ws.Name)
}

func TestSavepointRollsBackAlone(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.db.WithinTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, l.write(ctx, "before"))
		require.ErrorIs(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
			require.NoError(t, l.write(ctx, "undone"))
			return errChangedMyMind
		}), errChangedMyMind)
		require.NoError(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error { return l.write(ctx, "within") }))
		return l.write(ctx, "after")
	}))
	require.Equal(t, []string{"before", "within", "after"}, l.written(t))
}

// A failed statement aborts a transaction, but not the part before its savepoint.
func TestFailedStatementAbortsOnlySavepoint(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.db.WithinTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, l.write(ctx, "before"))
		require.ErrorIs(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
			return l.channels.Insert(ctx, l.ch, l.credentials())
		}), postgres.ErrDuplicate)
		return l.write(ctx, "after")
	}))
	require.Equal(t, []string{"before", "after"}, l.written(t))
}

func TestSavepointsNest(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.db.WithinTx(t.Context(), func(ctx context.Context) error {
		require.Error(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
			require.NoError(t, l.write(ctx, "undone with its part"))
			require.NoError(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error { return l.write(ctx, "undone too") }))
			return errChangedMyMind
		}))
		return l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
			require.Error(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
				require.NoError(t, l.write(ctx, "undone alone"))
				return errChangedMyMind
			}))
			return l.write(ctx, "kept")
		})
	}))
	require.Equal(t, []string{"kept"}, l.written(t))
}

func TestSavepointOutsideTransactionStartsOne(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.NoError(t, l.db.WithinSavepoint(t.Context(), func(ctx context.Context) error {
		require.True(t, l.db.InTx(ctx))
		return l.write(ctx, "kept")
	}))
	require.ErrorIs(t, l.db.WithinSavepoint(t.Context(), func(ctx context.Context) error {
		require.NoError(t, l.write(ctx, "undone"))
		return errChangedMyMind
	}), errChangedMyMind)
	require.Equal(t, []string{"kept"}, l.written(t))
}

func TestNestedTransactionJoinsOuter(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.ErrorIs(t, l.db.WithinTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, l.db.WithinTx(ctx, func(ctx context.Context) error { return l.write(ctx, "undone") }))
		return errChangedMyMind
	}), errChangedMyMind)
	require.Empty(t, l.written(t))
	require.False(t, l.db.InTx(t.Context()))
}

func TestAfterCommit(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	var done []string
	note := func(what string) func() {
		return func() {
			require.Contains(t, l.written(t), "row", "what follows the commit sees what was committed")
			done = append(done, what)
		}
	}
	require.NoError(t, l.db.WithinTx(t.Context(), func(ctx context.Context) error {
		l.db.AfterCommit(ctx, note("first"))
		require.NoError(t, l.db.WithinTx(ctx, func(ctx context.Context) error {
			l.db.AfterCommit(ctx, note("joined"))
			return nil
		}))
		require.NoError(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
			l.db.AfterCommit(ctx, note("of a savepoint"))
			return nil
		}))
		require.ErrorIs(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
			l.db.AfterCommit(ctx, note("of an undone savepoint"))
			require.NoError(t, l.db.WithinSavepoint(ctx, func(ctx context.Context) error {
				l.db.AfterCommit(ctx, note("of a savepoint in it"))
				return nil
			}))
			return errChangedMyMind
		}), errChangedMyMind)
		l.db.AfterCommit(ctx, note("last"))
		require.Empty(t, done)
		return l.write(ctx, "row")
	}))
	require.Equal(t, []string{"first", "joined", "of a savepoint", "last"}, done)
	l.db.AfterCommit(t.Context(), note("at once"))
	require.Equal(t, "at once", done[len(done)-1])
}

func TestAfterCommitIsSkippedWithoutCommit(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	never := func(ctx context.Context) {
		l.db.AfterCommit(ctx, func() { require.Fail(t, "nothing was committed") })
	}
	for name, fn := range map[string]func(ctx context.Context, cancel func()) error{
		"it failed": func(ctx context.Context, _ func()) error {
			never(ctx)
			return errChangedMyMind
		},
		"the caller went away": func(ctx context.Context, cancel func()) error {
			never(ctx)
			cancel()
			return nil
		},
		"a statement failed and the error was ignored": func(ctx context.Context, _ func()) error {
			never(ctx)
			require.Error(t, l.channels.Insert(ctx, l.ch, l.credentials()))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			require.Error(t, l.db.WithinTx(ctx, func(ctx context.Context) error {
				require.NoError(t, l.write(ctx, name))
				return fn(ctx, cancel)
			}))
			require.NotContains(t, l.written(t), name)
		})
	}
}

func TestPanicRollsBackTransaction(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	require.Panics(t, func() {
		_ = l.db.WithinTx(t.Context(), func(ctx context.Context) error {
			l.db.AfterCommit(ctx, func() { require.Fail(t, "nothing was committed") })
			require.NoError(t, l.write(ctx, "undone"))
			var names map[string]string
			return errors.New(names["first"][len(names):][:1])
		})
	})
	require.Empty(t, l.written(t))
}

func TestTransactionReturnsErrorUnchanged(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	refused := apperr.New(apperr.QuotaExceeded, "no")
	require.Same(t, refused, l.db.WithinTx(t.Context(), func(context.Context) error { return refused }))
	require.Same(t, refused, l.db.WithinTx(t.Context(), func(ctx context.Context) error {
		return l.db.WithinSavepoint(ctx, func(context.Context) error { return refused })
	}))
	require.NoError(t, l.db.Close())
	err := l.db.WithinTx(t.Context(), func(context.Context) error { return nil })
	require.True(t, postgres.IsUnavailable(err), "%v", err)
}

// A connection that breaks within a transaction leaves no changes, and the client's message says so.
func TestBrokenConnectionRollsBackTransaction(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	err := l.db.WithinTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, l.write(ctx, "undone"))
		postgrestest.Exec(t, l.address, //nolint:contextcheck // another connection, bypassing the store
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`)
		return l.write(ctx, "never")
	})
	require.True(t, postgres.IsUnavailable(err), "%v", err)
	require.ErrorContains(t, err, "Nothing was changed")
	require.Empty(t, l.written(t))
}

// TestConflictingTransactionIsRetriedOnce checks that its first run is rolled back and its functions after commit do
// not run.
func TestConflictingTransactionIsRetriedOnce(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	lock := func(ctx context.Context) error { return l.channels.LockQueue(ctx, l.ch.ID) }
	other := l.impatient(t, 100*time.Millisecond)
	channels, workspaces := postgres.NewChannels(other, keyring(t)), postgres.NewWorkspaces(other)
	for name, last := range map[string]int{"free the second time": 2, "never free": 3} {
		commit := hold(t, l.db, lock)
		runs, followed := 0, 0
		err := other.WithinRetriedTx(t.Context(), func(ctx context.Context) error {
			if runs++; runs == last {
				commit()
			}
			other.AfterCommit(ctx, func() { followed++ })
			w := workspace.Workspace{
				ID: ident.New[ident.Workspace](), Name: name, Plan: workspace.Free, Timezone: "UTC", CreatedAt: l.now,
			}
			require.NoError(t, workspaces.Insert(ctx, w))
			return channels.LockQueue(ctx, l.ch.ID)
		})
		require.Equal(t, 2, runs)
		if last == 2 {
			require.NoError(t, err)
			require.Equal(t, 1, followed)
			require.Equal(t, []string{name}, postgrestest.Column(t, l.address, `SELECT name FROM workspace WHERE name = $1`,
				name))
			continue
		}
		commit()
		require.True(t, postgres.IsContention(err), "%v", err)
		require.NotContains(t, err.Error(), "does not respond")
		require.Zero(t, followed)
		require.NotContains(t, l.written(t), name)
	}
}

// TestDeadlockIsRetried checks that the server aborts one of two deadlocked transactions, and that its second run
// succeeds.
func TestDeadlockIsRetried(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	second := l.another(t)
	met := make(chan struct{}, 2)
	var group sync.WaitGroup
	var runs atomic.Int32
	errs := make([]error, 2)
	for i, ids := range [][]ident.Channel{{l.ch.ID, second.ID}, {second.ID, l.ch.ID}} {
		group.Go(func() {
			errs[i] = l.db.WithinRetriedTx(t.Context(), func(ctx context.Context) error {
				first := runs.Add(1) <= 2
				if err := l.channels.LockQueue(ctx, ids[0]); err != nil {
					return err
				}
				if first {
					met <- struct{}{}
					require.Eventually(t, func() bool { return len(met) == 2 }, 10*time.Second, time.Millisecond)
				}
				return l.channels.LockQueue(ctx, ids[1])
			})
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(errs...))
	require.EqualValues(t, 3, runs.Load())
}
