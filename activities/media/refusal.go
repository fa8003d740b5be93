package media

import (
	"context"
	"errors"
	"log/slog"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

// refusal ends an import without an asset. Its text is shown to the client.
type refusal struct {
	code  apperr.Code
	text  string
	cause error // for the log
}

// Error returns the code and the text.
func (r *refusal) Error() string { return string(r.code) + ": " + r.text }

// Unwrap returns the cause.
func (r *refusal) Unwrap() error { return r.cause }

func tooLate() error {
	return &refusal{
		code: apperr.Unavailable, text: "The import did not complete in time. Nothing was imported. Try again.",
	}
}

// quota converts a quota error to a refusal.
func quota(err error) error {
	refused := &refusal{code: apperr.QuotaExceeded, text: "The plan does not allow this file.", cause: err}
	if known, ok := errors.AsType[*apperr.Error](err); ok {
		refused.text = known.Message
	}
	return refused
}

// room is the space available to a file.
type room struct {
	limits    workspace.Limits
	remaining int64 // bytes of storage
	limit     int64 // maximum file size in bytes
}

// room returns the space available to an import, or a refusal if there is none.
func (w *Importer) room(ctx context.Context, i media.Import) (room, error) {
	owner, err := w.Workspaces.Get(ctx, i.WorkspaceID)
	if err != nil {
		return room{}, err
	}
	used, err := w.Usage.Get(ctx, i.WorkspaceID)
	if err != nil {
		return room{}, err
	}
	limits := owner.Plan.Limits()
	with := used
	with.Uploads++
	with.StorageBytes++
	if err := limits.CheckUpload(with, 1); err != nil {
		return room{}, quota(err)
	}
	remaining := limits.Storage - used.StorageBytes
	return room{limits: limits, remaining: remaining, limit: min(limits.FileSize, remaining, objectstore.MaxSize)}, nil
}

// undelivered converts a download error to a refusal. It returns context.Canceled if we canceled the download
// ourselves.
func (r room) undelivered(err error) error {
	failure, ok := errors.AsType[*egress.Error](err)
	switch {
	case !ok:
		return err
	case failure.Class == egress.ClassCanceled:
		return context.Canceled
	case errors.Is(err, egress.ErrLimit) && r.limit == r.limits.FileSize:
		return &refusal{
			code:  apperr.QuotaExceeded,
			text:  "The file is larger than the " + workspace.Bytes(r.limit) + " that the plan allows for one file.",
			cause: err,
		}
	case errors.Is(err, egress.ErrLimit):
		return &refusal{
			code: apperr.QuotaExceeded,
			text: "The file does not fit: " + workspace.Bytes(r.remaining) +
				" are left of the plan's storage. Delete files that are no longer needed.",
			cause: err,
		}
	}
	return &refusal{
		code: apperr.ImportFailed, text: "The file cannot be fetched: " + failure.Error(), cause: failure.Cause,
	}
}

// refuse records the refusal.
func (w *Importer) refuse(ctx context.Context, i media.Import, refused *refusal) (flow.MediaOutcome, error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := w.Imports.Fail(within, i.WorkspaceID, i.ID, refused.code, refused.text)
	if errors.Is(err, postgres.ErrStale) {
		return flow.MediaOutcome{Note: "The import had already ended."}, nil
	}
	if err != nil {
		return flow.MediaOutcome{}, err
	}
	w.Metrics.refused(refused.code)
	w.Logger.InfoContext(ctx, "media import refused", slog.String("media_id", i.ID.String()),
		slog.String("workspace_id", i.WorkspaceID.String()),
		slog.String("code", string(refused.code)), slog.String("reason", refused.text), slog.Any("error", refused.cause))
	return flow.MediaOutcome{Note: "Refused: " + string(refused.code) + "."}, nil
}

// FailImport ends an import because our own database or storage failed.
func (w *Importer) FailImport(ctx context.Context, in flow.MediaInput) (flow.MediaOutcome, error) {
	i, err := w.Imports.State(ctx, in.WorkspaceID, in.MediaID)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return flow.MediaOutcome{Note: "The import was deleted."}, nil
	case err != nil:
		return flow.MediaOutcome{}, err
	case i.State != media.ImportRunning:
		return ended(i), nil
	}
	return w.refuse(ctx, i, &refusal{
		code: apperr.Unavailable,
		text: "The file could not be stored, because the service's file storage did not respond. Nothing was imported. " +
			"Try again.",
	})
}
