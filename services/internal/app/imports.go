package app

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// ImportMedia is a request to import a file from a URL.
type ImportMedia struct {
	URL       string
	Name      string // stored as given; empty: the file's own name
	SourceURL string // attribution only: never fetched
	// Key is the idempotency key of the import.
	Key *postgres.ImportKey
}

// ImportMedia enqueues the import for the worker and waits for the asset. When the context ends first, the import
// continues. With a key that was used before, it returns the asset of that import, and replayed is true.
//
// Errors: IMPORT_FAILED with the reason, QUOTA_EXCEEDED, UNAVAILABLE, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED,
// and NOT_FOUND when the asset of an earlier import was deleted.
func (a *mediaUseCases) ImportMedia(
	ctx context.Context, p Principal, in ImportMedia,
) (created DeliveredAsset, replayed bool, err error) {
	if in.Key != nil { // before the quota check, because a completed import uses no additional quota
		earlier, err := a.imports.Earlier(ctx, p.WorkspaceID, *in.Key)
		if err != nil || !earlier.IsZero() {
			return a.repeated(ctx, p, earlier, err)
		}
	}
	i, earlier, err := a.startImport(ctx, p, in)
	if err != nil || !earlier.IsZero() {
		return a.repeated(ctx, p, earlier, err)
	}
	created, err = a.await(ctx, p, i)
	return created, false, err
}

// admitsAddress returns IMPORT_FAILED for an address from which no file can be fetched.
func (a *mediaUseCases) admitsAddress(address string) error {
	if _, err := a.egress.ParseGate(egress.Import, address); err != nil {
		return apperr.Wrap(err, apperr.ImportFailed, "The file cannot be fetched: %s", err.Error())
	}
	return nil
}

// startImport enqueues an import for the worker. Earlier is the asset of the import that used the key before, if there is
// one; nothing is enqueued then.
func (a *mediaUseCases) startImport(
	ctx context.Context, p Principal, in ImportMedia,
) (i media.Import, earlier ident.Media, err error) {
	if err := a.admitsAddress(in.URL); err != nil {
		return i, earlier, err
	}
	if err := a.admitsImport(ctx, p); err != nil {
		return i, earlier, err
	}
	now := a.now()
	i = media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: p.WorkspaceID, URL: in.URL, Name: in.Name, SourceURL: in.SourceURL,
		CreatedAt: now, Deadline: now.Add(media.ImportLife),
	}
	if earlier, err = a.imports.Insert(ctx, i, in.Key); err == nil && earlier.IsZero() {
		a.db.AfterCommit(ctx, func() { a.wake(relay.Messages) })
	}
	return i, earlier, err
}

// repeated returns the result for a request whose key started an earlier import.
func (a *mediaUseCases) repeated(ctx context.Context, p Principal, earlier ident.Media, err error) (DeliveredAsset, bool, error) {
	if err != nil {
		return DeliveredAsset{}, false, err
	}
	created, err := a.imported(ctx, p, earlier)
	return created, err == nil, err
}

// admitsImport rejects an import that cannot fit the plan. The actual size counts once it is known.
func (a *mediaUseCases) admitsImport(ctx context.Context, p Principal) error {
	used, err := a.usage.Get(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	running, err := a.imports.Running(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	used.Uploads += running + 1 // imports in progress will be counted
	used.StorageBytes++
	return p.Plan.Limits().CheckUpload(used, 1)
}

// imported returns the result of an earlier import with the same key.
func (a *mediaUseCases) imported(ctx context.Context, p Principal, id ident.Media) (DeliveredAsset, error) {
	earlier, err := a.imports.State(ctx, p.WorkspaceID, id)
	if err != nil {
		return DeliveredAsset{}, err
	}
	if earlier.State == media.ImportDone {
		return a.Media(ctx, p, id)
	}
	return DeliveredAsset{}, &apperr.Error{
		Code: apperr.IdempotencyInProgress, RetryAfter: time.Second,
		Message: "The first request with this Idempotency-Key is still running. Send this one again in a moment.",
	}
}

// afterDeadline is the additional time for the worker to record the failure of an import past its deadline.
const afterDeadline = 10 * time.Second

// looks are the polling intervals for the end of an import or of an upload's completion. The first ones are short,
// because most imports are.
var looks = retry.Pauses{First: 25 * time.Millisecond, Longest: 500 * time.Millisecond}

// errRunning reports that an import, or the completion of an upload by another request, has not ended.
var errRunning = errors.New("still running")

func isRunning(err error) bool { return errors.Is(err, errRunning) }

// await waits for the end of an import.
func (a *mediaUseCases) await(ctx context.Context, p Principal, i media.Import) (DeliveredAsset, error) {
	return retry.Do(ctx, looks, isRunning, func() (DeliveredAsset, error) {
		now, err := a.imports.State(ctx, p.WorkspaceID, i.ID)
		switch {
		case apperr.Is(err, apperr.Unavailable) && a.now().Before(i.Deadline):
			return DeliveredAsset{}, errRunning // the database is probably back soon, and the import continues meanwhile
		case err != nil:
			return DeliveredAsset{}, err
		case now.State == media.ImportDone:
			return a.Media(ctx, p, i.ID)
		case now.State == media.ImportFailed:
			return DeliveredAsset{}, failureOf(now)
		case a.now().After(i.Deadline.Add(afterDeadline)):
			// otherwise the next poll reads the final state
			if err := a.giveUp(ctx, p, i); !errors.Is(err, postgres.ErrStale) {
				return DeliveredAsset{}, err
			}
		}
		return DeliveredAsset{}, errRunning
	})
}

// failureOf returns the error of a failed import.
func failureOf(i media.Import) error {
	err := apperr.New(apperr.Code(i.ErrorCode), "%s", i.ErrorText)
	if err.Code == apperr.Unavailable {
		err.RetryAfter = storageRetry
	}
	return err
}

// giveUp fails an import that no worker has finished, so that it cannot succeed after the client got an error. It
// returns ErrStale when a worker has finished it after all.
func (a *mediaUseCases) giveUp(ctx context.Context, p Principal, i media.Import) error {
	failed := apperr.New(apperr.Unavailable, "The import did not complete in time. Nothing was imported. Try again.")
	failed.RetryAfter = storageRetry
	if err := a.imports.Fail(ctx, p.WorkspaceID, i.ID, failed.Code, failed.Message); err != nil {
		return err
	}
	return failed
}
