package trial

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
)

const (
	publishPosts  = 1500
	publishWarmUp = 300
)

// Publish measures posts that are all due in the same second, from that time to the record of the last one. The ceiling
// runs empty workflows with one timer and one activity.
func Publish(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	driver, bareWorker, err := startCeiling(ctx, l)
	if err != nil {
		return nil, err
	}
	defer bareWorker.Stop()
	defer driver.Close()
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
	ceilLead, oursLead := newLead(l), newLead(l)
	ceil := func(n int) (float64, error) {
		if err := lab.Pause(ctx, settlingTime); err != nil {
			return 0, err
		}
		took, err := driver.Timed(ctx, n, limit, ceilLead)
		l.Say("publish: ceiling, until the last workflow ended %.0f/s, %s", perSecond(n, took.Ended),
			l.PerItem(ceilLead.cpu, n))
		return perSecond(n, took.Acted), err
	}
	ours := func(n int) (float64, error) {
		if err := lab.Pause(ctx, settlingTime); err != nil {
			return 0, err
		}
		took, err := publishAll(ctx, l, n, oursLead, worker, sandbox)
		return perSecond(n, took), err
	}
	if _, err := ceil(publishWarmUp); err != nil {
		return nil, err
	}
	if _, err := ours(publishWarmUp); err != nil {
		return nil, err
	}
	row, err := sandwich(l, result.Publish, "posts/s",
		func() (float64, error) { return ceil(publishPosts) }, func() (float64, error) { return ours(publishPosts) })
	return []result.Row{row}, err
}

// publishAll schedules n posts for the same time and returns how long after it the last one was published.
func publishAll(ctx context.Context, l *lab.Lab, n int, lead *lead, profiled ...*lab.Process) (time.Duration, error) {
	tenant, err := l.Tenant(ctx, "Publishing")
	if err != nil {
		return 0, err
	}
	due := lead.Due(n)
	const batch = 100
	if err := l.Posts(ctx, tenant, n, batch, func(int) time.Time { return due }); err != nil {
		return 0, err
	}
	if err := l.OutboxEmpty(ctx, limit); err != nil {
		return 0, err
	}
	if err := lead.Started(ctx, n); err != nil {
		return 0, err
	}
	if n == publishPosts {
		defer l.Profile(ctx, "publish", profileFor, profiled...)()
	}
	err = lab.Until(ctx, limit, "all posts are published", func(ctx context.Context) (bool, error) {
		open, err := l.Count(ctx, `SELECT count(*) FROM post WHERE workspace_id = $1 AND status = 'SCHEDULED'`,
			tenant.ID.String())
		return open == 0, err
	})
	if err != nil {
		return 0, err
	}
	l.Say("publish: service %s", l.PerItem(lead.cpu, n))
	published, err := l.Count(ctx, `SELECT count(*) FROM post WHERE workspace_id = $1 AND status = 'PUBLISHED'`,
		tenant.ID.String())
	if err != nil || published != n {
		return 0, fmt.Errorf("%d of %d posts were published: %w", published, n, err)
	}
	last, err := l.Time(ctx,
		`SELECT max(a.finished_at) FROM publish_attempt a JOIN post p ON p.id = a.post_id WHERE p.workspace_id = $1`,
		tenant.ID.String())
	return last.Sub(due), err
}
