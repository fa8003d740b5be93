// Package polling asks networks for what people write in public to the accounts of channels: comments, mentions and reviews.
//
// Each step is one call. What it returns is stored as events, together with the place of the next call, in one transaction: a
// step that is lost is repeated, and the unique key of an event makes that harmless. A network that limits calls pauses the polls
// of the channel, never its posts.
package polling

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// The crash points of a poll.
const (
	FailAfterCall  = "polling.after_call"
	FailAfterStore = "polling.after_store"
)

const (
	// pollers is the number of calls of a process at the same time.
	pollers = 4
	// callFor is the time limit of a call, and lease that of a step.
	callFor = 45 * time.Second
	lease   = 2 * callFor
	// idle is the pause after a look that found nothing due, addEvery the one between two looks for new channels.
	idle     = time.Second
	addEvery = 15 * time.Second
	// longest is the longest pause after failures, limited the one after too many calls if the network names none.
	longest = time.Hour
	limited = 15 * time.Minute
	// faultyFrom is the number of failures in turn from which a temporary one is shown.
	faultyFrom = 3
	// off is the pause of a channel that is not to be read.
	off = 10 * time.Minute
)

// The ages of a post up to which people are expected to write below it, with the pauses between two polls. Younger ones are
// polled each time.
const (
	hour, day, week, month = time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour

	pauseInDay, pauseInWeek, pauseInMonth = 15 * time.Minute, 2 * time.Hour, day
)

// Store stores the polls; see postgres.InboxPolls.
type Store interface {
	Add(ctx context.Context, types []channel.Type) error
	Claim(ctx context.Context, life time.Duration) (postgres.InboxPoll, bool, error)
	Advance(
		ctx context.Context, p postgres.InboxPoll, events []inbox.Event, cursor string, next, pause time.Duration,
	) (int, error)
	Fail(ctx context.Context, p postgres.InboxPoll, fault string, next, pause time.Duration) error
	Posts(ctx context.Context, of ident.Channel, age time.Duration) error
}

// Caller calls the network of a channel with valid credentials; see access.Keeper.
type Caller interface {
	Do(ctx context.Context, link platform.Link, c channel.Channel, call func(context.Context, platform.Account) error) error
}

// Config holds the dependencies and settings of Polling.
type Config struct {
	Store      Store
	Access     Caller
	Connectors *platform.Registry
	Clock      clock.Clock
	Logger     *slog.Logger
	Reg        prometheus.Registerer
	Scale      float64 // factor of the pauses; 1 in production
}

// Polling polls. It is safe for concurrent use, apart from Run, which runs once.
type Polling struct {
	Config

	steps, found *prometheus.CounterVec
}

// New returns a Polling, or an error if a dependency is missing.
func New(cfg Config) (*Polling, error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Connectors == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Reg == nil ||
		cfg.Scale <= 0 {
		return nil, errors.New("polling: every dependency is required, and the scale must be positive")
	}
	p := &Polling{
		Config: cfg,
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inbox_poll_steps_total", Help: "Calls to networks for what people write in public, by network and outcome.",
		}, []string{"network", "outcome"}),
		found: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inbox_found_by_poll_total", Help: "Things that people wrote in public and that a poll found, by network.",
		}, []string{"network"}),
	}
	return p, errors.Join(cfg.Reg.Register(p.steps), cfg.Reg.Register(p.found))
}

// Run polls until the context is canceled.
func (p *Polling) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() {
		retry.Every(ctx, addEvery, p.Add, func(err error) {
			p.Logger.WarnContext(ctx, "new channels are not polled", slog.Any("error", err))
		})
	})
	for range pollers {
		running.Go(func() {
			retry.Every(ctx, idle, p.allDue, func(err error) {
				p.Logger.WarnContext(ctx, "a poll was not recorded", slog.Any("error", err))
			})
		})
	}
	running.Wait()
}

// allDue steps until no poll is due.
func (p *Polling) allDue(ctx context.Context) error {
	for {
		polled, err := p.Step(ctx)
		if err != nil || !polled {
			return err
		}
	}
}

// Add adds the channels of networks that can be polled.
func (p *Polling) Add(ctx context.Context) error {
	var types []channel.Type
	for _, t := range channel.Types() {
		if link, _ := p.Connectors.Link(channel.Channel{Type: t}); link != nil {
			if _, is := link.(platform.Poller); is {
				types = append(types, t)
			}
		}
	}
	return p.Store.Add(ctx, types)
}

