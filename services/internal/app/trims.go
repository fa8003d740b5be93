package app

import (
	"context"
	"errors"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TrimMedia enqueues a file that is a part of a video, and returns the ID that it will have. The video stays.
//
// Errors: NOT_FOUND when the workspace has no such asset, VALIDATION_FAILED for a file that cannot be trimmed and for wrong
// times, QUOTA_EXCEEDED, and RATE_LIMITED while many imports are running.
func (a *mediaUseCases) TrimMedia(ctx context.Context, p Principal, trim media.Trim) (ident.Media, error) {
	if err := p.Require(credential.MediaWrite); err != nil {
		return ident.Media{}, err
	}
	of, err := a.media.Get(ctx, p.WorkspaceID, trim.Of)
	if err != nil {
		return ident.Media{}, err
	}
	if of.Type != media.Video || of.Probe.Duration == 0 {
		return ident.Media{}, apperr.New(apperr.ValidationFailed, "Only a video whose length is known can be trimmed.")
	}
	var faults []apperr.Field
	for member, fault := range trim.Faults(of.Probe.Duration) {
		faults = append(faults, apperr.Field{Pointer: "/" + member, Message: fault})
	}
	if err := apperr.Invalid(faults); err != nil {
		return ident.Media{}, err
	}
	if err := a.admitsImport(ctx, p); err != nil {
		return ident.Media{}, err
	}
	now := a.now()
	i := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: p.WorkspaceID, Name: trim.Name(of.Name), Trim: trim, CreatedAt: now,
		Deadline: now.Add(media.ImportLife),
	}
	if _, err := a.imports.Insert(ctx, i, nil); err != nil {
		return ident.Media{}, err
	}
	a.db.AfterCommit(ctx, func() { a.wake(relay.Messages) })
	return i.ID, nil
}

// Trimming returns the state of a part of a video that is being made, or was not made; NOT_FOUND if there is none.
func (a *mediaUseCases) Trimming(ctx context.Context, p Principal, id ident.Media) (media.Import, error) {
	found, err := a.imports.State(ctx, p.WorkspaceID, id)
	switch {
	case err != nil:
		return media.Import{}, err
	case found.Trim.IsZero():
		return media.Import{}, apperr.New(apperr.NotFound, "There is no part of a video %s.", id)
	case found.State != media.ImportRunning || !a.now().After(found.Deadline.Add(afterDeadline)):
		return found, nil
	}
	err = a.giveUp(ctx, p, found) // it returns what it recorded
	if !errors.Is(err, postgres.ErrStale) && !apperr.Is(err, apperr.Unavailable) {
		return media.Import{}, err
	}
	return a.imports.State(ctx, p.WorkspaceID, id)
}
