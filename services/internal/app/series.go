package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// seriesUseCases are those of recurring posts. The posts of a day are made once, and are then ordinary posts.
type seriesUseCases struct {
	*Records

	sets       *setUseCases
	store      *postgres.Series
	users      *postgres.Users
	references *postgres.References
}

const oneDay = 24 * time.Hour

// SeriesPosts is a day of a series with its posts that still exist.
type SeriesPosts struct {
	series.Occurrence

	Posts []post.Post
}

// AllSeries returns the series of the workspace: those that go on first.
func (a *seriesUseCases) AllSeries(ctx context.Context, p Principal) ([]series.Series, error) {
	all, err := a.store.List(ctx, p.WorkspaceID)
	return slices.DeleteFunc(all, func(s series.Series) bool { return !a.reads(p, s) }), err
}

// reads reports whether the client may use the channels of a series.
func (a *seriesUseCases) reads(p Principal, s series.Series) bool {
	in, err := a.SeriesContent(s)
	return p.Channels == nil || err == nil && p.MayUse(in.ChannelIDs...)
}

// Series returns a series; NOT_FOUND when the workspace has no such series.
func (a *seriesUseCases) Series(ctx context.Context, p Principal, id ident.Series) (series.Series, error) {
	s, err := a.store.Get(ctx, p.WorkspaceID, id)
	if err == nil && !a.reads(p, s) {
		return series.Series{}, noSeries()
	}
	return s, err
}

func noSeries() error { return apperr.New(apperr.NotFound, "There is no such series.") }

// SeriesOf returns the day of a series to which a set belongs; false if it belongs to none.
func (a *seriesUseCases) SeriesOf(ctx context.Context, p Principal, set ident.Group) (series.Occurrence, bool, error) {
	return a.store.Of(ctx, p.WorkspaceID, set)
}

// SeriesDays returns the days of a series that were made or left out: those to come, and the last ones before now, newest
// first.
func (a *seriesUseCases) SeriesDays(ctx context.Context, p Principal, id ident.Series) (coming, past []SeriesPosts, err error) {
	const few = 20
	now := a.now()
	next, err := a.store.Days(ctx, id, now)
	if err != nil {
		return nil, nil, err
	}
	last, err := a.store.Past(ctx, id, now, few)
	if err != nil {
		return nil, nil, err
	}
	if coming, err = a.posts(ctx, p, next); err != nil {
		return nil, nil, err
	}
	past, err = a.posts(ctx, p, last)
	return coming, past, err
}

func (a *seriesUseCases) posts(ctx context.Context, p Principal, days []series.Occurrence) ([]SeriesPosts, error) {
	list := make([]SeriesPosts, len(days))
	at := make(map[ident.Group]int, len(days))
	for i, o := range days {
		list[i].Occurrence = o
		if !o.GroupID.IsZero() {
			at[o.GroupID] = i
		}
	}
	if len(at) == 0 {
		return list, nil
	}
	found, err := a.sets.one.posts.For(p.Channels).OfGroups(ctx, p.WorkspaceID, slices.Collect(maps.Keys(at))...)
	for _, one := range found {
		day := &list[at[one.GroupID]]
		day.Posts = append(day.Posts, one)
	}
	return list, err
}

// SeriesContent returns what the posts of a series's next days have.
func (a *seriesUseCases) SeriesContent(s series.Series) (in CreatePosts, err error) {
	if err := json.Unmarshal(s.Content, &in); err != nil {
		return in, fmt.Errorf("decode the content of a series: %w", err)
	}
	return in, nil
}

// RepeatSet makes a series whose first day is that of a set. The start of the rule is set to the time of the set's posts. The
// errors are VALIDATION_FAILED for faults of the rule, INVALID_STATE for posts without a time to come and for a set that
// repeats already, and NOT_FOUND.
func (a *seriesUseCases) RepeatSet(ctx context.Context, p Principal, set ident.Group, rule series.Rule) (s series.Series, err error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return s, err
	}
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		posts, err := a.sets.SetPosts(ctx, p, set)
		if err != nil {
			return err
		}
		at := posts[0].ScheduledAt
		for _, one := range posts {
			if one.Status != post.Scheduled || !one.ScheduledAt.After(a.now()) {
				return apperr.New(apperr.InvalidState, "Schedule the post first. Its time is the first one of the series.")
			}
			if one.ScheduledAt.Before(at) {
				at = one.ScheduledAt
			}
		}
		if _, repeats, err := a.store.Of(ctx, p.WorkspaceID, set); err != nil {
			return err
		} else if repeats {
			return apperr.New(apperr.InvalidState, "This post repeats already. Change its series instead.")
		}
		zone, err := time.LoadLocation(rule.Zone)
		if err == nil {
			local := at.In(zone)
			rule.Start = time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
		}
		day := rule.Start.Truncate(oneDay)
		if rule.Unit == series.Week && !slices.Contains(rule.Weekdays, day.Weekday()) {
			rule.Weekdays = append(rule.Weekdays, day.Weekday())
		}
		s = series.Series{ID: ident.New[ident.Series](), WorkspaceID: p.WorkspaceID, Rule: rule, CreatedAt: a.now()}
		if err := a.put(ctx, p, &s, contentOf(posts), day); err != nil {
			return err
		}
		_, err = a.store.Record(ctx, series.Occurrence{SeriesID: s.ID, Day: day, At: at, GroupID: set})
		return err
	})
	if err != nil {
		return s, err
	}
	return s, a.makeDays(ctx, s.ID)
}

