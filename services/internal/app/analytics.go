package app

import (
	"context"
	"slices"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// figureUseCases are those of figures that networks report.
type figureUseCases struct {
	*Records

	insights   *postgres.Insights
	channels   *postgres.Channels
	posts      *postgres.Posts
	workspaces *postgres.Workspaces
}

// Days is the requested range of days. Zero dates select the default range.
type Days struct {
	From, To analytics.Date
}

// WorkspaceAnalytics holds the figures of a workspace and its channels.
type WorkspaceAnalytics struct {
	analytics.Summary

	Channels []ChannelStanding
}

// ChannelStanding holds the figures of one channel of a workspace.
type ChannelStanding struct {
	postgres.ChannelState

	Channel channel.Channel
}

// ChannelAnalytics holds the figures of a channel per day.
type ChannelAnalytics struct {
	ChannelID ident.Channel
	Days      []analytics.ChannelDay
}

// PostAnalytics holds the snapshots of a post's figures.
type PostAnalytics struct {
	PostID ident.Post
	Days   []analytics.PostDay
	Latest *analytics.PostDay // of all snapshots, also outside the range; nil: none
}

// WorkspaceAnalytics returns the sum of the figures of the workspace's channels. The error is VALIDATION_FAILED for an
// invalid range.
func (a *figureUseCases) WorkspaceAnalytics(ctx context.Context, p Principal, requested Days) (WorkspaceAnalytics, error) {
	r, zone, err := a.days(ctx, p, requested)
	if err != nil {
		return WorkspaceAnalytics{}, err
	}
	channels, err := a.channels.For(p.Channels).List(ctx, p.WorkspaceID)
	if err != nil {
		return WorkspaceAnalytics{}, err
	}
	states, err := a.insights.Summaries(ctx, p.WorkspaceID, r, zone)
	if err != nil {
		return WorkspaceAnalytics{}, err
	}
	states = slices.DeleteFunc(states, func(s postgres.ChannelState) bool { return !p.MayUse(s.ChannelID) })
	known := make(map[ident.Channel]postgres.ChannelState, len(states))
	summaries := make([]analytics.ChannelSummary, len(states))
	for i, state := range states {
		known[state.ChannelID], summaries[i] = state, state.ChannelSummary
	}
	out := WorkspaceAnalytics{
		Summary: analytics.Summarize(r, summaries), Channels: make([]ChannelStanding, 0, len(channels)),
	}
	for _, c := range channels {
		if state, ok := known[c.ID]; ok { // the channel was not deleted in between
			out.Channels = append(out.Channels, ChannelStanding{ChannelState: state, Channel: c})
		}
	}
	return out, nil
}

// ChannelAnalytics returns the figures of a channel. A channel whose network provides no figures has no days. Errors:
// NOT_FOUND when the workspace has no such channel, VALIDATION_FAILED for an invalid range.
func (a *figureUseCases) ChannelAnalytics(
	ctx context.Context, p Principal, id ident.Channel, requested Days,
) (ChannelAnalytics, error) {
	if _, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id); err != nil {
		return ChannelAnalytics{}, err
	}
	r, _, err := a.days(ctx, p, requested)
	if err != nil {
		return ChannelAnalytics{}, err
	}
	days, err := a.insights.Channel(ctx, id, r)
	return ChannelAnalytics{ChannelID: id, Days: days}, err
}

// PostAnalytics returns the snapshots of a post: those of the requested range, or all without a range. Errors:
// NOT_FOUND when the workspace has no such post, VALIDATION_FAILED for an invalid range.
func (a *figureUseCases) PostAnalytics(ctx context.Context, p Principal, id ident.Post, requested Days) (PostAnalytics, error) {
	if _, err := a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, id); err != nil {
		return PostAnalytics{}, err
	}
	r, _, err := a.days(ctx, p, requested)
	if err != nil {
		return PostAnalytics{}, err
	}
	all, err := a.insights.Post(ctx, id)
	if err != nil {
		return PostAnalytics{}, err
	}
	out := PostAnalytics{PostID: id, Days: make([]analytics.PostDay, 0, len(all))}
	for _, day := range all {
		if requested == (Days{}) || r.Contains(day.Date) {
			out.Days = append(out.Days, day)
		}
	}
	if len(all) > 0 {
		out.Latest = &all[len(all)-1]
	}
	return out, nil
}

// LatestFigures returns the last snapshot of each of the workspace's posts that has one.
func (a *figureUseCases) LatestFigures(
	ctx context.Context, p Principal, ids []ident.Post,
) (map[ident.Post]analytics.PostDay, error) {
	return a.insights.Latest(ctx, p.WorkspaceID, ids)
}

// days returns the requested range, in the time zone of the workspace.
func (a *figureUseCases) days(ctx context.Context, p Principal, requested Days) (analytics.Range, *time.Location, error) {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return analytics.Range{}, nil, err
	}
	zone := analytics.Zone(w.Timezone)
	r, faults := analytics.NewRange(requested.From, requested.To, analytics.DateOf(a.now().In(zone)))
	return r, zone, apperr.Invalid(faults)
}
