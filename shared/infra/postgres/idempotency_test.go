package postgres_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func (b *bundle) request(key string) postgres.IdempotentRequest {
	return postgres.IdempotentRequest{
		WorkspaceID: b.ws.ID, Operation: "create-posts", Key: key, Fingerprint: sha256.Sum256([]byte("body")),
	}
}

// otherOperation returns a request of another operation with the key.
func (b *bundle) otherOperation(key string) postgres.IdempotentRequest {
	return postgres.IdempotentRequest{
		WorkspaceID: b.ws.ID, Operation: "create-webhook", Key: key, Fingerprint: sha256.Sum256([]byte("hook")),
	}
}

var response = postgres.StoredResponse{
	Status: 201, Location: "/v1/posts/1", Body: []byte(`[{"id":"1","secret":"whsec_canary"}]`),
}

// once handles a request with a key: it runs and stores a new request, and returns the stored response of an earlier
// one.
func once(
	ctx context.Context, db *postgres.DB, keys *postgres.Idempotency, r postgres.IdempotentRequest,
	do func() (postgres.StoredResponse, error),
) (got postgres.StoredResponse, replayed bool, err error) {
	err = db.WithinTx(ctx, func(ctx context.Context) error {
		stored, err := keys.Begin(ctx, r)
		if err != nil {
			return err
		}
		if replayed = stored != nil; replayed {
			got = *stored
			return nil
		}
		if got, err = do(); err != nil {
			return err
		}
		return keys.Finish(ctx, r, got)
	})
	return got, replayed, err
}

func responses(a postgres.StoredResponse) func() (postgres.StoredResponse, error) {
	return func() (postgres.StoredResponse, error) { return a, nil }
}

func fails() (postgres.StoredResponse, error) { return postgres.StoredResponse{}, errChangedMyMind }

func TestStoredResponseIsReplayed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	for name, want := range map[string]postgres.StoredResponse{
		"whole": response, "without a location": {Status: 200, Body: []byte("{}")},
		"without a body": {Status: 204, Body: []byte{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 3 {
				got, replayed, err := once(t.Context(), b.db, keys, b.request(name), responses(want))
				require.NoError(t, err)
				require.Equal(t, i > 0, replayed)
				require.Equal(t, want.Status, got.Status)
				require.Equal(t, want.Location, got.Location)
				require.Equal(t, string(want.Body), string(got.Body))
			}
		})
	}
}

func TestKeyIdentifiesOneRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	_, _, err := once(t.Context(), b.db, keys, b.request("k"), responses(response))
	require.NoError(t, err)
	for name, change := range map[string]func(r *postgres.IdempotentRequest){
		"another body":      func(r *postgres.IdempotentRequest) { r.Fingerprint = sha256.Sum256([]byte("another body")) },
		"another operation": func(r *postgres.IdempotentRequest) { *r = b.otherOperation("k") },
	} {
		r := b.request("k")
		change(&r)
		_, _, err = once(t.Context(), b.db, keys, r, responses(response))
		require.True(t, apperr.Is(err, apperr.IdempotencyKeyReused), "%s: %v", name, err)
	}
	_, replayed, err := once(t.Context(), b.db, keys, b.request("K"), responses(response))
	require.NoError(t, err)
	require.False(t, replayed, "another key")
	_, replayed, err = once(t.Context(), b.db, keys, b.request("k"), fails)
	require.NoError(t, err, "what was refused has spoilt nothing")
	require.True(t, replayed)
}

// TestKeysOfTwoWorkspacesAreIndependent uses the same key in both, for the same request and for different ones.
func TestKeysOfTwoWorkspacesAreIndependent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys, other := postgres.NewIdempotency(b.db, keyring(t)), b.tenant(t).ID
	for name, theirs := range map[string]postgres.IdempotentRequest{
		"same": b.request("same"), "different": b.otherOperation("different"),
	} {
		theirs.WorkspaceID = other
		ours := b.request(name)
		theirResponse := postgres.StoredResponse{Status: 200, Body: []byte("theirs")}
		for i, sent := range []struct {
			request  postgres.IdempotentRequest
			response postgres.StoredResponse
		}{{ours, response}, {theirs, theirResponse}, {ours, response}, {theirs, theirResponse}} {
			got, replayed, err := once(t.Context(), b.db, keys, sent.request, responses(sent.response))
			require.NoError(t, err, name)
			require.Equal(t, i > 1, replayed, name)
			require.Equal(t, sent.response, got, name)
		}
	}
}

// TestOneOfTwoOperationsGetsKey sends two operations with one key concurrently, several times.
func TestOneOfTwoOperationsGetsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	for range 10 {
		key := ident.New[ident.Event]().String()
		var worked atomic.Int32
		var group sync.WaitGroup
		errs := make([]error, 2)
		for i, r := range []postgres.IdempotentRequest{b.request(key), b.otherOperation(key)} {
			group.Go(func() {
				_, _, errs[i] = once(t.Context(), b.db, keys, r, func() (postgres.StoredResponse, error) {
					worked.Add(1)
					return response, nil
				})
			})
		}
		group.Wait()
		require.EqualValues(t, 1, worked.Load())
		require.True(t, apperr.Is(errors.Join(errs...), apperr.IdempotencyKeyReused), "%v", errs)
		require.Contains(t, errs, error(nil))
	}
}

func TestFailureIsNotStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	for range 2 {
		_, replayed, err := once(t.Context(), b.db, keys, b.request("k"), fails)
		require.ErrorIs(t, err, errChangedMyMind)
		require.False(t, replayed)
	}
	another := b.request("k") // a corrected request may reuse the key, because a failure does not consume it
	another.Fingerprint = sha256.Sum256([]byte("corrected"))
	_, replayed, err := once(t.Context(), b.db, keys, another, responses(response))
	require.NoError(t, err)
	require.False(t, replayed)
}

func TestConcurrentRequestsWithSameKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const timeout = 150 * time.Millisecond
	keys := postgres.NewIdempotency(b.db, keyring(t))
	commit := hold(t, b.db, func(ctx context.Context) error {
		stored, err := keys.Begin(ctx, b.request("k"))
		require.Nil(t, stored)
		return errors.Join(err, keys.Finish(ctx, b.request("k"), response))
	})
	other := b.impatient(t, timeout)
	others := postgres.NewIdempotency(other, keyring(t))
	requested := time.Now()
	_, _, err := once(t.Context(), other, others, b.request("k"), fails)
	require.GreaterOrEqual(t, time.Since(requested), timeout)
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, apperr.IdempotencyInProgress, e.Code)
	require.Equal(t, time.Second, e.RetryAfter)
	require.NotContains(t, e.Message, "lock")
	_, replayed, err := once(t.Context(), other, others, b.request("another key"), responses(response))
	require.NoError(t, err, "other keys are free")
	require.False(t, replayed)
	commit()
	got, replayed, err := once(t.Context(), other, others, b.request("k"), fails)
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, response, got)
}

func TestConcurrentRequestsRunOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	var worked, replays atomic.Int32
	var group sync.WaitGroup
	for range 15 {
		group.Go(func() {
			got, replayed, err := once(t.Context(), b.db, keys, b.request("k"), func() (postgres.StoredResponse, error) {
				if worked.Add(1) < 3 { // the first two fail, so the next waiting request does the work
					return fails()
				}
				return response, nil
			})
			if err != nil {
				return
			}
			if replayed && got.Status == response.Status {
				replays.Add(1)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 3, worked.Load())
	require.EqualValues(t, 12, replays.Load())
}

func TestResponsesAreEncrypted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	for _, key := range []string{"one", "two"} {
		_, _, err := once(t.Context(), b.db, keys, b.request(key), responses(response))
		require.NoError(t, err)
	}
	for _, stored := range postgrestest.Column(t, b.address, `SELECT encode(body, 'escape') FROM idempotency_key`) {
		require.NotContains(t, stored, "canary")
		require.NotContains(t, stored, "secret")
	}
	postgrestest.Exec(t, b.address,
		`UPDATE idempotency_key SET body = (SELECT body FROM idempotency_key WHERE key = 'one') WHERE key = 'two'`)
	_, _, err := once(t.Context(), b.db, keys, b.request("two"), fails)
	require.ErrorContains(t, err, "decrypt the stored response", "a response belongs to its key")
	require.Equal(t, apperr.Internal, apperr.CodeOf(err))
}

func TestPruneDeletesOldResponses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	for key, age := range map[string]string{
		"a": "25 hours", "b": "24 hours 1 second", "c": "23 hours 59 minutes", "d": "0", "e": "30 days",
	} {
		_, _, err := once(t.Context(), b.db, keys, b.request(key), responses(response))
		require.NoError(t, err)
		postgrestest.Exec(t, b.address,
			`UPDATE idempotency_key SET completed_at = completed_at - CAST($1 AS text)::interval WHERE key = $2`, age, key)
	}
	remaining := func() string {
		return strings.Join(postgrestest.Column(t, b.address, `SELECT key FROM idempotency_key ORDER BY key`), "")
	}
	for _, want := range []struct {
		n         int
		remaining string
	}{{2, "bcd"}, {1, "cd"}, {0, "cd"}} { // the oldest first
		n, err := keys.Prune(t.Context(), 24*time.Hour, 2)
		require.NoError(t, err)
		require.Equal(t, want.n, n)
		require.Equal(t, want.remaining, remaining())
	}
	_, replayed, err := once(t.Context(), b.db, keys, b.request("a"), responses(response))
	require.NoError(t, err)
	require.False(t, replayed, "after a day a key is as good as new")
}

func TestPruneSkipsLockedRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keys := postgres.NewIdempotency(b.db, keyring(t))
	for _, key := range []string{"busy", "free"} {
		_, _, err := once(t.Context(), b.db, keys, b.request(key), responses(response))
		require.NoError(t, err)
	}
	postgrestest.Exec(t, b.address, `UPDATE idempotency_key SET completed_at = now() - interval '2 days'`)
	commit := hold(t, b.db, func(ctx context.Context) error { return keys.Finish(ctx, b.request("busy"), response) })
	n, err := keys.Prune(t.Context(), 24*time.Hour, 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	commit()
	require.Equal(t, []string{"busy"}, postgrestest.Column(t, b.address, `SELECT key FROM idempotency_key`))
}
