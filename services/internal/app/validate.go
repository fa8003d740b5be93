package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// ChannelFindings holds the findings about a post for one channel.
type ChannelFindings struct {
	Channel  channel.Channel
	Content  platform.Content // with the attachments, without their files
	Findings []Finding
	At       time.Time        // when the post would be published; zero: it would not, or no time is available
	Length   rules.TextLength // of the text; zero for a channel that cannot be published to
	// Undescribed has the attachments, also those of parts, that the network shows with an alternative text and that have none.
	Undescribed []ident.Media
	Titled      bool // the network shows the title of the post
	// Fitting has the attachments that the network accepts together, if it does not accept all of them.
	Fitting []ident.Media
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
	// Trim is the part of a video that the network takes, if only its length is wrong.
	Trim media.Trim
}

// ValidatePosts returns errors and warnings for the posts without creating them. The error is NOT_FOUND for an unknown
// channel or asset, and VALIDATION_FAILED for an alternative text of an asset that is not attached, and for
// options of channels of several networks.
func (a *postUseCases) ValidatePosts(ctx context.Context, p Principal, in CreatePosts) ([]ChannelFindings, error) {
	drafted, err := a.drafted(ctx, p, in)
	if err != nil {
		return nil, err
	}
	out := make([]ChannelFindings, len(drafted))
	for i, d := range drafted {
		out[i] = a.found(d)
	}
	return out, nil
}

// found returns what is found about a post.
func (a *postUseCases) found(d draft) ChannelFindings {
	content := d.content
	content.Facts = d.channel.Facts
	f := ChannelFindings{Channel: d.channel, Content: content, Findings: d.findings, At: d.at}
	f.Titled = a.rules.Titled(d.channel.Type, content)
	f.Length, _ = a.rules.TextLength(d.channel.Type, content)
	for _, one := range append([]platform.Content{content}, content.Parts...) {
		for _, i := range a.rules.Undescribed(d.channel.Type, one) {
			if id := one.Media[i].ID; !slices.Contains(f.Undescribed, id) {
				f.Undescribed = append(f.Undescribed, id)
			}
		}
	}
	for _, i := range a.rules.Fitting(d.channel.Type, content) {
		f.Fitting = append(f.Fitting, content.Media[i].ID)
	}
	for i, one := range f.Findings {
		f.Findings[i].Trim = a.trimmed(d.channel.Type, content, one)
	}
	return f
}

// trimmed returns the part of a video that resolves a finding about an attachment; zero if none does.
func (a *postUseCases) trimmed(kind channel.Type, content platform.Content, f Finding) media.Trim {
	_, index, about := strings.Cut(f.Member, "mediaIds/")
	i, err := strconv.Atoi(index)
	if !about || err != nil || f.Warning || strings.Contains(f.Member, "thread/") { // a part is not trimmed
		return media.Trim{}
	}
	longest := a.rules.Trimmed(kind, content, i, f.Message)
	if longest == 0 {
		return media.Trim{}
	}
	return media.Trim{Of: content.Media[i].ID, End: longest}
}

// draft is a post before it is created or changed, with what is found about it.
type draft struct {
	channel  channel.Channel
	content  platform.Content
	at       time.Time // at which it is published; zero: there is none, or it is not available
	ends     time.Time // of the access to the channel, unless a person extends it; zero: none is known
	findings []Finding
	// overridesPause reports that a person publishes the post although its channel is paused.
	overridesPause bool
}

// drafted returns the posts that the request would create. It reserves nothing.
func (a *postUseCases) drafted(ctx context.Context, p Principal, in CreatePosts) ([]draft, error) {
	channels, err := a.scheduling.channelsOf(ctx, p, in.ChannelIDs, false)
	if err == nil {
		err = a.haveCampaign(ctx, p, in.CampaignID)
	}
	if err != nil {
		return nil, err
	}
	entries, err := a.entriesOf(ctx, p, in, channels)
	if err != nil {
		return nil, err
	}
	chain, err := a.chainFaults(ctx, p, entries)
	if err == nil {
		err = apperr.Invalid(append(append(in.faults(entries), p.scriptFaults(in.Metadata)...), chain...))
	}
	if err != nil {
		return nil, err
	}
	ends, err := a.scheduling.AccessEnds(ctx, p)
	if err != nil {
		return nil, err
	}
	drafted, err := a.draftsOf(ctx, in, entries, ends)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		would := post.Post{Policy: e.of.Approval(), Writers: []ident.User{p.Author()}}
		if err := a.awaits(ctx, p, would, e.pointer(memberChannels), &drafted[i]); err != nil {
			return nil, err
		}
	}
	return drafted, nil
}

