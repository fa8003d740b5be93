// Package insights collects how channels and posts do (specification, Analytics): step after step it asks a channel's network, a
// page of days or a batch of posts at a time, and records what it told. Everything it does may be done again: a later reading of a
// day takes the place of an earlier one.
package insights

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"socialpub.internal/activities/heartbeat"
	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/flow/insightsflow"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/kernel/failpoint"
	"socialpub.internal/shared/kernel/ident"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/access"
)

// The crash points of a step; a test kills the process at each of them.
const (
	FailAfterRead   = "insights.after_read"
	FailAfterRecord = "insights.after_record"
)

const (
	// FirstDays is how many days are asked for when a channel is collected for the first time.
	FirstDays = analytics.DefaultDays
	// KeptDays is how far back networks are asked after an outage. Most keep no more, and what one does not keep it leaves out.
	KeptDays = 90
	// UnsettledDays is how many days before the last collected one are read again: networks complete and correct their latest days.
	UnsettledDays = 5
	// PostDays is how long after its publication a post's figures are read.
	PostDays = 90

	// page is how many days one step asks for: every network tells so many at once.
	page = 28
	// batch is how many posts one step asks for. Some networks are called for each.
	batch = 20
	// askTimeout bounds the calls of one step, within the time that its workflow gives it.
	askTimeout = 150 * time.Second
	// patience is how long a collection goes on at most: it ends before the next one begins.
	patience = 20 * time.Hour
)

// Store keeps the figures.
type Store interface {
	// Collection reads what a step stands on. NOT_FOUND when the channel is gone.
	Collection(ctx context.Context, id ident.Channel) (postgres.Collection, error)
	// SaveChannel records days of a channel, and that the network was asked up to a day.
	SaveChannel(ctx context.Context, id ident.Channel, days []analytics.ChannelDay, until analytics.Date) error
	// Published reads posts of the channel that were published since then, in the order of their ids, after one of them.
	Published(ctx context.Context, id ident.Channel, since time.Time, after ident.Post, limit int) ([]analytics.PublishedPost, error)
	// SavePosts records how posts of a channel do on a day.
	SavePosts(ctx context.Context, id ident.Channel, posts map[ident.Post]analytics.PostDay) error
	// Heard records that a collection is under way.
	Heard(ctx context.Context, id ident.Channel) error
	// Finish records that a collection came to its end.
	Finish(ctx context.Context, id ident.Channel, at time.Time) error
	// Stop records that the network refuses for good, to credentials of the revision.
	Stop(ctx context.Context, id ident.Channel, revision int, reason string) error
}

// Config is what a Collector stands on.
type Config struct {
	Store    Store
	Access   *access.Keeper
	Networks *platform.Registry
	Clock    clock.Clock
	Logger   *slog.Logger
	Metrics  *Metrics
	// PerSecond is how many steps this process begins in a second, for each network. Publishing has nothing to do with it.
	PerSecond float64
	// Concurrency is how many steps are under way at a time; those of one network take half of them at most.
	Concurrency int
	RetryScale  float64 // factor on the waits after failures; 1 in production
}

// Collector takes the steps of collections. It is safe for concurrent use.
type Collector struct {
	Config

	pace *pace
}

// New checks the configuration.
func New(cfg Config) (*Collector, error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Networks == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil ||
		cfg.PerSecond <= 0 || cfg.Concurrency < 1 || cfg.RetryScale <= 0 {
		return nil, errors.New("insights: every dependency is required, and every number above zero")
	}
	every := time.Duration(float64(time.Second) / cfg.PerSecond)
	return &Collector{Config: cfg, pace: newPace(every, max(1, cfg.Concurrency/2))}, nil //nolint:mnd // half of them
}

// Collect takes one step, and answers what the next one is and how long to wait for it.
func (c *Collector) Collect(ctx context.Context, in insightsflow.Input) (insightsflow.Outcome, error) {
	defer heartbeat.Keep(ctx)()
	found, err := c.Store.Collection(ctx, in.ChannelID)
	if apperr.Is(err, apperr.NotFound) {
		return done("The channel was removed."), nil
	}
	if err != nil {
		return insightsflow.Outcome{}, err
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
		return insightsflow.Outcome{Wait: wait, Next: in.Step, Note: "Waits for its turn: other channels of the network are read."}, nil
	}
	defer release()
	in.Step.Turn = time.Time{}
	if in.Step.Posts {
		return c.posts(ctx, in, found, source)
	}
	return c.days(ctx, in, found, source)
}

// source is the network of a channel, or a note why it is not asked.
func (c *Collector) source(found postgres.Collection) (platform.Insighter, string) {
	ch := found.Channel
	source, tells := c.Networks.Insighter(ch.Type)
	switch {
	case !ch.IsConnected:
		return nil, "The channel is disconnected."
	case !ch.Ready():
		return nil, "The channel needs to be reconnected; its figures are collected again after that."
	case found.Stopped != "":
		return nil, "Stopped until the channel is reconnected: " + found.Stopped
	case !tells || !ch.Type.Capabilities().Analytics:
		return nil, fmt.Sprintf("Channels of type %s have no figures.", ch.Type)
	}
	return source, ""
}

func done(note string) insightsflow.Outcome { return insightsflow.Outcome{Done: true, Note: note} }

// ask calls the network for the channel, with credentials that are exchanged when they have expired.
func (c *Collector) ask(ctx context.Context, found postgres.Collection, call func(ctx context.Context, a platform.Account) error) error {
	link, _ := c.Networks.Link(found.Channel.Type)
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	err := c.Access.Do(asking, link, found.Channel, call)
	if _, told := errors.AsType[*platform.Failure](err); err != nil && !told && asking.Err() != nil && ctx.Err() == nil {
		err = &platform.Failure{Class: platform.ClassTransient, Code: "PLATFORM_UNAVAILABLE", Message: "The network takes too long to answer.", Cause: err}
	}
	if hit := failpoint.Hit(ctx, FailAfterRead); hit != nil {
		return hit
	}
	return err
}
