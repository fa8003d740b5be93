package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// MakeSeries makes the posts of the days of all series that came near. A series that cannot be made now does not hold up
// the others.
func (a *seriesUseCases) MakeSeries(ctx context.Context) error {
	const most = 1000
	due, err := a.store.Due(ctx, a.now().Add(series.Ahead), most)
	for _, id := range due {
		err = errors.Join(err, a.makeDays(ctx, id))
	}
	return err
}

// makeDays makes the days of a series that came near, each in its own transaction.
func (a *seriesUseCases) makeDays(ctx context.Context, id ident.Series) error {
	for more := true; more; {
		err := a.db.WithinRetriedTx(ctx, func(ctx context.Context) (err error) {
			more, err = a.makeNext(ctx, id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// makeNext makes the next day of a series; false if it is not near, or another process makes it.
func (a *seriesUseCases) makeNext(ctx context.Context, id ident.Series) (bool, error) {
	s, ok, err := a.store.Claim(ctx, id)
	if err != nil || !ok || s.Next.IsZero() || !s.NextAt.Before(a.now().Add(series.Ahead)) {
		return false, err
	}
	o := series.Occurrence{SeriesID: id, Day: s.Next, At: s.NextAt}
	known, err := a.store.Days(ctx, id, o.At.Add(-oneDay))
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(known, func(k series.Occurrence) bool { return k.Day.Equal(o.Day) }) {
		if o.GroupID, o.Why, err = a.occur(ctx, s); err != nil {
			return false, err
		}
		if _, err := a.store.Record(ctx, o); err != nil {
			return false, err
		}
	}
	if err := s.Plan(s.Next); err != nil {
		return false, err
	}
	if s.Next.IsZero() {
		err = a.refer(ctx, s, CreatePosts{})
	}
	return true, errors.Join(err, a.store.Put(ctx, s))
}

// occur creates the posts of the next day of a series. It returns why it created none, or only drafts.
func (a *seriesUseCases) occur(ctx context.Context, s series.Series) (set ident.Group, why string, err error) {
	now := a.now()
	if now.Sub(s.NextAt) > post.MissedAfter {
		return set, "The time passed while the service was down.", nil
	}
	p, member, err := a.authorOf(ctx, s.AuthorID, s.WorkspaceID)
	if err != nil || !member {
		return set, "Its author left the workspace. Save the series again to go on.", err
	}
	in, err := a.SeriesContent(s)
	if err != nil {
		return set, "", err
	}
	channels, err := a.channels.For(p.Channels).List(ctx, p.WorkspaceID)
	if err != nil {
		return set, "", err
	}
	known := channel.ByID(channels)
	gone := func(id ident.Channel) bool { _, ok := known[id]; return !ok }
	in.ChannelIDs = slices.DeleteFunc(in.ChannelIDs, gone)
	in.Variants = slices.DeleteFunc(in.Variants, func(v Variant) bool { return gone(v.ChannelID) })
	if len(in.ChannelIDs) == 0 {
		return set, "Its channels were removed.", nil
	}
	created, why, err := a.plan(ctx, p, in, s.NextAt)
	if err != nil {
		return set, why, err
	}
	return created[0].GroupID, why, nil
}

// plan creates posts for a time, or drafts if they are refused. It returns why they are drafts; empty if they wait for approval.
func (a *seriesUseCases) plan(ctx context.Context, p Principal, in CreatePosts, at time.Time) (created []post.Post, why string, err error) {
	in.Schedule, in.waits = Schedule{Kind: ScheduleAt, At: at}, true
	if !at.After(a.now()) {
		in.Schedule = Schedule{Kind: ScheduleNow}
	}
	created, err = a.sets.one.CreatePosts(ctx, p, in)
	if refused, ok := errors.AsType[*apperr.Error](err); ok && refused.Code != apperr.Unavailable && refused.Code != apperr.Internal {
		why = refused.Message
		if len(refused.Fields) > 0 {
			why = refused.Fields[0].Message
		}
		asks := refused.Code == apperr.ApprovalRequired
		if created, err = a.drafts(ctx, p, in, at, asks); asks {
			why = ""
		}
	}
	return created, why, err
}

// drafts creates the posts of a day as drafts that are planned for its time, and submits them for approval if that is asked.
func (a *seriesUseCases) drafts(ctx context.Context, p Principal, in CreatePosts, at time.Time, asks bool) ([]post.Post, error) {
	in.Schedule = Schedule{}
	created, err := a.sets.one.CreatePosts(ctx, p, in)
	for _, one := range created {
		if err == nil && at.After(a.now()) {
			_, err = a.sets.one.EditPost(ctx, p, one.ID, func(post.Post) (post.Edit, error) { return post.Edit{ScheduledAt: &at}, nil })
		}
		if err == nil && asks {
			_, err = a.sets.one.RequestApproval(ctx, p, one.ID)
		}
	}
	return created, err
}

// authorOf returns the person in whose name posts are made; false if that is no member of the workspace any more.
func (a *seriesUseCases) authorOf(ctx context.Context, id ident.User, workspace ident.Workspace) (Principal, bool, error) {
	found, err := a.users.Memberships(ctx, id)
	if err != nil {
		return Principal{}, false, err
	}
	for _, m := range found {
		if m.Workspace.ID == workspace {
			u, err := a.users.ByID(ctx, id)
			person := Person{ID: u.ID, Name: u.Name, Email: u.Email, AltTexts: m.Workspace.AltTexts}
			return PrincipalOf(person, m), u.MaySignIn(), err
		}
	}
	return Principal{}, false, nil
}

// contentOf returns the content of the posts of a set as a request to create them.
func contentOf(posts []post.Post) CreatePosts {
	base := post.Base(posts)
	in := CreatePosts{
		Content: base.Content, Title: base.Title, ContentType: base.ContentType, MediaIDs: base.MediaIDs,
		MediaAltTexts: base.MediaAltTexts, Labels: base.Labels, CampaignID: base.CampaignID, Metadata: base.Metadata, Thread: base.Thread, Comment: base.Comment,
	}
	for _, one := range posts {
		in.ChannelIDs = append(in.ChannelIDs, one.ChannelID)
		v := Variant{ChannelID: one.ChannelID}
		own := func(name post.Member, differs bool) bool { return differs || slices.Contains(one.Own, name) }
		if own(post.MemberContent, one.Content != base.Content) {
			v.Content = &one.Content
		}
		if own(post.MemberTitle, one.Title != base.Title) {
			v.Title = &one.Title
		}
		if own(post.MemberContentType, one.ContentType != base.ContentType) {
			v.ContentType = &one.ContentType
		}
		if own(post.MemberMediaIDs, !slices.Equal(one.MediaIDs, base.MediaIDs)) {
			v.MediaIDs = &one.MediaIDs
		}
		if own(post.MemberMediaAltTexts, false) {
			v.MediaAltTexts = &one.MediaAltTexts
		}
		if one.HasOptions {
			v.Options = &one.Options
		}
		if own(post.MemberThread, !post.EqualThreads(one.Thread, base.Thread)) {
			v.Thread = &one.Thread
		}
		if own(post.MemberFirstComment, one.Comment != base.Comment) {
			v.Comment = &one.Comment
		}
		if v != (Variant{ChannelID: one.ChannelID}) {
			in.Variants = append(in.Variants, v)
		}
	}
	return in
}
