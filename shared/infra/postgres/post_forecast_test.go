package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// at stores a post of the channel with a time: published if it is not in the future, otherwise SCHEDULED.
func (a *archive) at(t *testing.T, of ident.Channel, when time.Time, change ...func(p *post.Post)) post.Post {
	t.Helper()
	p := post.Post{
		ID: ident.New[ident.Post](), WorkspaceID: a.ws.ID, ChannelID: of, ContentType: post.ContentPost,
		MediaIDs: []ident.Media{}, Status: post.Scheduled, ScheduledAt: when, CreatedAt: a.now, UpdatedAt: a.now, Revision: 1,
	}
	if !when.After(a.now) {
		p.Status, p.PublishedAt = post.Published, when
	}
	for _, do := range change {
		do(&p)
	}
	require.NoError(t, a.posts.Insert(t.Context(), []post.Change{{Post: p}}))
	return p
}

// rolling returns the query of a quota of any 24 hours.
func (a *archive) rolling(of ident.Channel, at time.Time) postgres.QuotaQuery {
	const day = 24 * time.Hour
	return postgres.QuotaQuery{ChannelID: of, At: at, Now: a.now, From: at.Add(-day), To: at.Add(day), Period: day}
}

// fullest returns the largest number of times in any 24 hours that contain at. It tries each
// minute, and all times are full minutes.
func fullest(times []time.Time, at time.Time) (most int) {
	for back := range 24 * 60 {
		begins, n := at.Add(-time.Duration(back)*time.Minute), 0
		for _, when := range times {
			if !when.Before(begins) && when.Before(begins.Add(24*time.Hour)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestQuotaCountsTheFullestPeriod compares the count with one over every period, for random posts.
func TestQuotaCountsTheFullestPeriod(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	a.now = a.now.Truncate(time.Minute)
	minutes := func(n int) time.Time { return a.now.Add(time.Duration(a.random.IntN(n)-n/2) * time.Minute) }
	of, other := a.filled[0], a.filled[1]
	var times []time.Time
	for range 60 {
		times = append(times, a.at(t, of, minutes(4*24*60)).ScheduledAt)
		a.at(t, other, minutes(4*24*60))
	}
	overdue := a.at(t, of, a.now.Add(-50*time.Hour), func(p *post.Post) { p.Status, p.PublishedAt = post.Scheduled, time.Time{} })
	for range 50 {
		at, also := minutes(4*24*60), []time.Time{minutes(4 * 24 * 60), minutes(4 * 24 * 60)}
		query := a.rolling(of, at)
		query.Also = also
		got, err := a.posts.QuotaUsed(t.Context(), query)
		require.NoError(t, err)
		counted := append(append([]time.Time{a.now}, also...), times...) // the overdue post is published now
		require.Equal(t, fullest(counted, at), got.Posts, at)
		require.Contains(t, append(counted, time.Time{}), got.First)
		if got.Posts > 0 {
			require.WithinRange(t, got.First, at.Add(-24*time.Hour), at.Add(24*time.Hour))
		}
		query.Except = overdue.ID
		without, err := a.posts.QuotaUsed(t.Context(), query)
		require.NoError(t, err)
		require.Equal(t, fullest(counted[1:], at), without.Posts, at)
	}
	none, err := a.posts.QuotaUsed(t.Context(), a.rolling(of, a.now.Add(-30*24*time.Hour)))
	require.NoError(t, err)
	require.Zero(t, none)
}

// TestQuotaOfTypes checks that only posts of the quota's content types count, and which states do.
func TestQuotaOfTypes(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	soon, of := a.now.Add(time.Hour), a.filled[0]
	a.at(t, of, a.now, func(p *post.Post) { p.Status, p.ArchivedFrom = post.Archived, post.Published })
	a.at(t, of, soon, func(p *post.Post) { p.ContentType = post.ContentReel })
	for _, status := range []post.Status{post.Draft, post.PendingApproval} {
		a.at(t, of, soon, func(p *post.Post) { p.Status = status })
	}
	a.at(t, of, soon, func(p *post.Post) { p.Status, p.Error = post.Failed, &post.Error{Code: "REJECTED"} })
	for want, types := range map[int][]post.ContentType{2: nil, 1: {post.ContentReel}, 0: {post.ContentStory}} {
		query := a.rolling(of, a.now)
		query.Of = types
		got, err := a.posts.QuotaUsed(t.Context(), query)
		require.NoError(t, err)
		require.Equal(t, want, got.Posts, types)
	}
}

// TestSharedQuotaCountsAllWorkspaces checks the quota of an application: channels of the types count, in each workspace.
func TestSharedQuotaCountsAllWorkspaces(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	for _, of := range a.filled {
		a.at(t, of, a.now.Add(time.Hour))
	}
	foreign := a.channelOf(t, a.tenant(t))
	a.at(t, foreign.ID, a.now.Add(time.Hour), func(p *post.Post) { p.WorkspaceID = foreign.WorkspaceID })
	count := func(period time.Duration, types ...channel.Type) int {
		query := a.rolling(a.filled[0], a.now)
		query.Types, query.Period = types, period
		got, err := a.posts.QuotaUsed(t.Context(), query)
		require.NoError(t, err)
		return got.Posts
	}
	for _, period := range []time.Duration{0, 24 * time.Hour} {
		require.Equal(t, 1, count(period))
		require.Equal(t, 3, count(period, channel.Threads))
		require.Equal(t, 1, count(period, foreign.Type))
		require.Equal(t, 4, count(period, channel.Threads, foreign.Type))
		require.Zero(t, count(period, channel.YouTube))
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	of, other, at := a.filled[0], a.filled[1], a.now.Add(48*time.Hour)
	text := func(text string) func(p *post.Post) { return func(p *post.Post) { p.Content = text } }
	day := 24 * time.Hour
	near, far := a.at(t, of, at.Add(-9*time.Minute)), a.at(t, of, at.Add(10*time.Minute-time.Millisecond))
	a.at(t, of, at.Add(10*time.Minute))
	a.at(t, other, at, text("Hello world"))
	same := a.at(t, of, at.Add(-5*day), text("  hello\n WORLD "))
	later := a.at(t, of, at.Add(30*day), text("Hello world"))
	a.at(t, of, at.Add(-33*day), text("Hello world"))
	a.at(t, of, at.Add(time.Hour), text("Hello world!"))
	a.at(t, of, at, func(p *post.Post) { p.Status, p.Content = post.Draft, "Hello world" })
	find := func(q postgres.ConflictQuery) []postgres.Conflict {
		q.ChannelID, q.Now = of, a.now
		found, err := a.posts.Conflicts(t.Context(), q)
		require.NoError(t, err)
		return found
	}
	timed := func(ids ...post.Post) (out []postgres.Conflict) {
		for _, p := range ids {
			out = append(out, postgres.Conflict{Kind: postgres.ConflictTime, PostID: p.ID})
		}
		return out
	}
	texts := func(ids ...post.Post) (out []postgres.Conflict) {
		for _, p := range ids {
			out = append(out, postgres.Conflict{Kind: postgres.ConflictText, PostID: p.ID})
		}
		return out
	}
	require.Equal(t, timed(near, far), find(postgres.ConflictQuery{At: at}), "the nearest first; empty texts are not the same")
	require.Equal(t, timed(far), find(postgres.ConflictQuery{At: at, Except: near.ID}))
	require.Equal(t, append(timed(near, far), texts(same, later)...), find(postgres.ConflictQuery{At: at, Content: "Hello  World"}))
	require.Equal(t, texts(same), find(postgres.ConflictQuery{Content: "hello world"}), "a draft is compared now")
	require.Empty(t, find(postgres.ConflictQuery{At: at.Add(365 * day), Content: "Hello world"}))
	overdue := a.at(t, of, a.now.Add(-40*day), func(p *post.Post) { p.Status, p.PublishedAt = post.Scheduled, time.Time{} })
	require.Equal(t, timed(overdue), find(postgres.ConflictQuery{At: a.now.Add(time.Minute)}), "it is published now")
	for range 30 {
		a.at(t, of, at, text("often"))
	}
	require.Len(t, find(postgres.ConflictQuery{At: at, Content: "often"}), postgres.MaxConflicts)
}

// TestForecastsUseIndexes checks the plans of the counts and of the search for conflicts.
func TestForecastsUseIndexes(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	for i := range 40 {
		of := a.ch
		of.ID, of.Type, of.ExternalID = ident.New[ident.Channel](), channel.Twitter, fmt.Sprintf("x%d", i)
		require.NoError(t, a.channels.Insert(t.Context(), of, a.credentials()))
	}
	postgrestest.Exec(t, a.address,
		`INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, scheduled_at, published_at, created_at, updated_at, revision)
		SELECT gen_random_uuid(), c.workspace_id, c.id, 'x', 'POST', CASE WHEN n > 0 THEN 'SCHEDULED' ELSE 'PUBLISHED' END,
			CAST($1 AS timestamptz) + n * interval '1 hour', CASE WHEN n <= 0 THEN CAST($1 AS timestamptz) + n * interval '1 hour' END, $1, $1, 1
		FROM channel c, generate_series(-400, 400) AS n`, a.now)
	postgrestest.Exec(t, a.address, `VACUUM ANALYZE post`)
	at := a.now.Add(200 * time.Hour)
	one := a.rolling(a.filled[0], at)
	shared := one
	shared.Types = []channel.Type{channel.Threads}
	days := one
	days.Period = 0
	for name, q := range map[string]postgres.QuotaQuery{"one": one, "shared": shared, "days": days} {
		plan, err := a.posts.ExplainQuota(t.Context(), q)
		require.NoError(t, err)
		requireForecastPlan(t, name, plan, 3*24*2)
	}
	plan, err := a.posts.ExplainConflicts(t.Context(), postgres.ConflictQuery{
		ChannelID: a.filled[0], Content: "x", At: at, Now: a.now,
	})
	require.NoError(t, err)
	requireForecastPlan(t, "conflicts", plan, 2*400*2)
}

func requireForecastPlan(t *testing.T, name, plan string, most int) {
	t.Helper()
	for _, index := range []string{"post_published", "post_by_time"} {
		require.Contains(t, plan, index, name+"\n"+plan)
	}
	require.NotContains(t, plan, "Seq Scan on post", name+"\n"+plan)
	requireAtMost(t, plan, `actual rows=(\d+)`, most)
}
