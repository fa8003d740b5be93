// Package cleanup deletes expired data: stored responses of idempotent requests, idle rate-limit buckets, uploads that
// were not completed, ended imports, events and deliveries after a month, deleted webhooks, timelines of channels after a year, analytics after two years,
// and objects in storage that no record references or that were written too late.
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
	// KeepAnswers is the time in which the response to a request with an Idempotency-Key is replayed (decisions, section 3).
	KeepAnswers = 24 * time.Hour
	// KeepEvents is the retention of events and of their deliveries, attempts and replays (decisions, section 7).
	KeepEvents = 30 * 24 * time.Hour
	// KeepInsights is the retention of snapshots of channels and posts: two leap years, so that the longest range a
	// client can request fits.
	KeepInsights = 2 * 366 * 24 * time.Hour
	// KeepTimelines is the retention of the timelines of channels: longer than the longest connection, a year.
	KeepTimelines = 400 * 24 * time.Hour
	// batch is the maximum number of entries per statement, so that no lock is held for long.
	batch = 1000
	// objectBatch is the maximum number of objects that are deleted while their keys are locked.
	objectBatch = 10
	// KeepUploads is the minimum age of a client's object before it is deleted. No upload lives longer than two hours,
	// but a PUT that starts in time may end after its upload was deleted.
	KeepUploads = 24 * time.Hour
	// mostFailures is the number of failures that ends the deletion of such objects for this round. One object that
	// cannot be deleted does not block the others, and a storage outage does not cause a thousand failing calls.
	mostFailures = 10
)

// Aged is a store whose entries expire at a certain age.
type Aged interface {
	// Prune deletes up to limit entries that are older than age, and returns the number deleted.
	Prune(ctx context.Context, age time.Duration, limit int) (int, error)
}

// Limits is the store of clients' rate limits.
type Limits interface {
	// Prune deletes buckets that are equivalent to new ones, and returns the number deleted.
	Prune(ctx context.Context) (int, error)
}

// Uploads is the store of direct uploads in progress.
type Uploads interface {
	// Expire deletes up to limit uploads that were not completed in time, and returns the number deleted.
	Expire(ctx context.Context, limit int) (int, error)
}

// Loose is the store of keys of objects that no record references.
type Loose interface {
	// Sweep calls remove for up to limit keys that are due, deletes the keys whose removal succeeded, and returns their
	// number.
	Sweep(ctx context.Context, limit int, remove func(ctx context.Context, key string) error) (int, error)
}

// Objects is the object storage.
type Objects interface {
	// Delete deletes an object. A missing object is not an error.
	Delete(ctx context.Context, key string) error
	// List yields the objects whose key starts with the prefix and that were last modified before the given time. An
	// error ends the iteration. Objects may be deleted during the iteration.
	List(ctx context.Context, prefix string, before time.Time) iter.Seq2[objectstore.Info, error]
}

// Config holds the stores that a Cleaner prunes, and its interval.
type Config struct {
	Answers  Aged // to requests with an Idempotency-Key
	Imports  Aged // they also replay responses to repeated requests
	Events   Aged
	Webhooks Aged // deleted webhooks, and replays
	Insights Aged // snapshots of the figures of channels and posts
	Channels Aged // entries of the timelines of channels
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

// New returns a Cleaner. It returns an error if a field of the configuration is missing.
func New(cfg Config) (*Cleaner, error) {
	if cfg.Answers == nil || cfg.Imports == nil || cfg.Events == nil || cfg.Webhooks == nil || cfg.Insights == nil ||
		cfg.Channels == nil ||
		cfg.Limits == nil || cfg.Uploads == nil || cfg.Loose == nil || cfg.Objects == nil ||
		cfg.Every <= 0 || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("cleanup: every field is required")
	}
	return &Cleaner{Config: cfg}, nil
}

// Run does a round immediately and then one per interval until the context ends. It logs a failed round; the next round
// catches up.
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

// Round deletes everything that has expired. A failure in one store does not stop the others.
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
		all(batch, prune(c.Channels, KeepTimelines)),
		all(batch, func(limit int) (int, error) { return c.Uploads.Expire(ctx, limit) }),
		all(objectBatch, func(limit int) (int, error) { return c.Loose.Sweep(ctx, limit, c.Objects.Delete) }),
		c.removeLate(ctx),
	)
}

// removeLate deletes objects that clients wrote after their upload was deleted, at most one batch of them.
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

// all calls prune until a batch is not full.
func all(limit int, prune func(limit int) (int, error)) error {
	for {
		if n, err := prune(limit); err != nil || n < limit {
			return err
		}
	}
}
