// Package insights collects the figures of channels and posts (docs/contract.md, Analytics). Each step requests one
// page of days or one batch of posts from a channel's network and records the response. Every step may be repeated: a
// later reading of a day replaces an earlier one.
package insights

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fencepost.internal/activities/heartbeat"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// Crash points of a step; a test kills the process at each of them.
const (
	FailAfterRead   = "insights.after_read"
	FailAfterRecord = "insights.after_record"
)

const (
	// FirstDays is the number of days requested by a channel's first collection.
	FirstDays = analytics.DefaultDays
	// KeptDays is the number of past days requested after an outage. Most networks keep no more, and omit the days that
	// they do not keep.
	KeptDays = 90
	// UnsettledDays is the number of days before the last collected one that are read again, because networks complete
	// and correct their latest days.
	UnsettledDays = 5
	// PostDays is the number of days after publication for which a post's figures are read.
	PostDays = 90

	// page is the number of days requested by one step. Every network returns that many in one response.
	page = 28
	// batch is the number of posts read by one step. Some networks need one call per post.
	batch = 20
	// askTimeout bounds the calls of one step. It is shorter than the workflow's timeout for the step.
	askTimeout = 150 * time.Second
	// timeout is the maximum duration of a collection. It is shorter than the interval between collections, so that
	// they do not overlap.
	timeout = 20 * time.Hour
)

// Store stores the collected figures.
type Store interface {
	Progress

	// Collection returns the state that a step needs. It returns NOT_FOUND if the channel was deleted.
	Collection(ctx context.Context, id ident.Channel) (postgres.Collection, error)
	// SetFacts stores what the network says about the channel's account.
	SetFacts(ctx context.Context, id ident.Channel, facts channel.Facts) error
	// SaveChannel records days of a channel, and the day up to which its network was queried.
	SaveChannel(ctx context.Context, id ident.Channel, days []analytics.ChannelDay, until analytics.Date) error
	// Published returns the channel's posts published after since, ordered by ID and starting after the given post.
	Published(ctx context.Context, id ident.Channel, since time.Time, after ident.Post, limit int) ([]analytics.PublishedPost, error)
	Revisions
	// SavePosts records the figures of a channel's posts on a day.
	SavePosts(ctx context.Context, id ident.Channel, posts map[ident.Post]analytics.PostDay) error
}

// Revisions stores what a network says about posts that count as published.
type Revisions interface {
	// Rename records the id and the address that the network gave a post after it counted as published. It returns false
	// if another post has the id.
	Rename(ctx context.Context, n postgres.Renaming) (bool, error)
	// Remove records that the network refused or removed a published post.
	Remove(ctx context.Context, r postgres.Removal) error
	// Confirm records that the network shows a post that was published unconfirmed.
	Confirm(ctx context.Context, id ident.Post) error
}

// Progress stores the progress of collections.
type Progress interface {
	// Heard records that a collection is still running.
	Heard(ctx context.Context, id ident.Channel) error
	// Finish records that a collection completed.
	Finish(ctx context.Context, id ident.Channel, at time.Time) error
	// Stop records that the network permanently refuses the credentials with this revision.
	Stop(ctx context.Context, id ident.Channel, revision int, reason string) error
}

// Config holds the dependencies and settings of a Collector.
type Config struct {
	Store    Store
	Access   *access.Keeper
	Networks *platform.Registry
	Pictures Pictures
	Clock    clock.Clock
	Logger   *slog.Logger
	Metrics  *Metrics
	// PerSecond is the number of steps per second that this process starts for each network. It does not limit
	// publishing.
	PerSecond float64
	// Concurrency is the maximum number of concurrent steps. The steps of one network use at most half of them.
	Concurrency int
	RetryScale  float64 // factor applied to the waits after failures; 1 in production
}

// Collector executes the steps of collections. It is safe for concurrent use.
type Collector struct {
	Config

	pace *pace
}

// New returns a Collector, or an error if cfg is incomplete.
func New(cfg Config) (*Collector, error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Networks == nil || cfg.Pictures == nil || cfg.Clock == nil || cfg.Logger == nil ||
		cfg.Metrics == nil ||
		cfg.PerSecond <= 0 || cfg.Concurrency < 1 || cfg.RetryScale <= 0 {
		return nil, errors.New("insights: every dependency is required, and every number must be positive")
	}
	every := time.Duration(float64(time.Second) / cfg.PerSecond)
	return &Collector{Config: cfg, pace: newPace(every, max(1, cfg.Concurrency/2))}, nil //nolint:mnd // half of them
}

// Collect executes one step, and returns the next step and the wait before it.
func (c *Collector) Collect(ctx context.Context, in flow.InsightsInput) (flow.InsightsOutcome, error) {
	defer heartbeat.Keep(ctx)()
	found, err := c.Store.Collection(ctx, in.ChannelID)
	if apperr.Is(err, apperr.NotFound) {
		return done("The channel was removed."), nil
	}
	if err != nil {
		return flow.InsightsOutcome{}, err
	}
	source, note := c.source(found)
	if note != "" {
		c.Metrics.steps.WithLabelValues(string(in.Network), outcomeIdle).Inc()
		return done(note), c.Store.Heard(ctx, in.ChannelID)
	}
	now := c.Clock.Now()
	if in.Step.Begun.IsZero() {
		in.Step.Begun = now
	}
	release, wait, free := c.pace.enter(in.Network, now, &in.Step)
	if !free {
		return flow.InsightsOutcome{
			Wait: wait, Next: in.Step, Note: "Waits for its turn: other channels of the network are being read.",
		}, nil
	}
	defer release()
	in.Step.Turn = time.Time{}
	if in.Step.Posts {
		return c.posts(ctx, in, found, source)
	}
	return c.days(ctx, in, found, source)
}

// source returns the network of a channel, or a note that says why it is not queried.
func (c *Collector) source(found postgres.Collection) (platform.Insighter, string) {
	ch := found.Channel
	source, supported := c.Networks.Insighter(ch)
	switch {
	case !ch.IsConnected:
		return nil, "The channel is disconnected."
	case !ch.Ready():
		return nil, "The channel must be reconnected before its figures can be collected."
	case found.Stopped != "":
		return nil, "Stopped until the channel is reconnected: " + found.Stopped
	case !supported || !ch.Type.Capabilities().Analytics:
		return nil, fmt.Sprintf("Channels of type %s have no figures.", ch.Type)
	}
	return source, ""
}

func done(note string) flow.InsightsOutcome { return flow.InsightsOutcome{Done: true, Note: note} }

// ask calls the network on behalf of the channel, and refreshes its credentials when they have expired.
func (c *Collector) ask(
	ctx context.Context, found postgres.Collection, call func(ctx context.Context, a platform.Account) error,
) error {
	link, _ := c.Networks.Link(found.Channel)
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	err := c.Access.Do(asking, link, found.Channel, call)
	if _, classified := errors.AsType[*platform.Failure](err); err != nil && !classified && asking.Err() != nil &&
		ctx.Err() == nil {
		err = &platform.Failure{
			Class: platform.ClassTransient, Code: "PLATFORM_UNAVAILABLE", Message: "The network did not respond in time.",
			Cause: err,
		}
	}
	if hit := failpoint.Hit(ctx, FailAfterRead); hit != nil {
		return hit
	}
	return err
}
