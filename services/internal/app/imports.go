package app

import (
	"context"
	"errors"
	"time"

	"socialpub.internal/services/internal/relay"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/egress"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// ImportMedia asks for an import by address.
type ImportMedia struct {
	URL       string
	Name      string // kept as it is given; empty: the file's own
	SourceURL string // attribution alone: never fetched
	// Key makes a request that is repeated take effect once.
	Key *postgres.ImportKey
}

// ImportMedia has the worker fetch the file and waits for the asset. When the context ends before that, the import goes on
// all the same. With a key that was used before, it answers with that import's asset; replayed tells.
//
// IMPORT_FAILED with the reason; QUOTA_EXCEEDED; UNAVAILABLE; IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED; NOT_FOUND when
// the asset of an earlier import was deleted.
func (a *App) ImportMedia(ctx context.Context, p Principal, in ImportMedia) (made DeliveredAsset, replayed bool, err error) {
	if in.Key != nil { // before the plan is asked: what was imported already takes no more of it
		earlier, err := a.imports.Earlier(ctx, p.WorkspaceID, *in.Key)
		if err != nil || !earlier.IsZero() {
			return a.repeated(ctx, p, earlier, err)
		}
	}
	if _, err := a.egress.ParseGate(egress.Import, in.URL); err != nil {
		return made, false, apperr.Wrap(err, apperr.ImportFailed, "The file cannot be fetched: %s", err.Error())
	}
	if err := a.admitsImport(ctx, p); err != nil {
		return made, false, err
	}
	now := a.now()
	i := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: p.WorkspaceID, URL: in.URL, Name: in.Name, SourceURL: in.SourceURL,
		CreatedAt: now, Deadline: now.Add(media.ImportLife),
	}
	earlier, err := a.imports.Insert(ctx, i, in.Key)
	if err != nil || !earlier.IsZero() {
		return a.repeated(ctx, p, earlier, err)
	}
	a.poke(relay.Messages)
	made, err = a.await(ctx, p, i)
	return made, false, err
}

// repeated answers a request whose key an earlier import was begun with.
func (a *App) repeated(ctx context.Context, p Principal, earlier ident.Media, err error) (DeliveredAsset, bool, error) {
	if err != nil {
		return DeliveredAsset{}, false, err
	}
	made, err := a.imported(ctx, p, earlier)
	return made, err == nil, err
}

// admitsImport refuses an import that the plan has certainly no room for. What it takes is counted when its size is known.
func (a *App) admitsImport(ctx context.Context, p Principal) error {
	used, err := a.usage.Get(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	running, err := a.imports.Running(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	used.Uploads += running + 1 // those that run will be counted
	used.StorageBytes++
	return p.Plan.Limits().CheckUpload(used, 1)
}

// imported answers for an import that the client has asked for before.
func (a *App) imported(ctx context.Context, p Principal, id ident.Media) (DeliveredAsset, error) {
	earlier, err := a.imports.State(ctx, p.WorkspaceID, id)
	if err != nil {
		return DeliveredAsset{}, err
	}
	if earlier.State == media.ImportDone {
		return a.Media(ctx, p, id)
	}
	return DeliveredAsset{}, &apperr.Error{
		Code: apperr.IdempotencyInProgress, RetryAfter: time.Second,
		Message: "The first request with this Idempotency-Key is still running; send this one again in a moment.",
	}
}

// How often the end of an import is looked for: soon at first, because most are short.
const (
	firstLook   = 25 * time.Millisecond
	longestLook = 500 * time.Millisecond
	// afterDeadline is what the worker gets to record the end of an import that took too long.
	afterDeadline = 10 * time.Second
)

// await waits for the end of an import.
func (a *App) await(ctx context.Context, p Principal, i media.Import) (DeliveredAsset, error) {
	for pause := firstLook; ; pause = min(2*pause, longestLook) {
		select {
		case <-ctx.Done():
			return DeliveredAsset{}, ctx.Err()
		case <-time.After(pause):
		}
		now, err := a.imports.State(ctx, p.WorkspaceID, i.ID)
		if apperr.Is(err, apperr.Unavailable) && a.now().Before(i.Deadline) {
			continue // the database is back in a moment, and the import goes on meanwhile
		}
		if err != nil {
			return DeliveredAsset{}, err
		}
		switch now.State {
		case media.ImportDone:
			return a.Media(ctx, p, i.ID)
		case media.ImportFailed:
			return DeliveredAsset{}, failureOf(now)
		case media.ImportRunning:
			if a.now().After(i.Deadline.Add(afterDeadline)) {
				if err := a.giveUp(ctx, p, i); !errors.Is(err, postgres.ErrStale) { // otherwise the next look tells how it has ended
					return DeliveredAsset{}, err
				}
			}
		}
	}
}

// failureOf is why an import failed.
func failureOf(i media.Import) error {
	err := apperr.New(apperr.Code(i.ErrorCode), "%s", i.ErrorText)
	if err.Code == apperr.Unavailable {
		err.RetryAfter = storageRetry
	}
	return err
}

// giveUp ends an import that no worker has ended, so that it is true that nothing was done. ErrStale when one has after all.
func (a *App) giveUp(ctx context.Context, p Principal, i media.Import) error {
	failed := apperr.New(apperr.Unavailable, "The import was not carried out in time; nothing was imported. Try again.")
	failed.RetryAfter = storageRetry
	if err := a.imports.Fail(ctx, p.WorkspaceID, i.ID, failed.Code, failed.Message); err != nil {
		return err
	}
	return failed
}
