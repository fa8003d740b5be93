package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// Forecast says what would happen to a post (docs/contract.md, Simulation).
type Forecast struct {
	ChannelFindings

	PostID      ident.Post // zero: the post does not exist
	Conversions []Conversion
	Quota       Quota
	Conflicts   []postgres.Conflict
	Cost        rules.Cost // zero: free
	// ChannelReady reports whether the channel will accept the post then, as far as is known now.
	ChannelReady bool
}

// Conversion is an attachment that is sent in another form.
type Conversion struct {
	MediaID       ident.Media
	To            string // content type
	Width, Height int    // pixels; zero if unknown
	Size          int64  // bytes; zero until the file was made
}

// SimulateCreation returns what would happen to the posts that CreatePosts would create, in the order of the channels. It
// changes nothing. The errors are those of ValidatePosts.
func (a *postUseCases) SimulateCreation(ctx context.Context, p Principal, in CreatePosts) ([]Forecast, error) {
	drafted, err := a.drafted(ctx, p, in)
	if err != nil {
		return nil, err
	}
	return a.forecasts(ctx, drafted, true)
}

// Preview is SimulateCreation for a person who types: it asks no network for the used quota, and counts only what the
// service has published.
func (a *postUseCases) Preview(ctx context.Context, p Principal, in CreatePosts) ([]Forecast, error) {
	drafted, err := a.drafted(ctx, p, in)
	if err != nil {
		return nil, err
	}
	return a.forecasts(ctx, drafted, false)
}

// SimulatePosts returns what will happen to existing posts, in the order of their IDs. It changes nothing. The error is
// NOT_FOUND for a post that the workspace does not have.
func (a *postUseCases) SimulatePosts(ctx context.Context, p Principal, ids []ident.Post) ([]Forecast, error) {
	found, err := a.posts.For(p.Channels).GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	var targets []ident.Channel
	for _, id := range ids {
		of, ok := found[id]
		if !ok {
			return nil, apperr.New(apperr.NotFound, "There is no post %s.", id)
		}
		targets = append(targets, of.ChannelID)
	}
	channels, err := a.scheduling.channelsOf(ctx, p, targets, false)
	if err != nil {
		return nil, err
	}
	ends, err := a.scheduling.AccessEnds(ctx, p)
	if err != nil {
		return nil, err
	}
	drafted := make([]draft, len(ids))
	for i, id := range ids {
		d := draft{channel: channels[targets[i]], ends: ends[targets[i]]}
		if err := a.redraft(ctx, p, found[id], &d); err != nil {
			return nil, err
		}
		drafted[i] = d
	}
	return a.forecasts(ctx, drafted, true)
}

// redraft sets what is found about an existing post.
func (a *postUseCases) redraft(ctx context.Context, p Principal, of post.Post, d *draft) error {
	content, err := a.wholeOf(ctx, p, of)
	if err != nil {
		return err
	}
	now := a.now()
	d.content, d.overridesPause = content, of.OverridesPause
	switch {
	case of.Status == post.Scheduled && of.ScheduledAt.Before(now):
		d.at = now
	case of.Status == post.Scheduled, of.Status == post.PendingApproval && of.ScheduledAt.After(now):
		d.at = of.ScheduledAt
	}
	if refusal, ok := errors.AsType[*apperr.Error](a.scheduling.ready(d.channel)); ok {
		d.refuse("channelId", refusal)
	}
	_, err = of.PublishNow(now, p.Actor())
	if refusal, ok := errors.AsType[*apperr.Error](err); ok && refusal.Code == apperr.InvalidState &&
		of.Status != post.PendingApproval {
		d.refuse("status", refusal)
	}
	d.findings = append(d.findings, a.scheduling.waits(*d, "scheduledAt", "channelId")...)
	if of.Status == post.Draft || of.Status == post.PendingApproval || of.Status == post.Failed {
		if err := a.awaits(ctx, p, of, "channelId", d); err != nil {
			return err
		}
	}
	d.examine(a.scheduling.examined(*d))
	return nil
}

// forecasts completes what was found about posts. It asks the networks for their quotas if ask is set.
func (a *postUseCases) forecasts(ctx context.Context, drafted []draft, ask bool) ([]Forecast, error) {
	channels := make(map[ident.Channel]channel.Channel)
	for _, d := range drafted {
		channels[d.channel.ID] = d.channel
	}
	var reported map[ident.Channel]*platform.QuotaUsage
	if ask {
		var err error
		if reported, err = a.scheduling.reported(ctx, slices.Collect(maps.Values(channels))); err != nil {
			return nil, err
		}
	}
	out := make([]Forecast, len(drafted))
	for i, d := range drafted {
		place := placement{
			channel: d.channel, as: d.content.ContentType, at: d.at, now: a.now(), id: d.content.PostID,
			others: a.before(drafted[:i], d), reported: reported[d.channel.ID],
		}
		var err error
		if out[i], err = a.forecast(ctx, d, place); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// before returns the times of the posts of the request that do not exist, and take a place in the same quota first.
func (a *postUseCases) before(others []draft, d draft) (times []time.Time) {
	row, _ := a.rules.Of(d.channel.Type)
	for _, o := range others {
		if row.Quota.Shared && o.content.PostID.IsZero() && !o.at.IsZero() &&
			o.channel.Type.Network() == d.channel.Type.Network() {
			times = append(times, o.at)
		}
	}
	return times
}

func (a *postUseCases) forecast(ctx context.Context, d draft, place placement) (f Forecast, err error) {
	f = Forecast{
		ChannelFindings: a.found(d), PostID: d.content.PostID,
	}
	if place.at.IsZero() {
		place.at = place.now
	}
	f.ChannelReady = d.channel.Type.Capabilities().Publish && d.channel.Ready() &&
		(!d.channel.Paused() || d.overridesPause) && (d.ends.IsZero() || place.at.Before(d.ends))
	f.Cost, _ = a.rules.Cost(d.channel.Type, d.content)
	if f.Conversions, err = a.conversions(ctx, d); err != nil {
		return f, err
	}
	if f.Quota, err = a.scheduling.quotaFor(ctx, place); err != nil {
		return f, err
	}
	f.Conflicts, err = a.posts.Conflicts(ctx, postgres.ConflictQuery{
		ChannelID: d.channel.ID, Content: d.content.Text, At: d.at, Now: place.now, Except: d.content.PostID,
	})
	return f, err
}

// conversions returns the attachments that the publisher converts. Files that it has made already have their sizes.
func (a *postUseCases) conversions(ctx context.Context, d draft) ([]Conversion, error) {
	wanted := make(map[ident.Media]media.Form)
	for i, form := range a.rules.Forms(d.channel.Type, d.content) {
		if !form.IsZero() {
			wanted[d.content.Media[i].ID] = form
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	existing, err := a.renditions.GetMany(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var out []Conversion
	for _, asset := range d.content.Media {
		form, ok := wanted[asset.ID]
		if !ok {
			continue
		}
		c := Conversion{MediaID: asset.ID, To: form.ContentType}
		if rendition, converted := existing[asset.ID]; converted {
			c.Width, c.Height, c.Size = rendition.Width, rendition.Height, rendition.Object.Size
		} else {
			sent := form.Of(asset)
			c.Width, c.Height = sent.Probe.Width, sent.Probe.Height
		}
		out = append(out, c)
	}
	return out, nil
}
