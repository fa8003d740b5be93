// Package cleanup deletes expired data: stored responses of idempotent requests, idle rate-limit buckets, uploads that
// were not completed, ended imports, events and deliveries after a month, deleted webhooks, timelines of channels after a
// year, attempts to connect accounts after a month, analytics and the history of posts after their retention
// (docs/architecture.md, Retention), and objects in storage that no record references or that were written too late.
package cleanup

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"fencepost.internal/activities/insights"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// KeepResponses is the time in which the response to a request with an Idempotency-Key is replayed
	// (docs/contract.md, Retention).
	KeepResponses = 24 * time.Hour
	// KeepEvents is the retention of events and of their deliveries, attempts and replays (docs/contract.md, Event log).
	KeepEvents = 30 * 24 * time.Hour
	// KeepRequests is the retention of the log of requests (docs/reference/request-log.md).
	KeepRequests = 30 * 24 * time.Hour
	// KeepInbound is the retention of what networks reported. Networks repeat for up to 7 days.
	KeepInbound = 14 * 24 * time.Hour
	// KeepTimelines is the retention of the timelines of channels: longer than the longest connection, a year.
	KeepTimelines = 400 * 24 * time.Hour
	// KeepAttempts is the minimum retention of the attempts of published posts, which have the IDs under which networks
	// know the posts. Figures of posts are read by these IDs for insights.PostDays after publication, and by day.
	KeepAttempts = (insights.PostDays + 1) * 24 * time.Hour
	// batch is the maximum number of entries per statement, so that no lock is held for long.
	batch = 1000
	// objectBatch is the maximum number of objects that are deleted while their keys are locked.
	objectBatch = 10
	// KeepUploads is the minimum age of a client's object before it is deleted. No upload lives longer than two hours,
	// but a PUT that starts in time may end after its upload was deleted.
	KeepUploads = 24 * time.Hour
	// mostIdle is the number of pages in a row without expired data after which a walk goes on in the next round. It
	// bounds the cost of posts that stay.
	mostIdle = 10
	// mostFailures is the number of failures that ends the deletion of such objects for this round. One object that
	// cannot be deleted does not block the others, and a storage outage does not cause a thousand failing calls.
	mostFailures = 10
)

// Aged is a store whose entries expire at a certain age.
type Aged interface {
	// Prune deletes up to limit entries that are older than age, and returns the number deleted.
	Prune(ctx context.Context, age time.Duration, limit int) (int, error)
}

// Retained is data of posts that expires when the posts have ended and have not changed for long.
type Retained interface {
	// Prune deletes expired data in a page of up to limit rows after a post. The last post of the page is zero at the end.
	Prune(ctx context.Context, age time.Duration, after ident.Post, limit int) (postgres.Pruned, error)
}

// Ages holds how long data is kept; nil means for good.
type Ages struct {
	Analytics *time.Duration // figures, visits and clicks
	History   *time.Duration // timelines and attempts, after the last change of their post; attempts at least KeepAttempts
	Posts     *time.Duration // after their last change
}

// Limits is the store of clients' rate limits.
type Limits interface {
	// Prune deletes buckets that are equivalent to new ones, and returns the number deleted.
	Prune(ctx context.Context) (int, error)
}

// Ended is a store whose entries have ages of their own.
type Ended interface {
	// Prune deletes up to limit entries that have expired, and returns the number deleted.
	Prune(ctx context.Context, limit int) (int, error)
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
	Responses Aged // to requests with an Idempotency-Key
	Imports   Aged // they also replay responses to repeated requests
	Events    Aged
	Webhooks  Aged  // deleted webhooks, and replays
	Insights  Aged  // snapshots of the figures of channels and posts
	Visits    Aged  // of link pages, by day
	Channels  Aged  // entries of the timelines of channels
	Inbound   Aged  // what networks reported
	Requests  Aged  // of API keys and programs
	Talks     Ended // conversations of workspaces that keep them for a time
	Connects  Aged  // attempts to connect accounts, and at once the secrets of abandoned ones
	Limits    Limits

	Timelines Retained // of posts
	Attempts  Retained // to publish posts
	Posts     Retained
	Ages      Ages

	Uploads Uploads
	Loose   Loose
	Objects Objects
	Every   time.Duration
	Clock   clock.Clock
	Logger  *slog.Logger
	Metrics *Metrics
}

// Cleaner deletes expired data in rounds. Any number of processes may run one.
type Cleaner struct {
	Config

	walks map[Retained]ident.Post // the positions of walks that go on in the next round
}

// New returns a Cleaner. It returns an error if a field of the configuration is missing.
func New(cfg Config) (*Cleaner, error) {
	if cfg.Responses == nil || cfg.Imports == nil || cfg.Events == nil || cfg.Webhooks == nil || cfg.Insights == nil ||
		cfg.Channels == nil || cfg.Connects == nil || cfg.Inbound == nil || cfg.Requests == nil || cfg.Talks == nil ||
		cfg.Limits == nil || cfg.Uploads == nil || cfg.Loose == nil || cfg.Objects == nil ||
		cfg.Visits == nil || cfg.Timelines == nil || cfg.Attempts == nil || cfg.Posts == nil ||
		cfg.Every <= 0 || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil {
		return nil, errors.New("cleanup: every field is required")
	}
	c := &Cleaner{Config: cfg, walks: make(map[Retained]ident.Post)}
	for _, of := range c.steps() {
		c.Metrics.expect(of.kind)
	}
	return c, nil
}

