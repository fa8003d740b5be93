package app_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// editor returns a member of the client's workspace.
func (b *bundle) editor(t *testing.T, p app.Principal) app.Principal {
	t.Helper()
	u, err := user.New(ident.New[ident.User]().String()+"@example.com", "Grace Hopper", "", start)
	require.NoError(t, err)
	users := postgres.NewUsers(b.db)
	_, err = users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.NoError(t, users.Join(t.Context(), u.ID, p.WorkspaceID, member.Editor, start))
	found, err := users.Memberships(t.Context(), u.ID)
	require.NoError(t, err)
	return app.PrincipalOf(app.Person{ID: u.ID, Name: u.Name, Email: u.Email}, found[0])
}

// repeated schedules a set on two channels in a zone, and repeats it.
func (b *bundle) repeated(t *testing.T, p app.Principal, at time.Time, rule series.Rule) (series.Series, []post.Post) {
	t.Helper()
	in := app.CreatePosts{
		Content: "base", ContentType: post.ContentPost, Labels: []string{"Spring"}, Schedule: app.Schedule{Kind: app.ScheduleAt, At: at},
	}
	for range 2 {
		in.ChannelIDs = append(in.ChannelIDs, b.channel(t.Context(), t, p, rule.Zone).ID)
	}
	in.Variants = []app.Variant{{ChannelID: in.ChannelIDs[1], Content: new("own")}}
	created, err := b.CreatePosts(t.Context(), p, in)
	require.NoError(t, err)
	of, err := b.RepeatSet(t.Context(), p, created[0].GroupID, rule)
	require.NoError(t, err)
	return of, created
}

// days returns what became of the days of a series, by day.
func (b *bundle) days(t *testing.T, p app.Principal, id ident.Series) map[string]app.SeriesPosts {
	t.Helper()
	found := make(map[string]app.SeriesPosts)
	all, err := postgres.NewSeries(b.db).Days(t.Context(), id, time.Time{})
	require.NoError(t, err)
	coming, past, err := b.SeriesDays(t.Context(), p, id)
	require.NoError(t, err)
	for _, o := range all {
		found[o.Day.Format(time.DateOnly)] = app.SeriesPosts{Occurrence: o}
	}
	for _, one := range append(coming, past...) {
		found[one.Day.Format(time.DateOnly)] = one
	}
	return found
}

// TestSeriesOverAYear makes the posts of a year while the service is down for random times, in two processes at once. Each
// day is made once, at its time by the clock on the wall, or recorded as missed.
func TestSeriesOverAYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	client := b.tenant(t.Context(), t)
	p := b.editor(t, client)
	for seed, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"} {
		down := rand.New(rand.NewPCG(uint64(seed), 1)) //nolint:gosec // repeatable
		b.clock.Set(start)
		place, err := time.LoadLocation(zone)
		require.NoError(t, err)
		of, _ := b.repeated(t, p, time.Date(2024, 3, 10, 2, 30, 0, 0, place), series.Rule{Unit: series.Week, Every: 1, Zone: zone})
		missed := make(map[string]bool)
		for now := start; now.Before(start.AddDate(1, 0, 0)); {
			before := now
			now = now.Add(time.Duration(1+down.IntN(70*24)) * time.Hour)
			b.clock.Set(now)
			for day := range of.Rule.Days() { // what came near and passed meanwhile
				at, err := of.Rule.At(day)
				require.NoError(t, err)
				if at.After(now) {
					break
				}
				if !at.Before(before.Add(series.Ahead)) && now.Sub(at) > post.MissedAfter {
					missed[day.Format(time.DateOnly)] = true
				}
			}
			var both sync.WaitGroup
			errs := make([]error, 2)
			for i := range errs {
				both.Go(func() { errs[i] = b.MakeSeries(t.Context()) })
			}
			both.Wait()
			require.NoError(t, errors.Join(errs...))
		}
		require.NotEmpty(t, missed)
		b.requireYear(t, p, of, missed)
	}
}

