// Package upkeep forgets what has served its time: answers kept for repeated requests, rate limits of clients that are gone,
// uploads that were never completed, imports that have ended, the log of events with its deliveries after a month, webhooks that
// were deleted, figures after two years, and objects in storage that belong to nothing, or came too late.
package upkeep

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"socialpub.internal/shared/clock"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/objectstore"
)

const (
	// KeepAnswers is how long the answer to a request with an Idempotency-Key is given again (decisions, section 3).
	KeepAnswers = 24 * time.Hour
	// KeepEvents is how long the log of events reaches back, and with it deliveries, attempts and replays (decisions,
	// section 7).
	KeepEvents = 30 * 24 * time.Hour
	// KeepInsights is how long snapshots of channels and posts are kept: two years, leap days and the longest range among them.
	KeepInsights = 2 * 366 * 24 * time.Hour
	// batch bounds one statement, so that no lock is held for long.
	batch = 1000
	// objectBatch bounds the objects that are deleted while their keys are held.
	objectBatch = 10
	// KeepUploads is how long what clients wrote is left alone: no upload lives longer than two hours, but a PUT that was
	// begun in time may end after its upload was forgotten.
	KeepUploads = 24 * time.Hour
	// mostFailures ends the removal of such objects for this round: one that cannot be deleted keeps no other, a store
	// that does not answer would be asked a thousand times.
	mostFailures = 10
)

// Aged keeps what is forgotten at a certain age.
type Aged interface {
	// Prune forgets up to limit entries that are older than age, and returns how many.
	Prune(ctx context.Context, age time.Duration, limit int) (int, error)
}

// Limits keeps the rate limits of clients.
type Limits interface {
	// Prune forgets buckets that say no more than new ones would, and returns how many.
	Prune(ctx context.Context) (int, error)
}

// Uploads keeps the direct uploads that were begun.
type Uploads interface {
	// Expire forgets up to limit uploads that were not completed in time, and returns how many.
	Expire(ctx context.Context, limit int) (int, error)
}

// Loose keeps the keys of objects that belong to nothing.
type Loose interface {
	// Sweep hands up to limit keys whose time has come to remove, forgets those that it removed, and returns how many.
	Sweep(ctx context.Context, limit int, remove func(ctx context.Context, key string) error) (int, error)
}

// Objects is the storage of files.
type Objects interface {
	// Delete removes an object; that there is none is no error.
	Delete(ctx context.Context, key string) error
	// List yields the objects whose key begins with the prefix and that were last modified before the given time. An error
	// ends the listing. Objects may be deleted on the way.
	List(ctx context.Context, prefix string, before time.Time) iter.Seq2[objectstore.Info, error]
}

// Config is what upkeep stands on.
type Config struct {
	Answers  Aged // to requests with an Idempotency-Key
	Imports  Aged // they answer repeated requests too
	Events   Aged
	Webhooks Aged // those that were deleted, and replays
	Insights Aged // snapshots of how channels and posts did
	Limits   Limits
	Uploads  Uploads
	Loose    Loose
	Objects  Objects
	Every    time.Duration
	Clock    clock.Clock
	Logger   *slog.Logger
}

// Upkeep does its rounds. Any number of processes may.
type Upkeep struct{ Config }

// New checks the configuration.
func New(cfg Config) (*Upkeep, error) {
	if cfg.Answers == nil || cfg.Imports == nil || cfg.Events == nil || cfg.Webhooks == nil || cfg.Insights == nil || cfg.Limits == nil || cfg.Uploads == nil || cfg.Loose == nil || cfg.Objects == nil ||
		cfg.Every <= 0 || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("upkeep: every field is required")
	}
	return &Upkeep{Config: cfg}, nil
}

// Run does a round at once and then every so often, until the context ends. A round that fails is logged, and the next one
// catches up.
func (u *Upkeep) Run(ctx context.Context) {
	ticker := time.NewTicker(u.Every)
	defer ticker.Stop()
	for {
		if err := u.Round(ctx); err != nil && ctx.Err() == nil {
			u.Logger.WarnContext(ctx, "upkeep was cut short", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Round forgets everything that has served its time by now. That one thing cannot be forgotten keeps no other.
func (u *Upkeep) Round(ctx context.Context) error {
	_, err := u.Limits.Prune(ctx)
	prune := func(a Aged, age time.Duration) func(limit int) (int, error) {
		return func(limit int) (int, error) { return a.Prune(ctx, age, limit) }
	}
	return errors.Join(err,
		all(batch, prune(u.Answers, KeepAnswers)),
		all(batch, prune(u.Imports, KeepAnswers)),
		all(batch, prune(u.Events, KeepEvents)),
		all(batch, prune(u.Webhooks, KeepEvents)),
		all(batch, prune(u.Insights, KeepInsights)),
		all(batch, func(limit int) (int, error) { return u.Uploads.Expire(ctx, limit) }),
		all(objectBatch, func(limit int) (int, error) { return u.Loose.Sweep(ctx, limit, u.Objects.Delete) }),
		u.removeLate(ctx),
	)
}

// removeLate removes what clients wrote after their upload was forgotten, up to a batch of objects.
func (u *Upkeep) removeLate(ctx context.Context) error {
	var failed []error
	tried := 0
	for object, err := range u.Objects.List(ctx, media.UploadPrefix, u.Clock.Now().Add(-KeepUploads)) {
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if err := u.Objects.Delete(ctx, object.Key); err != nil {
			failed = append(failed, err)
		}
		if tried++; tried == batch || len(failed) == mostFailures || ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// all forgets batch after batch, until one is not full.
func all(limit int, forget func(limit int) (int, error)) error {
	for {
		if n, err := forget(limit); err != nil || n < limit {
			return err
		}
	}
}
