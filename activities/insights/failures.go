package insights

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	// firstPause is the wait after the first failure of a step. It doubles with each failure, up to longPause.
	firstPause = time.Minute
	longPause  = time.Hour
	// maxTries is the maximum number of attempts per step. Missing figures are collected the next day.
	maxTries = 8
	// unsaid is the wait after a rate limit response without a time.
	unsaid = 15 * time.Minute
)

// failed decides how a collection continues after a failure of the network. Failures here do not affect publishing,
// unless the network reports that the whole connection is gone; the access package has marked the channel by then.
func (c *Collector) failed(
	ctx context.Context, in flow.InsightsInput, found postgres.Collection, err error,
) (flow.InsightsOutcome, error) {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok {
		return flow.InsightsOutcome{}, err
	}
	c.Metrics.steps.WithLabelValues(string(in.Network), string(failure.Class)).Inc()
	c.Logger.InfoContext(ctx, "a network did not report figures", slog.String("channel_id", in.ChannelID.String()),
		slog.String("network", string(in.Network)), slog.String("class", string(failure.Class)),
		slog.String("code", failure.Code), slog.Any("error", err))
	switch {
	case failure.Class == platform.ClassReconnect, failure.Class == platform.ClassRefresh, failure.Code == platform.CodeInsightsNotGranted:
		c.Metrics.stopped.WithLabelValues(string(in.Network)).Inc()
		if err := c.Store.Stop(context.WithoutCancel(ctx), in.ChannelID, found.Revision, failure.Message); err != nil {
			return flow.InsightsOutcome{}, err
		}
		return done("Stopped until the channel is reconnected: " + failure.Message), nil
	case failure.Class == platform.ClassRateLimited:
		return c.later(ctx, in, c.untilFree(failure), "The network requests a delay. ")
	case failure.Class == platform.ClassTransient, failure.Class == platform.ClassUnknown:
		in.Step.Tries++
		pause := min(firstPause<<(in.Step.Tries-1), longPause)
		if in.Step.Tries < maxTries {
			return c.later(ctx, in, time.Duration(float64(pause)*c.RetryScale), failure.Message+" ")
		}
		return c.skip(ctx, in, found, failure)
	default:
		return c.skip(ctx, in, found, failure)
	}
}

// passes reports whether a network failure is temporary.
func passes(err error) bool {
	failure, ok := errors.AsType[*platform.Failure](err)
	return ok && (failure.Class == platform.ClassRateLimited || failure.Class == platform.ClassTransient ||
		failure.Class == platform.ClassUnknown)
}

// untilFree returns the wait that the network requires.
func (c *Collector) untilFree(failure *platform.Failure) time.Duration {
	if failure.Until.IsZero() {
		return time.Duration(float64(unsaid) * c.RetryScale)
	}
	return max(failure.Until.Sub(c.Clock.Now()), time.Second)
}

// later retries the same step after the wait, unless the collection would then overlap with the next one.
func (c *Collector) later(
	ctx context.Context, in flow.InsightsInput, wait time.Duration, note string,
) (flow.InsightsOutcome, error) {
	if err := c.Store.Heard(context.WithoutCancel(ctx), in.ChannelID); err != nil {
		return flow.InsightsOutcome{}, err
	}
	if again := c.Clock.Now().Add(wait); again.Sub(in.Step.Begun) > timeout {
		return done(note + "The next day's collection continues from here."), nil
	}
	return flow.InsightsOutcome{
		Wait: wait, Next: in.Step, Note: fmt.Sprintf("%sTries again in %s.", note, wait.Round(time.Second)),
	}, nil
}

// skip leaves out the figures that the network does not return, and continues with the next step. The next collection
// requests the skipped days again, because they were not recorded as collected.
func (c *Collector) skip(
	ctx context.Context, in flow.InsightsInput, found postgres.Collection, failure *platform.Failure,
) (flow.InsightsOutcome, error) {
	if err := c.Store.Heard(context.WithoutCancel(ctx), in.ChannelID); err != nil {
		return flow.InsightsOutcome{}, err
	}
	next := flow.InsightsStep{Begun: in.Step.Begun, Posts: true}
	if in.Step.Posts {
		after, err := c.lastOfBatch(ctx, in)
		if err != nil {
			return flow.InsightsOutcome{}, err
		}
		next.After = after
	}
	return flow.InsightsOutcome{
		Next: next, Note: fmt.Sprintf("%s does not report figures: %s", found.Channel.Type, failure.Message),
	}, nil
}

func (c *Collector) lastOfBatch(ctx context.Context, in flow.InsightsInput) (ident.Post, error) {
	published, err := c.Store.Published(ctx, in.ChannelID, c.Clock.Now().AddDate(0, 0, -PostDays), in.Step.After, batch)
	if err != nil || len(published) == 0 {
		return in.Step.After, err
	}
	return published[len(published)-1].ID, nil
}
