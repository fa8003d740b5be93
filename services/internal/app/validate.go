package app

import (
	"context"
	"errors"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
)

// ChannelFindings holds the findings about a post for one channel.
type ChannelFindings struct {
	Channel  channel.Channel
	Findings []Finding
}

// Valid reports whether no finding prevents publishing.
func (f ChannelFindings) Valid() bool {
	for _, finding := range f.Findings {
		if !finding.Warning {
			return false
		}
	}
	return true
}

// Finding is a finding about a post, with the error code of its rejection.
type Finding struct {
	platform.Finding
	Code apperr.Code
}

// ValidatePosts returns errors and warnings for the posts without creating them. The error is NOT_FOUND for an unknown
// channel or asset, and VALIDATION_FAILED for an alternative text of an asset that is not attached.
func (a *App) ValidatePosts(ctx context.Context, p Principal, in CreatePosts) ([]ChannelFindings, error) {
	if err := apperr.Invalid(in.MediaAltTexts.Faults(in.MediaIDs)); err != nil {
		return nil, err
	}
	channels, err := a.channelsOf(ctx, p, in.ChannelIDs, false)
	if err != nil {
		return nil, err
	}
	assets, err := a.assetsOf(ctx, p, in.MediaIDs)
	if err != nil {
		return nil, err
	}
	out := make([]ChannelFindings, len(in.ChannelIDs))
	for i, id := range in.ChannelIDs {
		out[i].Channel = channels[id]
		obstacle, err := a.obstacle(ctx, in, channels[id])
		if err != nil {
			return nil, err
		}
		out[i].Findings = obstacle
		if !channels[id].Type.Capabilities().Publish {
			continue
		}
		content := platform.ContentOf(post.Post{
			Content: in.Content, Title: in.Title, ContentType: in.ContentType, MediaAltTexts: in.MediaAltTexts,
		}, assets)
		for _, f := range in.reachable(a.findings(channels[id], content)) {
			out[i].Findings = append(out[i].Findings, Finding{Finding: f, Code: apperr.ValidationFailed})
		}
	}
	return out, nil
}

// obstacle returns the findings about the channel and the publish time.
func (a *App) obstacle(ctx context.Context, in CreatePosts, c channel.Channel) ([]Finding, error) {
	var found []Finding
	for _, check := range []struct {
		member string
		err    error
	}{{"channelIds", a.ready(c)}, {"schedule", a.timely(ctx, in.Schedule, c)}} {
		refusal, ok := errors.AsType[*apperr.Error](check.err)
		switch {
		case check.err == nil:
		case !ok || refusal.Code == apperr.Unavailable:
			return nil, check.err
		default:
			found = append(found, Finding{
				Finding: platform.Finding{Member: check.member, Message: refusal.Message}, Code: refusal.Code,
			})
		}
	}
	return found, nil
}

// timely checks whether the requested time is available, without reserving it.
func (a *App) timely(ctx context.Context, schedule Schedule, c channel.Channel) error {
	now := a.now()
	switch schedule.Kind { //nolint:exhaustive // the others have no time
	case ScheduleAt:
		return schedule.check(nil, now)
	case ScheduleNextSlot:
		_, err := a.freeSlot(ctx, c, now, nil)
		return err
	}
	return nil
}
