package publishing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	// discardFor is the time limit for the deletion of what a failed post left on its network.
	discardFor = 30 * time.Second
	// discardPoll is the time between two claims of leftovers.
	discardPoll = 30 * time.Second
	// discardLease is the time for which an execution reserves a leftover, and the pause after a failed deletion.
	discardLease = 10 * time.Minute
	// discardShutdown is the time in which deletions in flight may finish on shutdown.
	discardShutdown = 5 * time.Second
	// discardAge is the age from which a leftover that cannot be deleted is given up.
	discardAge = 7 * 24 * time.Hour
	// discardInFlight is the number of leftovers that one process deletes at the same time.
	discardInFlight = 16

	// codeEdited is the failure code of an attempt whose content was edited before it was sent.
	codeEdited = "CONTENT_EDITED"
)

// replace ends the attempt that prepared content which was edited since, if the upload of that content can be deleted.
// Leftovers deletes it, so that the post is not late. On other networks the attempt goes on with the current content.
func (r *run) replace(ctx context.Context) error {
	if _, ok := r.connector.(platform.Discarder); !ok || !r.edited || r.Attempt.Handle == "" {
		return nil
	}
	result := rejected(r.Attempt.N, &platform.Failure{
		Class: platform.ClassUser, Code: codeEdited, Message: "The post was edited after the upload.",
	})
	result.Leaves, result.Edited = true, true
	return r.next(ctx, result, post.WaitProcessing)
}

// discardable returns the handle of what the attempt leaves on the network, if it can be deleted and no later attempt
// would use it; empty otherwise.
func (r *run) discardable(result postgres.AttemptResult) string {
	if _, ok := r.connector.(platform.Discarder); !ok || result.State != post.AttemptRejected || result.Revoked ||
		deferred(postgres.Attempt{Class: result.Class, Code: result.Code}) {
		return ""
	}
	if r.intent.Handle == "" && result.N == r.Attempt.N {
		return r.Attempt.Handle
	}
	return r.intent.Handle // newer than the stored one, which was read when this execution began
}

// discard deletes what a failed post left on its network. If it fails, or the process ends before it, Leftovers deletes
// it later. Only the owner of the account sees what is left.
func (r *run) discard(ctx context.Context, n int, handle string) error {
	if handle == "" {
		return nil
	}
	if err := failpoint.Hit(ctx, FailBeforeDiscard); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardFor)
	defer cancel()
	discarder, _ := r.connector.(platform.Discarder)
	err := discarder.Discard(ctx, r.account(), platform.Handle(handle))
	if err == nil {
		err = r.Attempts.Discarded(ctx, r.Post.ID, n)
	}
	if err != nil {
		r.Logger.WarnContext(ctx, "the upload of a failed post was not deleted; it is tried again later",
			slog.String("post_id", r.Post.ID.String()), slog.Any("error", err))
	}
	return nil
}

// LeftoverStore stores what failed posts left on their networks; see postgres.Leftovers.
type LeftoverStore interface {
	Claim(ctx context.Context, turn retry.Turn, lease, age time.Duration) ([]postgres.Leftover, error)
	Discarded(ctx context.Context, id ident.Post, n int) error
}

// Caller calls the network of a channel with valid credentials; see access.Keeper.
type Caller interface {
	Do(ctx context.Context, link platform.Link, c channel.Channel, call func(context.Context, platform.Account) error) error
}

// LeftoversConfig holds the dependencies of Leftovers.
type LeftoversConfig struct {
	Store      LeftoverStore
	Access     Caller
	Connectors *platform.Registry
	Clock      clock.Clock
	Logger     *slog.Logger
	Metrics    *retry.Metrics
}

// NewLeftovers returns the loop that deletes what posts left on their networks: failed ones, if the execution that failed
// them did not, and those that were edited after the upload. It returns an error if a dependency is missing.
func NewLeftovers(cfg LeftoversConfig) (*retry.Loop[postgres.Leftover], error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Connectors == nil {
		return nil, errors.New("publishing: every dependency of leftovers is required")
	}
	return retry.NewLoop(retry.LoopConfig[postgres.Leftover]{
		Name: "leftovers", InFlight: discardInFlight, Batch: discardInFlight, Idle: discardPoll, Shutdown: discardShutdown,
		Clock: cfg.Clock, Logger: cfg.Logger, Metrics: cfg.Metrics,
		Claim: func(ctx context.Context, turn retry.Turn) ([]postgres.Leftover, error) {
			return cfg.Store.Claim(ctx, turn, discardLease, discardAge)
		},
		Workspace: func(l postgres.Leftover) ident.Workspace { return l.Channel.WorkspaceID },
		Handle:    cfg.delete,
	})
}

// delete deletes one leftover. One that cannot be deleted is claimed again after its lease.
func (l LeftoversConfig) delete(ctx context.Context, leftover postgres.Leftover) error {
	ctx, cancel := context.WithTimeout(ctx, discardFor)
	defer cancel()
	connector, _ := l.Connectors.For(leftover.Channel)
	discarder, ok := connector.(platform.Discarder)
	if ok {
		err := l.Access.Do(ctx, discarder, leftover.Channel, func(ctx context.Context, account platform.Account) error {
			return discarder.Discard(ctx, account, platform.Handle(leftover.Handle))
		})
		if err != nil {
			return err
		}
	}
	return l.Store.Discarded(ctx, leftover.PostID, leftover.N)
}
