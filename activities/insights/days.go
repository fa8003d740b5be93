package insights

import (
	"context"
	"fmt"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
)

// days reads one page of the account's days. Today is the current day in UTC, as the connector contract requires.
func (c *Collector) days(
	ctx context.Context, in flow.InsightsInput, found postgres.Collection, source platform.Insighter,
) (flow.InsightsOutcome, error) {
	now := c.Clock.Now()
	today := analytics.DateOf(now.UTC())
	if in.Step.Since.IsZero() {
		if err := c.facts(ctx, found); err != nil {
			return flow.InsightsOutcome{}, err
		}
		if err := c.picture(ctx, found); err != nil {
			return flow.InsightsOutcome{}, err
		}
		in.Step.Since = FirstDay(found.Until, today)
	}
	requested := analytics.Range{From: in.Step.Since, To: in.Step.Since.Add(page - 1)}
	if today.Before(requested.To) {
		requested.To = today
	}
	var figures []analytics.ChannelDay
	err := c.ask(ctx, found, func(ctx context.Context, a platform.Account) (err error) {
		figures, err = source.AccountInsights(ctx, a, requested.From, requested.To)
		return err
	})
	if err != nil {
		return c.failed(ctx, in, found, err)
	}
	days := make([]analytics.ChannelDay, 0, len(figures))
	for _, d := range figures {
		day := analytics.ChannelDay{Date: d.Date, ChannelFigures: d.Counted(), CollectedAt: now}
		if requested.Contains(day.Date) && day.ChannelFigures != (analytics.ChannelFigures{}) {
			days = append(days, day)
		}
	}
	if err := c.Store.SaveChannel(context.WithoutCancel(ctx), in.ChannelID, days, requested.To); err != nil {
		return flow.InsightsOutcome{}, err
	}
	if err := failpoint.Hit(ctx, FailAfterRecord); err != nil {
		return flow.InsightsOutcome{}, err
	}
	c.Metrics.read(in.Network, kindDays, len(days))
	next := flow.InsightsStep{Begun: in.Step.Begun, Since: requested.To.Add(1), Posts: requested.To == today}
	return flow.InsightsOutcome{
		Next: next, Note: fmt.Sprintf("Read the days from %s to %s: %d have figures.", requested.From, requested.To, len(days)),
	}, nil
}

// FirstDay returns the first day that a collection requests. The range covers the days since the last collected one and
// the days before it that may have changed, but no more than networks keep.
func FirstDay(until, today analytics.Date) analytics.Date {
	if until.IsZero() {
		return today.Add(1 - FirstDays)
	}
	first := until.Add(-UnsettledDays)
	if kept := today.Add(1 - KeptDays); first.Before(kept) {
		return kept
	}
	if today.Before(first) { // the clock was ahead when until was recorded
		return today
	}
	return first
}