// Step makes one call that is due, and stores what it returned. It returns false if none is due.
func (p *Polling) Step(ctx context.Context) (bool, error) {
	place, due, err := p.Store.Claim(ctx, lease)
	if err != nil || !due {
		return false, err
	}
	link, _ := p.Connectors.Link(place.Channel)
	poller, ok := link.(platform.Poller)
	if !ok {
		return true, p.Store.Fail(ctx, place, "", off, 0)
	}
	var every platform.Polling
	var result platform.Polled
	calling, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	err = p.Access.Do(calling, poller, place.Channel, func(ctx context.Context, account platform.Account) (err error) {
		every = poller.Polling(account)
		if missing, _ := (platform.Scopes{Needed: every.Scopes}).Missing(account.Credentials.Scope); len(missing) > 0 {
			return notGranted(place.Channel.Type.Network(), missing)
		}
		if every.Every == 0 || every.PerPost && place.Post == "" {
			return nil
		}
		result, err = poller.Poll(ctx, account, platform.PollPlace{Post: place.Post, Cursor: place.Cursor, Since: place.Since})
		return err
	})
	if hit := failpoint.Hit(ctx, FailAfterCall); hit != nil {
		return true, hit
	}
	switch {
	case err != nil:
		return true, p.failed(context.WithoutCancel(ctx), place, every, err)
	case every.Every == 0: // its operator has turned it off
		return true, p.Store.Fail(ctx, place, "", off, 0)
	default:
		return true, p.store(ctx, place, every, result)
	}
}

// notGranted reports permissions that the channel does not have.
func notGranted(network channel.Network, missing []string) *platform.Failure {
	return &platform.Failure{
		Class: platform.ClassUser, Code: platform.CodeReadRefused, Message: network.Name() + " does not show this connection what " +
			"people write. Connect the channel again with the permission " + strings.Join(missing, ", ") + ".",
	}
}

// store stores the result of a poll.
func (p *Polling) store(ctx context.Context, place postgres.InboxPoll, every platform.Polling, result platform.Polled) error {
	network := string(place.Channel.Type.Network())
	if every.PerPost && place.Post == "" {
		if err := p.Store.Posts(ctx, place.Channel.ID, month); err != nil {
			return err
		}
	} else {
		p.steps.WithLabelValues(network, "read").Inc()
	}
	next := p.scaled(p.pause(place, every))
	if result.More {
		next = 0
	}
	stored, err := p.Store.Advance(ctx, place, result.Events, cmp.Or(result.Cursor, place.Cursor), next, result.Pause)
	if err != nil {
		return err
	}
	p.found.WithLabelValues(network).Add(float64(stored))
	return failpoint.Hit(ctx, FailAfterStore)
}

// pause returns the time until the next poll of a place: the older a post is, the longer.
func (p *Polling) pause(place postgres.InboxPoll, every platform.Polling) time.Duration {
	if place.Post == "" {
		return every.Every
	}
	switch age := p.Clock.Now().Sub(place.PostedAt); {
	case age < hour:
		return every.Every
	case age < day:
		return max(every.Every, pauseInDay)
	case age < week:
		return pauseInWeek
	default:
		return pauseInMonth
	}
}

// failed decides when a poll that failed is repeated.
func (p *Polling) failed(ctx context.Context, place postgres.InboxPoll, every platform.Polling, err error) error {
	failure, known := errors.AsType[*platform.Failure](err)
	if !known {
		failure = &platform.Failure{Class: platform.ClassTransient, Message: "The network did not respond in time.", Cause: err}
	}
	network := place.Channel.Type.Network()
	p.steps.WithLabelValues(string(network), string(failure.Class)).Inc()
	next, pause, fault := p.scaled(longest), time.Duration(0), failure.Message
	switch failure.Class {
	case platform.ClassRateLimited:
		pause, fault = failure.Until.Sub(p.Clock.Now()), ""
		if failure.Until.IsZero() {
			pause = p.scaled(limited)
		}
		next = pause
	case platform.ClassTransient, platform.ClassRefresh, platform.ClassUnknown:
		const doublings = 6
		next = p.scaled(min(cmp.Or(every.Every, time.Minute)<<min(place.Tries, doublings), longest))
		if place.Tries+1 < faultyFrom {
			fault = ""
		}
	case platform.ClassReconnect, platform.ClassUser, platform.ClassOperator, platform.ClassRejected:
	}
	p.Logger.WarnContext(ctx, "a network was not read; will retry", slog.String("network", string(network)),
		slog.String("channel_id", place.Channel.ID.String()), slog.Duration("wait", next), slog.Any("error", failure))
	return p.Store.Fail(ctx, place, fault, next, pause)
}

func (p *Polling) scaled(pause time.Duration) time.Duration {
	return max(time.Duration(float64(pause)*p.Scale), time.Millisecond)
}