// requireYear requires that each day of a series until now was made once, at its time, or recorded as missed.
func (b *bundle) requireYear(t *testing.T, p app.Principal, of series.Series, missed map[string]bool) {
	t.Helper()
	got, n := b.days(t, p, of.ID), 0
	for day := range of.Rule.Days() {
		at, err := of.Rule.At(day)
		require.NoError(t, err)
		if !at.Before(b.clock.Now().Add(series.Ahead)) {
			break
		}
		n++
		name := day.Format(time.DateOnly)
		o, ok := got[name]
		require.True(t, ok, name)
		require.Equal(t, at.UTC(), o.At)
		require.Equal(t, missed[name], o.GroupID.IsZero(), "%s: %s", name, o.Why)
		if missed[name] {
			continue
		}
		posts, err := b.SetPosts(t.Context(), p, o.GroupID)
		require.NoError(t, err)
		require.Len(t, posts, 2)
		require.Equal(t, []string{"base", "own"}, []string{posts[0].Content, posts[1].Content})
		if posts[0].ScheduledAt.Before(posts[0].CreatedAt.Add(time.Second)) {
			continue // it was late, and went out at once
		}
		require.Equal(t, at.UTC(), posts[0].ScheduledAt, name)
	}
	require.Len(t, got, n)
}

func TestChangesOfSeries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.editor(t, b.tenant(t.Context(), t))
	ctx := t.Context()
	monday := time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)
	daily := series.Rule{Unit: series.Day, Every: 1, Zone: "UTC"}
	of, created := b.repeated(t, p, monday, daily)
	_, err := b.RepeatSet(ctx, p, created[0].GroupID, daily)
	require.True(t, apperr.Is(err, apperr.InvalidState), "it repeats already: %v", err)
	days := b.days(t, p, of.ID)
	require.Len(t, days, 28, "a month ahead: 4 to 31 March")
	require.Equal(t, created[0].GroupID, days["2024-03-04"].GroupID)

	// one post is changed, another deleted, a third skipped
	_, err = b.EditPost(ctx, p, days["2024-03-06"].Posts[0].ID, func(post.Post) (post.Edit, error) {
		return post.Edit{Content: new("mine")}, nil
	})
	require.NoError(t, err)
	for _, one := range days["2024-03-07"].Posts {
		require.NoError(t, b.DeletePost(ctx, p, one.ID))
	}
	require.NoError(t, b.SkipSeriesDay(ctx, p, of.ID, day(t, "2024-03-08")))
	require.NoError(t, b.SkipSeriesDay(ctx, p, of.ID, day(t, "2024-05-08")), "not made yet")
	for _, wrong := range []string{"2024-02-29", "2023-01-01"} {
		require.True(t, apperr.Is(b.SkipSeriesDay(ctx, p, of.ID, day(t, wrong)), apperr.NotFound), wrong)
	}

	// the content of the fifth follows
	for _, one := range days["2024-03-05"].Posts {
		_, err = b.EditPost(ctx, p, one.ID, func(post.Post) (post.Edit, error) { return post.Edit{Content: new("new")}, nil })
		require.NoError(t, err)
	}
	require.NoError(t, b.FollowSet(ctx, p, days["2024-03-05"].GroupID))
	contents := func(name string) string {
		o := b.days(t, p, of.ID)[name]
		text := strconv.Itoa(len(o.Posts))
		for _, one := range o.Posts {
			text += " " + one.Content
		}
		return text
	}
	for name, want := range map[string]string{
		"2024-03-04": "2 base own", "2024-03-05": "2 new new", "2024-03-06": "2 mine own", "2024-03-07": "0", "2024-03-08": "0",
		"2024-03-09": "2 new new", "2024-03-31": "2 new new",
	} {
		require.Equal(t, want, contents(name), name)
	}
	require.NoError(t, b.RestoreSeriesDay(ctx, p, of.ID, day(t, "2024-03-07")))
	require.NoError(t, b.RestoreSeriesDay(ctx, p, of.ID, day(t, "2024-03-08")))
	require.Equal(t, "2 new new", contents("2024-03-07"))
	require.Equal(t, "2 new new", contents("2024-03-08"))

	// another rule: Tuesdays at ten from the 12th on
	weekly := series.Rule{
		Unit: series.Week, Every: 1, Weekdays: []time.Weekday{time.Tuesday}, Start: time.Date(2024, 3, 12, 10, 0, 0, 0, time.UTC), Zone: "UTC",
	}
	require.NoError(t, b.ChangeSeriesRule(ctx, p, of.ID, weekly))
	days = b.days(t, p, of.ID)
	require.Equal(t, "2 mine own", contents("2024-03-06"), "someone changed it")
	require.NotContains(t, days, "2024-03-09")
	require.Equal(t, "2024-03-12T10:00:00Z", days["2024-03-12"].Posts[0].ScheduledAt.Format(time.RFC3339))
	weekly.Weekdays = nil
	require.True(t, apperr.Is(b.ChangeSeriesRule(ctx, p, of.ID, weekly), apperr.ValidationFailed))

	require.NoError(t, b.EndSeries(ctx, p, of.ID, true))
	days = b.days(t, p, of.ID)
	require.NotContains(t, days, "2024-03-12")
	require.Contains(t, days, "2024-03-06")
	b.clock.Set(start.AddDate(0, 6, 0))
	require.NoError(t, b.MakeSeries(ctx))
	require.Len(t, b.days(t, p, of.ID), len(days), "it has ended")
}

