package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// QuotaWindow is the period of a quota.
type QuotaWindow string

// The windows.
const (
	WindowRolling QuotaWindow = "PT24H" // any 24 hours
	WindowDay     QuotaWindow = "P1D"   // a calendar day of the network
)

// Quota says how many posts the network of a channel accepts, at a time (docs/contract.md, Quotas). It is zero if the
// network states no limit.
type Quota struct {
	Window                 QuotaWindow
	Limit, Used, Remaining int
	ResetsAt               time.Time // when the first place becomes free again; zero if all are free
}

// ChannelQuota returns how many posts can still be published to a channel now; NOT_FOUND when the workspace has no such
// channel.
func (a *channelUseCases) ChannelQuota(ctx context.Context, p Principal, id ident.Channel) (Quota, error) {
	c, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return Quota{}, err
	}
	row, _ := a.rules.Of(c.Type)
	if len(row.Quota.Of) > 0 { // of some content types only; the others have none
		return Quota{}, nil
	}
	reported, err := a.reported(ctx, []channel.Channel{c})
	if err != nil {
		return Quota{}, err
	}
	now := a.now()
	return a.quotaFor(ctx, placement{channel: c, as: post.ContentPost, at: now, now: now, reported: reported[id]})
}

// placement is a post that needs a place in the quota of its channel.
type placement struct {
	channel channel.Channel
	as      post.ContentType
	at, now time.Time
	id      ident.Post  // of the post; zero: it does not exist
	others  []time.Time // times of further posts that do not exist
	// reported has the figures of the network itself; nil if it reports none.
	reported *platform.QuotaUsage
}

// quotaFor returns the quota in which a post needs a place.
func (a *channelUseCases) quotaFor(ctx context.Context, of placement) (Quota, error) {
	row, _ := a.rules.Of(of.channel.Type)
	stated := row.Quota
	if stated.IsZero() || !stated.Counts(of.as) {
		return Quota{}, nil
	}
	used, err := a.posts.QuotaUsed(ctx, of.query(stated))
	if err != nil {
		return Quota{}, err
	}
	q := Quota{Window: WindowRolling, Limit: stated.Max, Used: used.Posts}
	switch _, until := stated.Period(of.at); {
	case stated.Zone != nil:
		q.Window, q.ResetsAt = WindowDay, until
	case !used.First.IsZero():
		q.ResetsAt = used.First.Add(rules.QuotaPeriod)
	}
	if of.reported != nil {
		if err := a.correct(ctx, of, &q); err != nil {
			return Quota{}, err
		}
	}
	q.Remaining = max(0, q.Limit-q.Used)
	limited, err := a.channels.LimitedUntil(ctx, of.channel.ID)
	if limited.After(of.at) { // the network refuses posts until then, whatever was counted
		q.Remaining, q.ResetsAt = 0, limited
	}
	return q, err
}

// query selects the posts of this service that share the period of the post.
func (of placement) query(stated rules.Quota) postgres.QuotaQuery {
	query := postgres.QuotaQuery{
		ChannelID: of.channel.ID, Of: stated.Of, At: of.at, Now: of.now, Except: of.id, Also: of.others,
	}
	query.From, query.To = stated.Period(of.at)
	if stated.Shared {
		query.Types = slices.DeleteFunc(channel.Types(),
			func(t channel.Type) bool { return t.Network() != of.channel.Type.Network() })
	}
	if stated.Zone == nil {
		query.Period = rules.QuotaPeriod
	} else {
		query.From = query.From.Add(-time.Microsecond) // the query excludes it, and the day begins with it
	}
	return query
}

// correct replaces the limit by that of the account, and counts its posts by other applications. These lie in each period
// that began before now.
func (a *channelUseCases) correct(ctx context.Context, of placement, q *Quota) error {
	q.Limit = of.reported.Max
	if !of.at.Before(of.now.Add(rules.QuotaPeriod)) {
		return nil
	}
	ours, err := a.posts.QuotaUsed(ctx, postgres.QuotaQuery{
		ChannelID: of.channel.ID, From: of.now.Add(-rules.QuotaPeriod), To: of.now, Now: of.now,
	})
	q.Used += max(0, of.reported.Used-ours.Posts)
	return err
}

// reportTimeout limits the reads of what networks report of their accounts, which are not essential.
const reportTimeout = 3 * time.Second

// reported reads what the networks report of the quotas of accounts, at the same time and without changing anything. A
// channel is missing if its network reports nothing or does not respond.
func (a *channelUseCases) reported(
	ctx context.Context, channels []channel.Channel,
) (map[ident.Channel]*platform.QuotaUsage, error) {
	var mu sync.Mutex
	found := make(map[ident.Channel]*platform.QuotaUsage)
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range channels {
		link, _ := a.connectors.Link(c)
		reader, ok := link.(platform.QuotaReader)
		if !ok || !c.Ready() {
			continue
		}
		group.Go(func() error {
			got, err := a.live.get(liveKey{channel: c.ID}, func() (any, error) {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTimeout)
				defer cancel()
				var usage platform.QuotaUsage
				err := a.access.Peek(ctx, c, func(ctx context.Context, account platform.Account) (err error) {
					usage, err = reader.Quota(ctx, account)
					return err
				})
				return usage, err
			})
			if _, silent := errors.AsType[*platform.Failure](err); silent {
				return nil
			}
			if usage, ok := got.(platform.QuotaUsage); ok && err == nil {
				mu.Lock()
				defer mu.Unlock()
				found[c.ID] = &usage
			}
			return err
		})
	}
	return found, group.Wait()
}
