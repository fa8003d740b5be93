package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// creation returns the creation of n drafts in a channel.
func (b *bundle) creation(t *testing.T, n int, of ident.Channel) []post.Change {
	t.Helper()
	changes := make([]post.Change, n)
	for i := range changes {
		var err error
		changes[i], err = post.Create(post.NewPost{
			WorkspaceID: b.ws.ID, ChannelID: of, ChannelType: string(channel.Twitter), Content: `A "new" post, {x} \`, ContentType: post.ContentPost,
		}, b.now, post.ActorAPI)
		require.NoError(t, err)
	}
	return changes
}

// together inserts the changes with a key and counts the calls after the commit.
func (b *bundle) together(
	ctx context.Context, keys *postgres.Idempotency, key string, changes []post.Change,
) (done bool, committed int, err error) {
	done, err = keys.Together(ctx, b.request(key), func(c *postgres.Creation) (postgres.StoredResponse, error) {
		return response, c.Insert(changes, func() { committed++ })
	})
	return done, committed, err
}

func (b *bundle) counts(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, `SELECT (SELECT count(*) FROM post) || ' ' || (SELECT count(*) FROM event)
		|| ' ' || (SELECT count(*) FROM post_timeline) || ' ' || (SELECT count(*) FROM idempotency_key)`)
}

func TestChangeKeyAndResponseAreOneStatement(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"one post": 1, "several posts": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			keys := postgres.NewIdempotency(b.db, keyring(t))
			changes := b.creation(t, n, b.ch.ID)
			done, committed, err := b.together(t.Context(), keys, "k", changes)
			require.NoError(t, err)
			require.True(t, done)
			require.Equal(t, 1, committed)
			require.Len(t, postgrestest.Column(t, b.address, `SELECT DISTINCT xmin || ' ' || cmin FROM (
				SELECT xmin, cmin FROM idempotency_key UNION ALL SELECT xmin, cmin FROM post UNION ALL
				SELECT xmin, cmin FROM event UNION ALL SELECT xmin, cmin FROM post_timeline) AS written`), 1,
				"transactions and their statements")
			for _, c := range changes {
				got, err := b.posts.Get(t.Context(), b.ws.ID, c.Post.ID)
				require.NoError(t, err)
				require.Equal(t, c.Post.Content, got.Content)
			}
			stored, replayed, err := once(t.Context(), b.db, keys, b.request("k"), fails)
			require.NoError(t, err)
			require.True(t, replayed)
			require.Equal(t, response, stored)

			whole := b.counts(t)
			done, committed, err = b.together(t.Context(), keys, "k", b.creation(t, n, b.ch.ID))
			require.NoError(t, err)
			require.False(t, done, "the key is in use")
			require.Zero(t, committed)
			require.Equal(t, whole, b.counts(t))
		})
	}
}

// TestTogetherWritesNothingUnlessOneStatement checks that the caller decides by Begin, and that nothing was written.
func TestTogetherWritesNothingUnlessOneStatement(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	before := b.counts(t)
	insert := func(c *postgres.Creation, of ident.Channel) error {
		return c.Insert(b.creation(t, 1, of), func() { t.Error("nothing was committed") })
	}
	for name, do := range map[string]func(c *postgres.Creation) error{
		"refused":         func(*postgres.Creation) error { return errChangedMyMind },
		"no change":       func(*postgres.Creation) error { return nil },
		"unknown channel": func(c *postgres.Creation) error { return insert(c, ident.New[ident.Channel]()) },
		"two creations": func(c *postgres.Creation) error {
			if err := insert(c, b.ch.ID); err != nil {
				return err
			}
			return insert(c, b.ch.ID)
		},
	} {
		done, err := keys.Together(t.Context(), b.request("k"), func(c *postgres.Creation) (postgres.StoredResponse, error) {
			return response, do(c)
		})
		require.NoError(t, err, name)
		require.False(t, done, name)
		require.Equal(t, before, b.counts(t), name)
	}
	down := &apperr.Error{Code: apperr.Unavailable}
	_, err := keys.Together(t.Context(), b.request("k"), func(*postgres.Creation) (postgres.StoredResponse, error) {
		return response, down
	})
	require.ErrorIs(t, err, down)
}

func TestHeldKeyIsDistinguishedFromHeldRecord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.impatient(t, 150*time.Millisecond)
	keys := postgres.NewIdempotency(other, keyring(t))
	commit := hold(t, b.db, func(ctx context.Context) error {
		_, err := postgres.NewIdempotency(b.db, keyring(t)).Begin(ctx, b.request("k"))
		return err
	})
	_, _, err := b.together(t.Context(), keys, "k", b.creation(t, 1, b.ch.ID))
	require.True(t, apperr.Is(err, apperr.IdempotencyInProgress), "%v", err)
	commit()

	release := postgrestest.Hold(t, b.address, `SELECT FROM channel FOR UPDATE`)
	done, _, err := b.together(t.Context(), keys, "another", b.creation(t, 1, b.ch.ID))
	require.NoError(t, err, "the caller tries once more, in a transaction")
	require.False(t, done)
	release()
	done, _, err = b.together(t.Context(), keys, "another", b.creation(t, 1, b.ch.ID))
	require.NoError(t, err)
	require.True(t, done)
}

func TestConcurrentStatementsTakeKeyOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	var group sync.WaitGroup
	done, errs := make([]bool, 12), make([]error, 12)
	for i := range done {
		changes := b.creation(t, 1, b.ch.ID)
		group.Go(func() { done[i], _, errs[i] = b.together(t.Context(), keys, "k", changes) })
	}
	group.Wait()
	winners := 0
	for i := range done {
		require.NoError(t, errs[i])
		if done[i] {
			winners++
		}
	}
	require.Equal(t, 1, winners)
	require.Equal(t, []string{"1 1 1 1"}, b.counts(t))
}
