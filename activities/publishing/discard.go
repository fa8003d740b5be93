package publishing

import (
	"context"
	"log/slog"
	"time"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/platform"
)

// discardFor is the time limit for the deletion of what a failed post left on its network.
const discardFor = 30 * time.Second

// discard deletes what the preparation of a failed post left on its network, if a later attempt would not use it. A
// failure is logged. Only the owner of the account sees what is left.
func (r *run) discard(ctx context.Context, result postgres.AttemptResult) {
	discarder, ok := r.connector.(platform.Discarder)
	handle := r.intent.Handle // newer than the stored one, which was read when this execution began
	if handle == "" && result.N != 0 && result.N == r.Attempt.N {
		handle = r.Attempt.Handle
	}
	refused := result.State == post.AttemptRejected && !result.Revoked &&
		!putOff(postgres.Attempt{Class: result.Class, Code: result.Code})
	if !ok || !refused || handle == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardFor)
	defer cancel()
	if err := discarder.Discard(ctx, r.account(), platform.Handle(handle)); err != nil {
		r.Logger.WarnContext(ctx, "the upload of a failed post was not deleted",
			slog.String("post_id", r.Post.ID.String()), slog.Any("error", err))
	}
}