// TestSeriesMeetsObstacles makes days whose channels or author are gone, whose channel has lost its access, and whose content
// its network no longer takes.
func TestSeriesMeetsObstacles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	client := b.tenant(t.Context(), t)
	p := b.editor(t, client)
	ctx := t.Context()
	rule := series.Rule{Unit: series.Month, Every: 1, Zone: "UTC"}
	of, created := b.repeated(t, p, start.AddDate(0, 0, 1), rule)
	_, err := b.RepeatSet(ctx, b.tenant(ctx, t), created[0].GroupID, rule)
	require.True(t, apperr.Is(err, apperr.NotFound), "another workspace: %v", err)
	_, err = b.Series(ctx, b.tenant(ctx, t), of.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))

	// a channel without access has its post all the same; it waits at its time
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_status = 'NEEDS_RECONNECT' WHERE id = $1`, created[0].ChannelID.String())
	b.clock.Set(start.AddDate(0, 0, 5))
	require.NoError(t, b.MakeSeries(ctx))
	require.Len(t, b.days(t, p, of.ID)["2024-04-02"].Posts, 2)

	// a text that is too long becomes drafts, with the reason
	postgrestest.Exec(t, b.address, `UPDATE series SET content = jsonb_set(content, '{Content}', to_jsonb(repeat('long ', 200))) WHERE id = $1`, of.ID.String())
	b.clock.Set(start.AddDate(0, 1, 5))
	require.NoError(t, b.MakeSeries(ctx))
	may := b.days(t, p, of.ID)["2024-05-02"]
	require.Equal(t, post.Draft, may.Posts[0].Status)
	require.Contains(t, may.Why, "280")
	require.Equal(t, may.At, may.Posts[0].ScheduledAt)

	// the author leaves
	postgrestest.Exec(t, b.address, `DELETE FROM workspace_member WHERE user_id = $1`, p.Person.ID.String())
	b.clock.Set(start.AddDate(0, 2, 5))
	require.NoError(t, b.MakeSeries(ctx))
	june := b.days(t, p, of.ID)["2024-06-02"]
	require.Empty(t, june.Posts)
	require.Contains(t, june.Why, "author")
	require.True(t, apperr.Is(b.EndSeries(ctx, app.Principal{WorkspaceID: p.WorkspaceID}, of.ID, false), apperr.InsufficientScope))
}

func day(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, text)
	require.NoError(t, err)
	return d
}
