package app

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// MaxPlanned is the maximum number of posts that Planned returns.
const MaxPlanned = postgres.MaxPeriod - 1

// Planned returns the posts that a filter lets through and whose time is in a period, earliest first, and whether there are
// more than MaxPlanned.
func (a *postUseCases) Planned(
	ctx context.Context, p Principal, from, to time.Time, filter postgres.PostFilter,
) (found []post.Post, more bool, err error) {
	filter.ScheduledFrom, filter.ScheduledTo, filter.Sort, filter.Limit = from, to, post.EarliestFirst, postgres.MaxPeriod
	found, err = a.posts.For(p.Channels).List(ctx, p.WorkspaceID, filter)
	if len(found) > MaxPlanned {
		return found[:MaxPlanned], true, err
	}
	return found, false, err
}

// OpenSlots returns the free times of posting schedules in a period that is not longer than 90 days. Planned are the posts
// of the period. Channels that are paused or not connected have no free time.
func (a *channelUseCases) OpenSlots(
	ctx context.Context, p Principal, channels []channel.Channel, planned []post.Post, from, to time.Time,
) (map[ident.Channel][]time.Time, error) {
	schedules, err := a.channels.Schedules(ctx, p.WorkspaceID)
	if err != nil {
		return nil, err
	}
	type place struct {
		id ident.Channel
		at int64
	}
	held := make(map[place]bool, len(planned))
	for _, one := range planned {
		if one.Status == post.Scheduled {
			held[place{one.ChannelID, one.ScheduledAt.UnixMilli()}] = true
		}
	}
	open, zones := make(map[ident.Channel][]time.Time), make(map[string]*time.Location) // loading one reads a file
	for _, c := range channels {
		if c.Paused() || !c.Ready() || len(schedules[c.ID]) == 0 {
			continue
		}
		zone := zones[c.Timezone]
		if zone == nil {
			if zone, err = zoneOf(c); err != nil {
				return nil, err
			}
			zones[c.Timezone] = zone
		}
		for at := range slot.Instants(schedules[c.ID], zone, from.Add(-time.Millisecond), to.Add(-time.Millisecond)) {
			if !held[place{c.ID, at.UnixMilli()}] {
				open[c.ID] = append(open[c.ID], at)
			}
		}
	}
	return open, nil
}

// Thumbnails returns the addresses of the thumbnails of assets. An asset without one is missing.
func (a *mediaUseCases) Thumbnails(
	ctx context.Context, p Principal, ids []ident.Media,
) (map[ident.Media]string, error) {
	found, err := a.media.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	addresses := make(map[ident.Media]string, len(found))
	for id, asset := range found {
		if asset.Files.Thumbnail.IsZero() {
			continue
		}
		if addresses[id], err = a.ThumbnailURL(asset.Files.Thumbnail); err != nil {
			return nil, err
		}
	}
	return addresses, nil
}
