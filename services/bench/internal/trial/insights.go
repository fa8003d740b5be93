package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/infra/postgres"
)

const (
	analysedChannels = 1_000
	insightSamples   = 660 // enough that the 99th percentile is not the third worst sample
	// collectLimit is the maximum duration until the metrics of all channels are collected. The networks' rate limits
	// spread the requests over time.
	collectLimit = 25 * time.Minute
)

// Insights measures how late single posts are recorded as published, first without metrics collection and then while
// the metrics of a thousand channels are collected, all requested at once. In production the collections are spread
// over the day.
func Insights(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	sandbox, err := l.Start(ctx, "sandbox")
	if err != nil {
		return nil, err
	}
	defer sandbox.Stop()
	worker, err := l.Start(ctx, "worker")
	if err != nil {
		return nil, err
	}
	defer worker.Stop()
	tenants, err := analysed(ctx, l)
	if err != nil {
		return nil, err
	}
	quiet, err := sampleLateness(ctx, l, insightSamples, "insights-none", worker)
	if err != nil {
		return nil, err
	}
	begun := l.Clock.Now()
	if err := collectAll(ctx, l, tenants); err != nil {
		return nil, err
	}
	busy, err := sampleLateness(ctx, l, insightSamples, "insights-running", worker)
	if err != nil {
		return nil, err
	}
	during, err := l.Count(ctx, `SELECT count(*) FROM insight_progress WHERE heard_at IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	unfinished, err := uncollected(ctx, l)
	if err != nil {
		return nil, err
	}
	if during == 0 || unfinished == 0 {
		return nil, errors.New("the collection ended before the sampling of lateness")
	}
	err = lab.Until(ctx, collectLimit, "the figures of every channel are collected",
		func(ctx context.Context) (bool, error) {
			left, err := uncollected(ctx, l)
			return left == 0, err
		})
	if err != nil {
		return nil, err
	}
	took := l.Clock.Now().Sub(begun)
	before, after := percentile(quiet, 99), percentile(busy, 99)
	l.Say("insights: p99 %d ms without, p99 %d ms with the collection of %d channels, which took %.0f s",
		before.Milliseconds(),
		after.Milliseconds(), analysedChannels, took.Seconds())
	return []result.Row{
		result.Against(result.LatenessInsights, after.Seconds(), "s", before.Seconds()),
		result.Plain("insights_all", took.Seconds(), "s"),
	}, nil
}

// analysed creates the channels, each with its schedule.
func analysed(ctx context.Context, l *lab.Lab) ([]lab.Tenant, error) {
	var tenants []lab.Tenant
	for channels := 0; channels < analysedChannels; {
		tenant, err := l.Tenant(ctx, fmt.Sprintf("Analysed %d", len(tenants)))
		if err != nil {
			return nil, err
		}
		tenants = append(tenants, tenant)
		channels += len(tenant.Channels)
	}
	_, err := l.SQL.Exec(ctx,
		`INSERT INTO outbox (kind, subject, payload, not_before) SELECT 'insights', id, '{}', now() FROM channel`)
	if err != nil {
		return nil, err
	}
	return tenants, l.OutboxEmpty(ctx, limit)
}

func collectAll(ctx context.Context, l *lab.Lab, tenants []lab.Tenant) error {
	store := postgres.NewInsights(l.DB)
	for _, tenant := range tenants {
		for _, c := range tenant.Channels {
			if err := store.CollectNow(ctx, c.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// uncollected counts the channels with a schedule whose collection is not complete. The channels of the samples have no
// schedule.
func uncollected(ctx context.Context, l *lab.Lab) (int, error) {
	return l.Count(ctx,
		`SELECT count(*) FROM channel c JOIN workspace w ON w.id = c.workspace_id LEFT JOIN insight_progress p ON p.channel_id = c.id
		WHERE w.name LIKE 'Analysed %' AND p.collected_at IS NULL`)
}
