package app

import (
	"context"
	"crypto/sha256"

	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/failpoint"
)

// The crash points around the commit of a request with an Idempotency-Key; a test kills the process at each of them.
const (
	FailOnceBeforeCommit = "once.before_commit"
	FailOnceAfterCommit  = "once.after_commit"
)

// Once identifies a request that must take effect once, however often it is sent (decisions, section 3).
type Once struct {
	Operation   string
	Key         string            // what the client sent as Idempotency-Key
	Fingerprint [sha256.Size]byte // of everything that the request asks for
}

// Answer is a finished answer.
type Answer struct {
	Status   int
	Location string // path of what was made; empty where that is not told
	Body     []byte
}

// Once runs do in one transaction and keeps its answer with what it did, or returns the answer that was kept; replayed tells
// which. Failures are not kept: the request then runs anew. The caller has checked the client's scopes: a kept answer is
// given to every credential of the workspace. IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS.
func (a *App) Once(ctx context.Context, p Principal, r Once, do func(ctx context.Context) (Answer, error)) (answer Answer, replayed bool, err error) {
	request := postgres.IdempotentRequest{WorkspaceID: p.WorkspaceID, Operation: r.Operation, Key: r.Key, Fingerprint: r.Fingerprint}
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		stored, err := a.idempotency.Begin(ctx, request)
		if err != nil {
			return err
		}
		if replayed = stored != nil; replayed {
			answer = Answer(*stored)
			return nil
		}
		if answer, err = do(ctx); err != nil {
			return err
		}
		if err := a.idempotency.Finish(ctx, request, postgres.StoredAnswer(answer)); err != nil {
			return err
		}
		return failpoint.Hit(ctx, FailOnceBeforeCommit)
	})
	if err == nil {
		err = failpoint.Hit(ctx, FailOnceAfterCommit)
	}
	return answer, replayed, err
}
