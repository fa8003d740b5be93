// Package cleanup deletes expired data: responses kept for repeated requests, idle rate-limit buckets, uploads that were never
// completed, ended imports, events and deliveries after a month, deleted webhooks, analytics after two years, and objects in
// storage that belong to nothing or arrived too late.
package cleanup

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/objectstore"
	"socialpub.internal/shared/kernel/clock"
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

// Config holds the stores that a Cleaner prunes, and its interval.
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

// Cleaner deletes expired data in rounds. Any number of processes may run one.
type Cleaner struct{ Config }

// New checks the configuration.
func New(cfg Config) (*Cleaner, error) {
	if cfg.Answers == nil || cfg.Imports == nil || cfg.Events == nil || cfg.Webhooks == nil || cfg.Insights == nil || cfg.Limits == nil || cfg.Uploads == nil || cfg.Loose == nil || cfg.Objects == nil ||
		cfg.Every <= 0 || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("cleanup: every field is required")
	}
	return &Cleaner{Config: cfg}, nil
}

// Run does a round at once and then one per interval until the context ends. It logs a failed round; the next one catches up.
func (c *Cleaner) Run(ctx context.Context) {
	ticker := time.NewTicker(c.Every)
	defer ticker.Stop()
	for {
		if err := c.Round(ctx); err != nil && ctx.Err() == nil {
			c.Logger.WarnContext(ctx, "cleanup round failed", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Round deletes everything that has expired. A failure in one store does not keep it from the others.
func (c *Cleaner) Round(ctx context.Context) error {
	_, err := c.Limits.Prune(ctx)
	prune := func(a Aged, age time.Duration) func(limit int) (int, error) {
		return func(limit int) (int, error) { return a.Prune(ctx, age, limit) }
	}
	return errors.Join(err,
		all(batch, prune(c.Answers, KeepAnswers)),
		all(batch, prune(c.Imports, KeepAnswers)),
		all(batch, prune(c.Events, KeepEvents)),
		all(batch, prune(c.Webhooks, KeepEvents)),
		all(batch, prune(c.Insights, KeepInsights)),
		all(batch, func(limit int) (int, error) { return c.Uploads.Expire(ctx, limit) }),
		all(objectBatch, func(limit int) (int, error) { return c.Loose.Sweep(ctx, limit, c.Objects.Delete) }),
		c.removeLate(ctx),
	)
}

// removeLate removes what clients wrote after their upload was forgotten, up to a batch of objects.
func (c *Cleaner) removeLate(ctx context.Context) error {
	var failed []error
	tried := 0
	for object, err := range c.Objects.List(ctx, media.UploadPrefix, c.Clock.Now().Add(-KeepUploads)) {
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if err := c.Objects.Delete(ctx, object.Key); err != nil {
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