// Run does a round immediately and then one per interval until the context ends. It logs a failed round; the next round
// catches up.
func (c *Cleaner) Run(ctx context.Context) {
	retry.Every(ctx, c.Every, c.Round, func(err error) {
		c.Logger.WarnContext(ctx, "cleanup round failed", slog.Any("error", err))
	})
}

// step deletes what has expired in one store.
type step struct {
	kind  string
	prune func(context.Context) (int, error)
}

// Round deletes everything that has expired. A failure in one store does not stop the others.
func (c *Cleaner) Round(ctx context.Context) error {
	var failed []error
	for _, of := range c.steps() {
		n, err := of.prune(ctx)
		c.Metrics.count(of.kind, n, err)
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (c *Cleaner) steps() []step {
	aged := func(store Aged, age time.Duration) func(context.Context) (int, error) {
		return all(batch, func(ctx context.Context, limit int) (int, error) { return store.Prune(ctx, age, limit) })
	}
	retained := func(store Retained, age *time.Duration) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) { return c.walk(ctx, store, age) }
	}
	analytics := func(store Aged) func(context.Context) (int, error) {
		if c.Ages.Analytics == nil {
			return func(context.Context) (int, error) { return 0, nil }
		}
		return aged(store, *c.Ages.Analytics)
	}
	return []step{
		{"limits", c.Limits.Prune},
		{"responses", aged(c.Responses, KeepResponses)},
		{"imports", aged(c.Imports, KeepResponses)},
		{"events", aged(c.Events, KeepEvents)},
		{"webhooks", aged(c.Webhooks, KeepEvents)},
		{"connections", aged(c.Channels, KeepTimelines)},
		{"connects", aged(c.Connects, KeepEvents)},
		{"inbound", aged(c.Inbound, KeepInbound)},
		{"requests", aged(c.Requests, KeepRequests)},
		{"conversations", all(batch, c.Talks.Prune)},
		{"insights", analytics(c.Insights)},
		{"visits", analytics(c.Visits)},
		{"posts", retained(c.Posts, c.Ages.Posts)},
		{"timelines", retained(c.Timelines, c.Ages.History)},
		{"attempts", retained(c.Attempts, atLeast(KeepAttempts, c.Ages.History))},
		{"uploads", all(batch, c.Uploads.Expire)},
		{"objects", all(objectBatch, func(ctx context.Context, limit int) (int, error) {
			return c.Loose.Sweep(ctx, limit, c.Objects.Delete)
		})},
		{"late_uploads", c.removeLate},
	}
}

// atLeast returns the longer of the ages; nil, which is for good, is the longest.
func atLeast(least time.Duration, age *time.Duration) *time.Duration {
	if age == nil {
		return nil
	}
	return new(max(least, *age))
}

// walk continues the walk over data of posts and returns the number of deleted rows. It stops at the end, and after a
// number of pages in a row without expired data.
func (c *Cleaner) walk(ctx context.Context, store Retained, age *time.Duration) (deleted int, err error) {
	if age == nil {
		return 0, nil
	}
	for idle := 0; idle < mostIdle; idle++ {
		page, err := store.Prune(ctx, *age, c.walks[store], batch)
		if err != nil {
			return deleted, err
		}
		deleted += page.Deleted
		c.walks[store] = page.Last
		if page.Last.IsZero() {
			return deleted, nil
		}
		if page.Deleted > 0 {
			idle = -1
		}
	}
	return deleted, nil
}

// removeLate deletes objects that clients wrote after their upload was deleted, at most one batch of them.
func (c *Cleaner) removeLate(ctx context.Context) (deleted int, err error) {
	var failed []error
	tried := 0
	for object, err := range c.Objects.List(ctx, media.UploadPrefix, c.Clock.Now().Add(-KeepUploads)) {
		if err != nil {
			return deleted, errors.Join(append(failed, err)...)
		}
		if err := c.Objects.Delete(ctx, object.Key); err != nil {
			failed = append(failed, err)
		} else {
			deleted++
		}
		if tried++; tried == batch || len(failed) == mostFailures || ctx.Err() != nil {
			break
		}
	}
	return deleted, errors.Join(failed...)
}

// all returns a function that calls prune until a batch is not full, and returns the number of deleted entries.
func all(
	limit int, prune func(ctx context.Context, limit int) (int, error),
) func(context.Context) (int, error) {
	return func(ctx context.Context) (deleted int, err error) {
		for {
			n, err := prune(ctx, limit)
			deleted += n
			if err != nil || n < limit {
				return deleted, err
			}
		}
	}
}