// draftsOf returns the posts of a request with what is found about them. Ends holds the ends of the access to channels.
func (a *postUseCases) draftsOf(
	ctx context.Context, in CreatePosts, entries []entry, ends map[ident.Channel]time.Time,
) ([]draft, error) {
	out := make([]draft, len(entries))
	for i, e := range entries {
		out[i] = draft{channel: e.of, ends: ends[e.of.ID], content: e.content()}
		out[i].content.PostID = in.Existing[e.of.ID]
		if err := a.place(ctx, in.Schedule, e.pointer(memberChannels), &out[i]); err != nil {
			return nil, err
		}
		out[i].findings = append(out[i].findings, in.Schedule.strangeOffset(e.of)...)
		out[i].examine(e.pointed(a.scheduling.examined(out[i])))
	}
	return out, nil
}

// place sets the time of a post, and finds what prevents publishing to its channel, the member target, at this time.
func (a *postUseCases) place(ctx context.Context, schedule Schedule, target string, d *draft) error {
	at, untimely := a.timely(ctx, schedule, d.channel)
	for _, check := range []struct {
		member string
		err    error
	}{{target, a.scheduling.ready(d.channel)}, {"schedule", untimely}} {
		refusal, ok := errors.AsType[*apperr.Error](check.err)
		switch {
		case check.err == nil:
		case !ok || refusal.Code == apperr.Unavailable:
			return check.err
		default:
			d.refuse(check.member, refusal)
		}
	}
	if untimely == nil {
		d.at = at
	}
	d.findings = append(d.findings, a.scheduling.waits(*d, "schedule", target)...)
	return nil
}

// strangeOffset warns about an offset that the channel's zone does not have at that time, such as that of winter in summer.
func (s Schedule) strangeOffset(c channel.Channel) []Finding {
	if s.Offset == "" { // most times: loading a zone takes longer than all rules
		return nil
	}
	zone, known := places.LoadZone(c.Timezone)
	if !known {
		return nil
	}
	local := s.At.In(zone)
	if local.Format("-07:00") == s.Offset {
		return nil
	}
	return []Finding{{Code: apperr.ValidationFailed, Finding: platform.Finding{
		Member: "schedule", Warning: true, Message: fmt.Sprintf("The time has the offset %s, but the channel's time zone %s has "+
			"%s at that time: it is %s there. To send a time of that zone, omit the offset and send timezone.",
			s.Offset, c.Timezone, local.Format("-07:00"), local.Format("2 January 2006, 15:04")),
	}}}
}

// refuse adds the error of a use case.
func (d *draft) refuse(member string, refusal *apperr.Error) {
	d.findings = append(d.findings, Finding{
		Finding: platform.Finding{Member: member, Message: refusal.Message}, Code: refusal.Code,
	})
}

// examine adds findings about the content.
func (d *draft) examine(found []platform.Finding) {
	for _, f := range found {
		d.findings = append(d.findings, Finding{Finding: f, Code: apperr.ValidationFailed})
	}
}

// examined returns the findings about the content of a post; none for a channel that cannot be published to.
func (a *channelUseCases) examined(d draft) []platform.Finding {
	if !d.channel.Type.Capabilities().Publish {
		return nil
	}
	return a.findings(d.channel, d.content)
}

// waits warns about a post that will not be published at its time, although it can be scheduled: because its channel is
// paused, or because the access to it ends before. The findings are about the members for the time and the channel.
func (a *channelUseCases) waits(d draft, timing, target string) (found []Finding) {
	c := d.channel
	warn := func(code apperr.Code, member, format string, args ...any) {
		found = append(found, Finding{Code: code, Finding: platform.Finding{
			Member: member, Message: fmt.Sprintf(format, args...), Warning: true,
		}})
	}
	if d.at.IsZero() || !c.Ready() {
		return nil
	}
	if c.Paused() && !d.overridesPause {
		warn(apperr.QueuePaused, timing, "Channel %s (%s) is paused: the post will wait until a person resumes it in the "+
			"application%s", c.ID, c.Name, ChannelPage.Link(a.appURL, c.WorkspaceID, c.ID))
	}
	if !d.ends.IsZero() && !d.at.Before(d.ends) {
		warn(apperr.ChannelDisconnected, target, "The access to channel %s (%s) ends at %s, before the post is due; reconnect it "+
			"in the application until then%s", c.ID, c.Name, event.FormatTime(d.ends),
			ChannelPage.Link(a.appURL, c.WorkspaceID, c.ID))
	}
	return found
}

// timely returns the time at which a post would be published, without reserving it; zero for a draft.
func (a *postUseCases) timely(ctx context.Context, schedule Schedule, c channel.Channel) (time.Time, error) {
	now := a.now()
	switch schedule.Kind {
	case ScheduleNow:
		return now, nil
	case ScheduleAt:
		return schedule.At.UTC(), schedule.check(nil, now)
	case ScheduleNextSlot:
		return a.scheduling.freeSlot(ctx, c, now, nil)
	case ScheduleDraft:
	}
	return time.Time{}, nil
}
