// Package livechange changes published posts on their networks: the text, or deletion.
//
// A change is a row that is committed as SENT before its call, as publish attempts are. While a change of a post is open,
// no other one begins. The calls may be repeated, so a change whose call got no response is taken over by any worker,
// whose repeated call determines the outcome (docs/architecture.md, Changes of published posts).
package livechange

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Crash points of a change; a test kills the process at each of them.
const (
	FailAfterRequest = "live.after_request"
	FailAfterIntent  = "live.after_intent"
	FailAfterCall    = "live.after_call"
	FailAfterRecord  = "live.after_record"
)

const (
	poll      = 2 * time.Second // between two claims of changes without an execution
	inFlight  = 32              // changes that one process continues at the same time
	leaseRoom = 5 * time.Second // for the record of the result
	recordFor = 2 * time.Minute
	firstWait = 5 * time.Second // before the second call; doubled with each one
	lastWait  = 5 * time.Minute
	// DefaultSendWindow is the longest time between the record of the intent and the call.
	DefaultSendWindow = 15 * time.Second
	// defaultCommitTimeout is the longest default timeout of the connectors.
	defaultCommitTimeout = time.Minute
)

var writes = retry.Pauses{First: 50 * time.Millisecond, Longest: 2 * time.Second}

// Store stores changes.
type Store interface {
	Request(ctx context.Context, c post.LiveChange, owner uuid.UUID, lease time.Duration) (postgres.LiveKey, error)
	Claim(ctx context.Context, turn retry.Turn, lease time.Duration) ([]postgres.LiveKey, error)
	Take(ctx context.Context, key postgres.LiveKey, owner uuid.UUID, lease time.Duration) (postgres.LiveJob, error)
	Conclude(ctx context.Context, c post.LiveChange, owner uuid.UUID, wait time.Duration) error
}

// Access calls the network of a channel with valid credentials.
type Access interface {
	Do(ctx context.Context, link platform.Link, c channel.Channel, call func(context.Context, platform.Account) error) error
}

// Config holds the dependencies and settings of a Changer.
type Config struct {
	Changes       Store
	Access        Access
	Connectors    *platform.Registry
	Clock         clock.Clock
	Logger        *slog.Logger
	Wake          func()        // notifies the relay of new events
	SendWindow    time.Duration // DefaultSendWindow if zero
	CommitTimeout time.Duration // the longest default of the connectors if zero
	RetryScale    float64       // factor applied to the waits between calls; 1 if zero
}

// Changer makes changes. It is safe for concurrent use.
type Changer struct{ Config }

// New returns a Changer, or an error if a dependency is missing.
func New(cfg Config) (*Changer, error) {
	if cfg.Changes == nil || cfg.Access == nil || cfg.Connectors == nil || cfg.Clock == nil || cfg.Logger == nil ||
		cfg.Wake == nil {
		return nil, errors.New("livechange: every dependency is required")
	}
	if cfg.SendWindow <= 0 {
		cfg.SendWindow = DefaultSendWindow
	}
	if cfg.CommitTimeout <= 0 {
		cfg.CommitTimeout = defaultCommitTimeout
	}
	if cfg.RetryScale <= 0 {
		cfg.RetryScale = 1
	}
	return &Changer{cfg}, nil
}

// lease is the time in which an execution calls and records. After it, its call can no longer start or end.
func (c *Changer) lease() time.Duration { return c.SendWindow + c.CommitTimeout + leaseRoom }

// Begin records a change and makes its first call. It returns postgres.ErrFenced if another change of the post is open.
// If the returned change is open, a worker continues.
func (c *Changer) Begin(ctx context.Context, change post.LiveChange) (post.LiveChange, error) {
	owner := uuid.New()
	key, err := c.Changes.Request(ctx, change, owner, c.lease())
	if err != nil {
		return post.LiveChange{}, err
	}
	if err := failpoint.Hit(ctx, FailAfterRequest); err != nil {
		return post.LiveChange{}, err
	}
	return c.make(ctx, key, owner)
}

// Loop returns the loop that makes the calls of changes without an execution.
func (c *Changer) Loop(metrics *retry.Metrics) (*retry.Loop[postgres.LiveKey], error) {
	return retry.NewLoop(retry.LoopConfig[postgres.LiveKey]{
		Name: "live_changes", InFlight: inFlight, Batch: inFlight, Idle: poll,
		Clock: c.Clock, Logger: c.Logger, Metrics: metrics,
		Claim: func(ctx context.Context, turn retry.Turn) ([]postgres.LiveKey, error) {
			return c.Changes.Claim(ctx, turn, c.lease())
		},
		Workspace: func(key postgres.LiveKey) ident.Workspace { return key.WorkspaceID },
		Handle: func(ctx context.Context, key postgres.LiveKey) error {
			_, err := c.make(ctx, key, key.Owner)
			if errors.Is(err, postgres.ErrStale) { // the lease ended before the call, and another execution has the change
				return nil
			}
			return err
		},
	})
}

