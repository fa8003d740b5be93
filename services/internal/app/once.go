package app

import (
	"context"
	"crypto/sha256"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/failpoint"
)

// The crash points around the commit of a request with an Idempotency-Key. A test kills the process at each of them.
const (
	FailOnceBeforeCommit = "once.before_commit"
	FailOnceAfterCommit  = "once.after_commit"
)

// Once identifies a request that must take effect once, even if it is sent repeatedly (docs/contract.md, Idempotency).
type Once struct {
	Operation   string
	Key         string            // the client's Idempotency-Key
	Fingerprint [sha256.Size]byte // hash of the request's content
	// Single reports that the request changes nothing but by one call of the Creator. Its key, posts and response are then
	// written in one statement, if one can.
	Single bool
	// Repeatable reports that the request has no further effect when it is performed again, and that it may take longer
	// than a transaction may. It is performed before the transaction that stores its response.
	Repeatable bool
}

// Response is a complete response.
type Response struct {
	Status   int
	Location string // path of the created resource, if reported
	Body     []byte
}

// Once runs do in one transaction and stores its response in the same transaction, or returns the stored response;
// replayed reports which. do creates posts by the Creator alone. For a Single request, do may run twice: if the posts of
// the first run cannot be written in one statement with the key, nothing was changed. Failures are not stored, so that a repeated request runs again. The caller must
// have checked the client's scopes, because a stored response is returned to every credential of the workspace. Errors:
// IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS.
func (a *App) Once(
	ctx context.Context, p Principal, r Once, do func(ctx context.Context, create Creator) (Response, error),
) (response Response, replayed bool, err error) {
	request := postgres.IdempotentRequest{
		WorkspaceID: p.WorkspaceID, Operation: r.Operation, Key: r.Key, Fingerprint: r.Fingerprint,
	}
	if r.Single {
		done, err := a.idempotency.Together(ctx, request, func(c *postgres.Creation) (postgres.StoredResponse, error) {
			create := func(ctx context.Context, p Principal, in CreatePosts) ([]post.Post, error) {
				return a.create(ctx, p, in, c)
			}
			if response, err = do(ctx, create); err == nil {
				err = failpoint.Hit(ctx, FailOnceBeforeCommit)
			}
			return postgres.StoredResponse(response), err
		})
		if done {
			err = failpoint.Hit(ctx, FailOnceAfterCommit)
		}
		if done || err != nil {
			return response, false, err
		}
	}
	if r.Repeatable {
		kept, err := a.idempotency.Find(ctx, request)
		if err != nil {
			return Response{}, false, err
		}
		if kept != nil {
			return Response(*kept), true, nil
		}
		if response, err = do(ctx, a.CreatePosts); err != nil {
			return Response{}, false, err
		}
		created := response
		do = func(context.Context, Creator) (Response, error) { return created, nil } //nolint:unparam // as do
	}
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		stored, err := a.idempotency.Begin(ctx, request)
		if err != nil {
			return err
		}
		if replayed = stored != nil; replayed {
			response = Response(*stored)
			return nil
		}
		if response, err = do(ctx, a.CreatePosts); err != nil {
			return err
		}
		if err := a.idempotency.Finish(ctx, request, postgres.StoredResponse(response)); err != nil {
			return err
		}
		return failpoint.Hit(ctx, FailOnceBeforeCommit)
	})
	if err == nil {
		err = failpoint.Hit(ctx, FailOnceAfterCommit)
	}
	return response, replayed, err
}
