package app

import (
	"context"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// replayWindow is the retention period of the event log (docs/contract.md, Event log).
	replayWindow = 30 * 24 * time.Hour
	// replayGrace allows for the duration of a request for the whole window.
	replayGrace = time.Minute
)

// StartReplay is a request to deliver a range of the event log to an endpoint again.
type StartReplay struct {
	Since      time.Time // inclusive
	Until      time.Time // exclusive; zero: now
	OnlyFailed bool      // skip successful deliveries
}

// StartReplay starts to deliver a range of the event log to an endpoint again. Errors: NOT_FOUND when the workspace has
// no such endpoint, VALIDATION_FAILED for a range that the log does not cover, INVALID_STATE while the endpoint is
// disabled or has a running replay.
func (a *hookUseCases) StartReplay(
	ctx context.Context, p Principal, endpoint ident.Webhook, in StartReplay,
) (webhook.Replay, error) {
	now := a.clock.Now().UTC()
	found, err := a.webhooks.Get(ctx, p.WorkspaceID, endpoint)
	if err != nil {
		return webhook.Replay{}, err
	}
	if err := in.check(now); err != nil {
		return webhook.Replay{}, err
	}
	if in.Until.IsZero() { // more precise than stored event times, so that an event of this moment is included
		in.Until = now.Truncate(time.Microsecond)
	}
	replay := webhook.Replay{
		ID: ident.New[ident.Replay](), WorkspaceID: p.WorkspaceID, WebhookID: endpoint, Since: in.Since, Until: in.Until,
		OnlyFailed: in.OnlyFailed, State: webhook.ReplayRunning, CreatedAt: a.now(),
	}
	err = a.recorded(ctx, p, audit.WebhookReplayed, found.URL,
		"events from "+event.FormatTime(in.Since)+" to "+event.FormatTime(in.Until),
		func(ctx context.Context) error { return a.deliveries.StartReplay(ctx, replay) })
	if err != nil {
		return webhook.Replay{}, err
	}
	a.db.AfterCommit(ctx, func() { a.wake(relay.Messages) })
	return replay, nil
}

// check validates the range.
func (in StartReplay) check(now time.Time) error {
	var faults []apperr.Field
	switch {
	case !in.Since.Before(now):
		faults = append(faults, apperr.Field{Pointer: "/since", Message: "is not in the past"})
	case in.Since.Before(now.Add(-replayWindow - replayGrace)):
		faults = append(faults, apperr.Field{
			Pointer: "/since", Message: "is more than 30 days ago; events are kept for 30 days",
		})
	}
	switch {
	case in.Until.IsZero():
	case in.Until.After(now):
		faults = append(faults, apperr.Field{Pointer: "/until", Message: "is in the future; omit it to use the current time"})
	case !in.Since.Before(in.Until):
		faults = append(faults, apperr.Field{Pointer: "/until", Message: "must be after since"})
	}
	return apperr.Invalid(faults)
}

// Replay returns one replay of an endpoint, or NOT_FOUND.
func (a *hookUseCases) Replay(
	ctx context.Context, p Principal, endpoint ident.Webhook, id ident.Replay,
) (webhook.Replay, error) {
	return a.deliveries.Replay(ctx, p.WorkspaceID, endpoint, id)
}