// put stores a series with a content, in the name of the person. Its next day is the first one after another.
func (a *seriesUseCases) put(ctx context.Context, p Principal, s *series.Series, in CreatePosts, after time.Time) error {
	if err := apperr.Invalid(s.Rule.Faults()); err != nil {
		return err
	}
	content, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode the content of a series: %w", err)
	}
	s.AuthorID, s.Content, s.UpdatedAt = p.Person.ID, content, a.now()
	if err := s.Plan(after); err != nil {
		return err
	}
	if err := a.store.Put(ctx, *s); err != nil {
		return err
	}
	return a.refer(ctx, *s, in)
}

// refer keeps the files of a series from deletion while it goes on.
func (a *seriesUseCases) refer(ctx context.Context, s series.Series, in CreatePosts) error {
	const label = 80 // characters
	files := in.attached()
	if s.Next.IsZero() {
		files = nil
	}
	return a.references.Set(ctx, postgres.Owner{
		WorkspaceID: s.WorkspaceID, Type: media.OwnerSeries, ID: s.ID.String(), Label: beginning(in.Content, label),
	}, files)
}

// change changes a series in a transaction, and makes its days.
func (a *seriesUseCases) change(
	ctx context.Context, p Principal, id ident.Series, change func(ctx context.Context, s series.Series) error,
) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	err := a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		s, err := a.store.Lock(ctx, p.WorkspaceID, id)
		if err == nil && !a.reads(p, s) {
			err = noSeries()
		}
		if err != nil {
			return err
		}
		return change(ctx, s)
	})
	if err != nil {
		return err
	}
	return a.makeDays(ctx, id)
}

// ChangeSeriesRule replaces the rule of a series. The posts that its later days have already are made again, except for those
// that someone changed. VALIDATION_FAILED for faults of the rule.
func (a *seriesUseCases) ChangeSeriesRule(ctx context.Context, p Principal, id ident.Series, rule series.Rule) error {
	return a.change(ctx, p, id, func(ctx context.Context, s series.Series) error {
		in, err := a.SeriesContent(s)
		if err != nil {
			return err
		}
		s.Rule = rule
		after := a.today(rule)
		if err := a.put(ctx, p, &s, in, after); err != nil {
			return err
		}
		return a.withdraw(ctx, p, s, after)
	})
}

// today returns the day before the first one that a rule can still make.
func (a *seriesUseCases) today(rule series.Rule) time.Time {
	zone, err := time.LoadLocation(rule.Zone)
	if err != nil {
		return time.Time{} // the fault of the rule is reported
	}
	shown := wallclock.Of(a.now().In(zone))
	day := time.Unix(int64(shown.Midnight()), 0).UTC()
	if at, err := rule.At(day); err == nil && at.After(a.now()) {
		return day.Add(-oneDay)
	}
	return day
}

// FollowSet makes the content of a set that of the later days of its series. The posts that these days have already are made
// again, except for those that someone changed.
func (a *seriesUseCases) FollowSet(ctx context.Context, p Principal, set ident.Group) error {
	of, ok, err := a.store.Of(ctx, p.WorkspaceID, set)
	if err != nil {
		return err
	}
	if !ok {
		return apperr.New(apperr.NotFound, "This post does not repeat.")
	}
	return a.change(ctx, p, of.SeriesID, func(ctx context.Context, s series.Series) error {
		posts, err := a.sets.SetPosts(ctx, p, set)
		if err != nil {
			return err
		}
		after := of.Day
		if today := a.today(s.Rule); today.After(after) {
			after = today
		}
		if err := a.put(ctx, p, &s, contentOf(posts), after); err != nil {
			return err
		}
		return a.withdraw(ctx, p, s, after)
	})
}