// make takes the change, makes one call and records the result.
func (c *Changer) make(ctx context.Context, key postgres.LiveKey, owner uuid.UUID) (post.LiveChange, error) {
	// The window starts before the intent is recorded, so that it ends before the lease by any clock.
	sendBy := c.Clock.Now().Add(c.SendWindow)
	job, err := c.Changes.Take(ctx, key, owner, c.lease())
	if err != nil {
		return post.LiveChange{}, err
	}
	if err := failpoint.Hit(ctx, FailAfterIntent); err != nil {
		return post.LiveChange{}, err
	}
	// Nothing may interrupt the call or its record.
	ctx = context.WithoutCancel(ctx)
	err = c.call(platform.WithSendBy(ctx, sendBy), job)
	if hit := failpoint.Hit(ctx, FailAfterCall); hit != nil {
		return post.LiveChange{}, hit
	}
	result, until := resultOf(err)
	now := c.Clock.Now().UTC().Truncate(time.Millisecond)
	change := job.Change.Concluded(result, now)
	if err := c.record(ctx, change, owner, c.wait(change, now, until)); err != nil {
		return post.LiveChange{}, err
	}
	c.report(ctx, change, err)
	return change, failpoint.Hit(ctx, FailAfterRecord)
}

func (c *Changer) call(ctx context.Context, job postgres.LiveJob) error {
	link, _ := c.Connectors.Link(job.Channel)
	changer, ok := link.(platform.LiveChanger)
	if !ok {
		return &platform.Failure{
			Class: platform.ClassRejected, Code: post.ErrorChannelUnsupported,
			Message: "This version of the service cannot change published posts of this network.",
		}
	}
	if job.Published.ExternalID == "" {
		return &platform.Failure{
			Class: platform.ClassRejected, Code: platform.CodeLiveGone, Message: "The network's id of the post is not known.",
		}
	}
	at := platform.Live{
		ExternalID: job.Published.ExternalID, Parts: job.Published.Parts, Captioned: len(job.Post.MediaIDs) > 0,
	}
	return c.Access.Do(ctx, link, job.Channel, func(ctx context.Context, account platform.Account) error {
		if job.Change.Action == post.LiveDelete {
			return changer.DeleteLive(ctx, account, at)
		}
		return changer.EditLive(ctx, account, at, job.Change.Text)
	})
}

// resultOf classifies the end of a call. Until is the time at which the network allows the next one, if it said so.
func resultOf(err error) (result post.LiveResult, until time.Time) {
	if err == nil {
		return post.LiveResult{State: post.LiveDone}, time.Time{}
	}
	failure := platform.FailureOf(err)
	if _, ok := errors.AsType[*platform.Failure](err); !ok {
		// The credentials could not be read: nothing was sent.
		failure = &platform.Failure{
			Class: platform.ClassTransient, Code: post.CodeLiveUnavailable, Message: "The call could not be made.",
		}
	}
	result = post.LiveResult{Code: failure.Code, Message: failure.Message}
	switch failure.Class {
	case platform.ClassRejected:
		result.State = post.LiveRefused
	case platform.ClassTransient, platform.ClassRateLimited:
		result.State = post.LiveRequested
	case platform.ClassRefresh, platform.ClassReconnect, platform.ClassUser, platform.ClassOperator:
		result.State, result.Lasting = post.LiveRefused, true
	case platform.ClassUnknown:
		result.State = post.LiveUnknown
	default: // an unknown class guarantees nothing
		result.State = post.LiveUnknown
	}
	return result, failure.Until
}

// wait returns when another execution may continue an open change.
func (c *Changer) wait(change post.LiveChange, now, until time.Time) time.Duration {
	wait := min(firstWait<<min(max(change.Tries, 1)-1, 10), lastWait)
	return max(time.Duration(float64(wait)*c.RetryScale), until.Sub(now))
}

func (c *Changer) record(ctx context.Context, change post.LiveChange, owner uuid.UUID, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, recordFor)
	defer cancel()
	_, err := retry.Do(ctx, writes, postgres.IsUnavailable, func() (struct{}, error) {
		return struct{}{}, c.Changes.Conclude(ctx, change, owner, wait)
	})
	return err
}

func (c *Changer) report(ctx context.Context, change post.LiveChange, cause error) {
	if change.State == post.LiveDone {
		c.Wake()
		return
	}
	c.Logger.WarnContext(ctx, "a change of a published post was not made", slog.String("post_id", change.PostID.String()),
		slog.String("state", string(change.State)), slog.String("code", change.Code), slog.Any("cause", cause))
}
