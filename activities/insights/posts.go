package insights

import (
	"context"
	"errors"
	"fmt"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// posts reads the next batch of the channel's posts. Their day is the current day in the workspace's time zone.
func (c *Collector) posts(
	ctx context.Context, in flow.InsightsInput, found postgres.Collection, source platform.Insighter,
) (flow.InsightsOutcome, error) {
	now := c.Clock.Now()
	published, err := c.Store.Published(ctx, in.ChannelID, now.AddDate(0, 0, -PostDays), in.Step.After, batch)
	if err != nil {
		return flow.InsightsOutcome{}, err
	}
	if len(published) == 0 {
		return c.finish(ctx, in)
	}
	var figures map[string]analytics.PostFigures
	shown := published
	failure := c.ask(ctx, found, func(ctx context.Context, a platform.Account) (err error) {
		if shown, err = c.reread(ctx, source, found.Channel, a, published); err != nil {
			return err
		}
		if len(shown) == 0 {
			return nil
		}
		ids := make([]string, len(shown))
		for i, p := range shown {
			ids[i] = p.ExternalID
		}
		figures, err = source.PostInsights(ctx, a, ids)
		return err
	})
	readings := make(map[ident.Post]analytics.PostDay, len(figures))
	today := analytics.DateOf(now.In(found.Zone))
	for _, p := range shown {
		figures := figures[p.ExternalID].Counted()
		if figures != (analytics.PostFigures{}) {
			readings[p.ID] = analytics.PostDay{Date: today, PostFigures: figures, CollectedAt: now}
		}
	}
	if len(readings) > 0 { // also those received before a failure
		if err := c.Store.SavePosts(context.WithoutCancel(ctx), in.ChannelID, readings); err != nil {
			return flow.InsightsOutcome{}, errors.Join(err, failure)
		}
	}
	c.Metrics.read(in.Network, kindPosts, len(readings))
	next := flow.InsightsStep{Begun: in.Step.Begun, Posts: true, After: published[len(published)-1].ID}
	if failure != nil {
		// do not request the same posts again
		if read := readBefore(shown, figures); passes(failure) && !read.IsZero() {
			in.Step.After, in.Step.Tries = read, 0
		}
		return c.failed(ctx, in, found, failure)
	}
	if err := failpoint.Hit(ctx, FailAfterRecord); err != nil {
		return flow.InsightsOutcome{}, err
	}
	if len(published) < batch {
		return c.finish(ctx, in)
	}
	return flow.InsightsOutcome{
		Next: next, Note: fmt.Sprintf("Read %d posts: %d have figures.", len(published), len(readings)),
	}, nil
}

// readBefore returns the last post of the leading run of posts that have figures in the response.
func readBefore(published []analytics.PublishedPost, figures map[string]analytics.PostFigures) (last ident.Post) {
	for _, p := range published {
		if _, ok := figures[p.ExternalID]; !ok {
			return last
		}
		last = p.ID
	}
	return last
}

func (c *Collector) finish(ctx context.Context, in flow.InsightsInput) (flow.InsightsOutcome, error) {
	if err := c.Store.Finish(context.WithoutCancel(ctx), in.ChannelID, c.Clock.Now()); err != nil {
		return flow.InsightsOutcome{}, err
	}
	c.Metrics.steps.WithLabelValues(string(in.Network), outcomeFinished).Inc()
	return done("Collected: every day and every post of the last 90 days."), nil
}