// EndSeries ends a series. The posts of its days to come stay, or are deleted except for those that someone changed.
func (a *seriesUseCases) EndSeries(ctx context.Context, p Principal, id ident.Series, deletePosts bool) error {
	return a.change(ctx, p, id, func(ctx context.Context, s series.Series) error {
		s.Next, s.NextAt, s.UpdatedAt = time.Time{}, time.Time{}, a.now()
		err := a.store.Put(ctx, s)
		if err == nil {
			err = a.refer(ctx, s, CreatePosts{})
		}
		if err != nil || !deletePosts {
			return err
		}
		return a.withdraw(ctx, p, s, a.today(s.Rule))
	})
}

// withdraw deletes the posts that days after another one have, except for those that someone changed, and deletes their records.
func (a *seriesUseCases) withdraw(ctx context.Context, p Principal, s series.Series, after time.Time) error {
	days, err := a.store.Days(ctx, s.ID, a.now())
	if err != nil {
		return err
	}
	listed, err := a.posts(ctx, p, days)
	if err != nil {
		return err
	}
	for _, one := range listed {
		skipped := one.GroupID.IsZero() && one.Why == ""
		if !one.Day.After(after) || skipped || !untouched(one) {
			continue
		}
		for _, of := range one.Posts {
			if err := a.sets.one.DeletePost(ctx, p, of.ID); err != nil {
				return err
			}
		}
		if err := a.store.Unrecord(ctx, s.ID, one.Day); err != nil {
			return err
		}
	}
	return nil
}

// untouched reports whether the posts of a day are as they were made. A day whose posts were deleted is not.
func untouched(one SeriesPosts) bool {
	changed := func(p post.Post) bool {
		return !p.UpdatedAt.Equal(p.CreatedAt) || p.Status != post.Scheduled && p.Status != post.Draft || !p.PublishingSince.IsZero()
	}
	return (len(one.Posts) > 0 || one.GroupID.IsZero()) && !slices.ContainsFunc(one.Posts, changed)
}

// SkipSeriesDay leaves out a day of a series to come, and deletes its posts. NOT_FOUND if the rule has no such day.
func (a *seriesUseCases) SkipSeriesDay(ctx context.Context, p Principal, id ident.Series, day time.Time) error {
	return a.change(ctx, p, id, func(ctx context.Context, s series.Series) error {
		at, err := a.dayOf(ctx, s, day)
		if err != nil {
			return err
		}
		days, err := a.store.Days(ctx, id, at)
		if err != nil {
			return err
		}
		listed, err := a.posts(ctx, p, slices.DeleteFunc(days, func(o series.Occurrence) bool { return !o.Day.Equal(day) }))
		if err != nil {
			return err
		}
		for _, one := range listed {
			for _, of := range one.Posts {
				if err := a.sets.one.DeletePost(ctx, p, of.ID); err != nil {
					return err
				}
			}
		}
		if err := a.store.Unrecord(ctx, id, day); err != nil {
			return err
		}
		_, err = a.store.Record(ctx, series.Occurrence{SeriesID: id, Day: day, At: at})
		return err
	})
}

// RestoreSeriesDay makes a day of a series to come that was left out, or whose posts were deleted. NOT_FOUND as SkipSeriesDay.
func (a *seriesUseCases) RestoreSeriesDay(ctx context.Context, p Principal, id ident.Series, day time.Time) error {
	return a.change(ctx, p, id, func(ctx context.Context, s series.Series) error {
		if _, err := a.dayOf(ctx, s, day); err != nil {
			return err
		}
		if err := a.store.Unrecord(ctx, id, day); err != nil {
			return err
		}
		if !s.Next.IsZero() && !day.Before(s.Next) {
			return nil
		}
		if err := s.Plan(day.Add(-oneDay)); err != nil {
			return err
		}
		return a.store.Put(ctx, s)
	})
}

// dayOf returns the time of a day of a series; NOT_FOUND if it has passed, or the series has no such day.
func (a *seriesUseCases) dayOf(ctx context.Context, s series.Series, day time.Time) (time.Time, error) {
	missing := apperr.New(apperr.NotFound, "The series has no such day to come.")
	days, err := a.store.Days(ctx, s.ID, a.now())
	if err != nil {
		return time.Time{}, err
	}
	for _, o := range days {
		if o.Day.Equal(day) {
			return o.At, nil
		}
	}
	if s.Next.IsZero() || !s.Rule.Next(day.Add(-oneDay)).Equal(day) {
		return time.Time{}, missing
	}
	at, err := s.Rule.At(day)
	if err == nil && !at.After(a.now()) {
		err = missing
	}
	return at, err
}
