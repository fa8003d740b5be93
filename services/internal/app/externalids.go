package app

import (
	"context"
	"errors"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// unlessInUse runs a statement that gives posts an external id, and returns EXTERNAL_ID_IN_USE with the post that has it
// if another post of their channels does.
func (a *postUseCases) unlessInUse(
	ctx context.Context, p Principal, id string, of []ident.Channel, write func(ctx context.Context) error,
) error {
	if id == "" {
		return write(ctx)
	}
	do := write
	if a.db.InTx(ctx) { // the refused statement would abort the transaction
		do = func(ctx context.Context) error { return a.db.WithinSavepoint(ctx, write) }
	}
	err := do(ctx)
	if !errors.Is(err, postgres.ErrExternalIDInUse) {
		return err
	}
	holder, channel, err := a.posts.ByExternalID(ctx, p.WorkspaceID, id, of)
	switch {
	case err != nil:
		return err
	case holder.IsZero(): // it was deleted meanwhile
		return do(ctx)
	}
	return &apperr.Error{
		Code: apperr.ExternalIDInUse, PostID: holder.String(), Fields: []apperr.Field{{
			Pointer: "/externalId", Message: "is the external ID of post " + holder.String() + " of channel " + channel.String() +
				"; change that post, or send another ID",
		}},
		Message: "externalId is the external ID of post " + holder.String() + " of channel " + channel.String() +
			"; change that post, or send another ID.",
	}
}
