package app

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Days is the range of days that a client asks for; zero dates are left to the service.
type Days struct {
	From, To analytics.Date
}

// WorkspaceAnalytics is how a workspace and its channels did.
type WorkspaceAnalytics struct {
	analytics.Summary

	Channels []ChannelStanding
}

// ChannelStanding is how one channel of a workspace did.
type ChannelStanding struct {
	postgres.ChannelState

	Channel channel.Channel
}

// ChannelAnalytics is how a channel did, day by day.
type ChannelAnalytics struct {
	ChannelID ident.Channel
	Days      []analytics.ChannelDay
}

// PostAnalytics is how a post did, by its snapshots.
type PostAnalytics struct {
	PostID ident.Post
	Days   []analytics.PostDay
	Latest *analytics.PostDay // of all there are; nil when there is none
}

// WorkspaceAnalytics adds up how the channels of the workspace did. VALIDATION_FAILED for a range that is none.
func (a *App) WorkspaceAnalytics(ctx context.Context, p Principal, asked Days) (WorkspaceAnalytics, error) {
	r, zone, err := a.days(ctx, p, asked)
	if err != nil {
		return WorkspaceAnalytics{}, err
	}
	channels, err := a.channels.List(ctx, p.WorkspaceID)
	if err != nil {
		return WorkspaceAnalytics{}, err
	}
	states, err := a.insights.Summaries(ctx, p.WorkspaceID, r, zone)
	if err != nil {
		return WorkspaceAnalytics{}, err
	}
	known := make(map[ident.Channel]postgres.ChannelState, len(states))
	summaries := make([]analytics.ChannelSummary, len(states))
	for i, state := range states {
		known[state.ChannelID], summaries[i] = state, state.ChannelSummary
	}
	out := WorkspaceAnalytics{Summary: analytics.Summarize(r, summaries), Channels: make([]ChannelStanding, 0, len(channels))}
	for _, c := range channels {
		if state, ok := known[c.ID]; ok { // it was not removed in between
			out.Channels = append(out.Channels, ChannelStanding{ChannelState: state, Channel: c})
		}
	}
	return out, nil
}

// ChannelAnalytics reads how a channel did. A channel whose network tells no figures has no days. NOT_FOUND when the workspace
// has no such channel, VALIDATION_FAILED for a range that is none.
func (a *App) ChannelAnalytics(ctx context.Context, p Principal, id ident.Channel, asked Days) (ChannelAnalytics, error) {
	if _, err := a.channels.Get(ctx, p.WorkspaceID, id); err != nil {
		return ChannelAnalytics{}, err
	}
	r, _, err := a.days(ctx, p, asked)
	if err != nil {
		return ChannelAnalytics{}, err
	}
	days, err := a.insights.Channel(ctx, id, r)
	return ChannelAnalytics{ChannelID: id, Days: days}, err
}

// PostAnalytics reads how a post did: every snapshot there is, or those of the range when one is asked for. NOT_FOUND when the
// workspace has no such post, VALIDATION_FAILED for a range that is none.
func (a *App) PostAnalytics(ctx context.Context, p Principal, id ident.Post, asked Days) (PostAnalytics, error) {
	if _, err := a.posts.Get(ctx, p.WorkspaceID, id); err != nil {
		return PostAnalytics{}, err
	}
	r, _, err := a.days(ctx, p, asked)
	if err != nil {
		return PostAnalytics{}, err
	}
	all, err := a.insights.Post(ctx, id)
	if err != nil {
		return PostAnalytics{}, err
	}
	out := PostAnalytics{PostID: id, Days: make([]analytics.PostDay, 0, len(all))}
	for _, day := range all {
		if asked == (Days{}) || r.Contains(day.Date) {
			out.Days = append(out.Days, day)
		}
	}
	if len(all) > 0 {
		out.Latest = &all[len(all)-1]
	}
	return out, nil
}

// days is the range that is asked for, in the time zone of the workspace.
func (a *App) days(ctx context.Context, p Principal, asked Days) (analytics.Range, *time.Location, error) {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return analytics.Range{}, nil, err
	}
	zone := analytics.Zone(w.Timezone)
	r, faults := analytics.NewRange(asked.From, asked.To, analytics.DateOf(a.now().In(zone)))
	return r, zone, apperr.Invalid(faults)
}
