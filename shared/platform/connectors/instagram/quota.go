package instagram

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
)

// Limits of reading an exhausted quota.
const (
	// quotaReads is the number of reads that narrow the end of an exhausted quota, from a day to an hour and a half.
	quotaReads = 4
	// quotaTimeout is the timeout of all of them. If it passes, the end is less exact.
	quotaTimeout = 10 * time.Second
	// quotaFree is the wait if the quota has a free place again.
	quotaFree = time.Minute
	// quotaEdge is the edge of an account that reports its quota.
	quotaEdge = "content_publishing_limit"
)

// errQuota is the cause of a failure because the number of posts is exhausted.
var errQuota = errors.New("the number of posts of a day is exhausted")

// untilQuota sets the end of the limit if err reports an exhausted number of posts.
func (c *Connector) untilQuota(ctx context.Context, account platform.Account, err error) error {
	if !errors.Is(err, errQuota) {
		return err
	}
	failure := platform.FailureOf(err)
	if until := c.quotaEnd(ctx, account); !until.IsZero() {
		failure.Until = until
	}
	return failure
}

// quotaEnd returns the time at which enough posts are older than the quota's period, so that one more is allowed. It
// returns zero if the quota cannot be read.
func (c *Connector) quotaEnd(ctx context.Context, account platform.Account) time.Time {
	ctx, cancel := context.WithTimeout(ctx, quotaTimeout)
	defer cancel()
	now := c.client.Now()
	today, ok := c.quota(ctx, account, time.Time{})
	period := time.Duration(today.Config.Seconds) * time.Second
	switch {
	case !ok, period <= 0, period > 24*time.Hour:
		return time.Time{}
	case today.Used < today.Config.Total:
		return now.Add(quotaFree)
	}
	// The posts since full exhaust the quota, and those since free do not.
	full, free := now.Add(-period), now
	for range quotaReads {
		middle := full.Add(free.Sub(full) / 2)
		since, ok := c.quota(ctx, account, middle)
		if !ok {
			break
		}
		if since.Used < today.Config.Total {
			free = middle
		} else {
			full = middle
		}
	}
	return free.Add(period)
}

// quota reads the number of posts since the given time, which is at most a day ago; zero means the whole period.
func (c *Connector) quota(ctx context.Context, account platform.Account, since time.Time) (graph.QuotaReport, bool) {
	quota, err := c.api.Quota(ctx, account, quotaEdge, since)
	return quota, err == nil
}

// Quota reads how many posts the account has published through APIs, and may publish. Instagram documents 50 or 100 a day,
// and has returned 25.
func (c *Connector) Quota(ctx context.Context, account platform.Account) (platform.QuotaUsage, error) {
	return c.of(account).api.QuotaUsage(ctx, account, quotaEdge)
}
