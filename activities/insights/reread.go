package insights

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/platform"
)

// reader is a network that reports the state of an accepted post, as a platform.Reviewer does.
type reader interface {
	Review(ctx context.Context, account platform.Account, externalID string) (platform.Publication, error)
}

// reread reads the state of posts that had no id when they counted as published, and of posts of the last week, which
// the network may still refuse or remove: once in a collection, so at most eight times each. It returns the posts that
// the network has. A read that fails is repeated by the next collection, unless the credentials have expired.
func (c *Collector) reread(
	ctx context.Context, source platform.Insighter, of channel.Channel, a platform.Account,
	published []analytics.PublishedPost,
) (shown []analytics.PublishedPost, err error) {
	network, reads := source.(reader)
	if !reads {
		return published, nil
	}
	namer, names := source.(platform.Namer)
	for _, p := range published {
		unnamed := names && namer.Unnamed(p.ExternalID)
		// a network that names posts late knows the state only by the id of the call
		if !unnamed && (names || c.Clock.Now().Sub(p.PublishedAt) > post.RemovedWithin) {
			shown = append(shown, p)
			continue
		}
		seen, err := network.Review(ctx, a, p.ExternalID)
		failure, refused := errors.AsType[*platform.Failure](err)
		switch {
		case refused && failure.Class == platform.ClassRefresh:
			return nil, err
		case refused && failure.Class == platform.ClassRejected && c.Clock.Now().Sub(p.PublishedAt) <= post.RemovedWithin:
			if err := c.remove(ctx, of, p, failure); err != nil {
				return nil, err
			}
			continue
		case err == nil:
			if p, err = c.seen(ctx, p, seen, unnamed && namer.Unnamed(seen.ExternalID)); err != nil {
				return nil, err
			}
		}
		shown = append(shown, p)
	}
	return shown, nil
}

// remove records that the network refused or removed the post.
func (c *Collector) remove(
	ctx context.Context, of channel.Channel, p analytics.PublishedPost, failure *platform.Failure,
) error {
	c.Logger.WarnContext(ctx, "a network removed a published post", slog.String("post_id", p.ID.String()),
		slog.String("channel_id", of.ID.String()), slog.String("code", failure.Code))
	return c.Store.Remove(context.WithoutCancel(ctx), postgres.Removal{
		Post: p.ID, Network: of.Type.Network().Name(), ExternalID: p.ExternalID, Reason: failure.Message,
		At: c.Clock.Now().UTC().Truncate(time.Millisecond),
	})
}

// seen records the id of a post that had none, and that the network shows a post that was unconfirmed.
func (c *Collector) seen(
	ctx context.Context, p analytics.PublishedPost, seen platform.Publication, unnamed bool,
) (analytics.PublishedPost, error) {
	ctx = context.WithoutCancel(ctx)
	if seen.InReview || seen.Unconfirmed || unnamed {
		return p, nil
	}
	if p.Confirmed != nil && !*p.Confirmed {
		if err := c.Store.Confirm(ctx, p.ID); err != nil {
			return p, err
		}
	}
	if seen.ExternalID == "" || seen.ExternalID == p.ExternalID {
		return p, nil
	}
	renamed, err := c.Store.Rename(ctx, postgres.Renaming{
		Post: p.ID, From: p.ExternalID, To: seen.ExternalID, URL: seen.URL, At: c.Clock.Now(),
	})
	if renamed {
		p.ExternalID = seen.ExternalID
	}
	return p, err
}
