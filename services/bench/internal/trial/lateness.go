package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
)

const (
	fewSleeping  = 1_000
	manySleeping = 20_000
	samples      = 220
	sampleEvery  = 150 * time.Millisecond
	sampleLead   = 10 * time.Second
	farAhead     = 30 * 24 * time.Hour
	sleepBatch   = 500
	sleepLimit   = 8 * time.Minute // until all posts sleep
)

// Lateness measures how late single posts are recorded as published, first while few and then while many other posts
// sleep.
func Lateness(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
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
	few, err := latenessWith(ctx, l, fewSleeping, fewSleeping, "lateness-1k", worker)
	if err != nil {
		return nil, err
	}
	many, err := latenessWith(ctx, l, manySleeping-fewSleeping, manySleeping, "lateness-20k", worker)
	if err != nil {
		return nil, err
	}
	return []result.Row{
		result.Plain(result.Lateness1k, few.Seconds(), "s"),
		result.Against(result.Lateness20k, many.Seconds(), "s", few.Seconds()),
	}, nil
}

// latenessWith adds sleeping posts and returns the 99th percentile of the lateness of posts that are due one by one.
func latenessWith(
	ctx context.Context, l *lab.Lab, more, total int, phase string, worker *lab.Process,
) (time.Duration, error) {
	tenant, err := l.Tenant(ctx, "Sleeping")
	if err != nil {
		return 0, err
	}
	begin := l.Clock.Now()
	far := begin.Add(farAhead).Truncate(time.Second)
	if err := l.Posts(ctx, tenant, more, sleepBatch,
		func(i int) time.Time { return far.Add(time.Duration(i) * time.Second) }); err != nil {
		return 0, err
	}
	if err := l.OutboxEmpty(ctx, sleepLimit); err != nil {
		return 0, err
	}
	if err := asleep(ctx, l); err != nil {
		return 0, err
	}
	l.Say("%s: %d more posts sleep after %.0f s", phase, more, l.Clock.Now().Sub(begin).Seconds())
	late, err := sampleLateness(ctx, l, samples, phase, worker)
	if err != nil {
		return 0, err
	}
	p99 := percentile(late, 99)
	l.Say("%s: %d sleeping, %d samples: p50 %d ms, p99 %d ms, max %d ms", phase, total, len(late),
		percentile(late, 50).Milliseconds(), p99.Milliseconds(), percentile(late, 100).Milliseconds())
	return p99, nil
}

// asleep waits until the first workflow tasks of all started posts are done, so that the samples do not overlap with
// them. It publishes posts as probes: the queues are served in order, so the probes are published last. The log
// contains how long that takes, because a burst of schedules does delay posts that are due meanwhile.
func asleep(ctx context.Context, l *lab.Lab) error {
	const probes = 3 // one per network
	tenant, err := l.Tenant(ctx, "Probe")
	if err != nil {
		return err
	}
	now := l.Clock.Now().Truncate(time.Millisecond)
	if err := l.Posts(ctx, tenant, probes, probes, func(int) time.Time { return now }); err != nil {
		return err
	}
	return allPublished(ctx, l, tenant.ID.String(), sleepLimit)
}

func allPublished(ctx context.Context, l *lab.Lab, workspace string, limit time.Duration) error {
	return lab.Until(ctx, limit, "all single posts are published", func(ctx context.Context) (bool, error) {
		open, err := l.Count(ctx, `SELECT count(*) FROM post WHERE workspace_id = $1 AND status = 'SCHEDULED'`, workspace)
		return open == 0, err
	})
}

func sampleLateness(
	ctx context.Context, l *lab.Lab, n int, phase string, worker *lab.Process,
) ([]time.Duration, error) {
	tenant, err := l.Tenant(ctx, "Single")
	if err != nil {
		return nil, err
	}
	first := l.Clock.Now().Add(sampleLead).Truncate(time.Millisecond)
	if err := l.Posts(ctx, tenant, n, n,
		func(i int) time.Time { return first.Add(time.Duration(i) * sampleEvery) }); err != nil {
		return nil, err
	}
	if err := lab.Pause(ctx, first.Sub(l.Clock.Now())); err != nil {
		return nil, err
	}
	wait := l.Profile(ctx, phase, profileFor, worker)
	defer wait()
	if err := lab.Pause(ctx, time.Duration(n)*sampleEvery); err != nil {
		return nil, err
	}
	if err := allPublished(ctx, l, tenant.ID.String(), limit); err != nil {
		return nil, err
	}
	return lateness(ctx, l, tenant, n)
}

// lateness returns the lateness of each of the tenant's n posts. It returns an error unless all are published.
func lateness(ctx context.Context, l *lab.Lab, tenant lab.Tenant, n int) ([]time.Duration, error) {
	var late []time.Duration
	err := l.Each(ctx, `SELECT (extract(epoch FROM published_at - scheduled_at) * 1e6)::bigint FROM post
		WHERE workspace_id = $1 AND status = 'PUBLISHED'`, []any{tenant.ID.String()}, func(scan func(...any) error) error {
		var microseconds int64
		err := scan(&microseconds)
		late = append(late, time.Duration(microseconds)*time.Microsecond)
		return err
	})
	if err == nil && len(late) != n {
		err = fmt.Errorf("%d of %d posts were published", len(late), n)
	}
	return late, err
}

// percentile returns the nearest-rank percentile.
func percentile(values []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	rank := (len(sorted)*p + 99) / 100 //nolint:mnd // rounded up
	return sorted[max(rank, 1)-1]
}
