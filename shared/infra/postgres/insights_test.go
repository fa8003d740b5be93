package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func day(t *testing.T, text string) analytics.Date {
	t.Helper()
	d, err := analytics.ParseDate(text)
	require.NoError(t, err)
	return d
}

func count(v int64) *int64 { return &v }

// published creates a post that was published at the given time.
func (b *bundle) published(t *testing.T, ch ident.Channel, at time.Time) post.Post {
	t.Helper()
	change, err := post.Create(post.NewPost{
		WorkspaceID: b.ws.ID, ChannelID: ch, ChannelType: string(channel.Twitter), Content: "out", ContentType: post.ContentPost, MediaIDs: []ident.Media{},
		ScheduleAt: b.now, Now: true,
	}, b.now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	id := change.Post.ID
	postgrestest.Exec(t, b.address, `UPDATE post SET status = 'PUBLISHED', published_at = $1 WHERE id = $2`, at,
		id.String())
	postgrestest.Exec(t, b.address,
		`INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, owner, started_at, external_id)
		VALUES ($1, 1, 1, $2, 'CONFIRMED', gen_random_uuid(), now(), 'on-network-' || $3)`, id.String(), ch.String(),
		id.String())
	return change.Post
}

func (b *bundle) insights() *postgres.Insights { return postgres.NewInsights(b.db) }

func TestChannelDaysAreUpserted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	first, second := day(t, "2026-03-01"), day(t, "2026-03-02")
	days := []analytics.ChannelDay{
		{
			Date:           first,
			ChannelFigures: analytics.ChannelFigures{Followers: count(10), Impressions: count(100), Engagements: count(0)},
			CollectedAt:    b.now,
		},
		{Date: second, ChannelFigures: analytics.ChannelFigures{Followers: count(11)}, CollectedAt: b.now},
	}
	for range 2 {
		require.NoError(t, store.SaveChannel(ctx, b.ch.ID, days, second))
		got, err := store.Channel(ctx, b.ch.ID, analytics.Range{From: first, To: second})
		require.NoError(t, err)
		require.Equal(t, days, got)
	}
	found, err := store.Collection(ctx, b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, second, found.Until)
	of := b.ch
	of.WorkspaceApproval = 0 // figures need no policy
	require.Equal(t, of, found.Channel)
	require.Equal(t, time.UTC, found.Zone)

	later := b.now.Add(time.Hour)
	require.NoError(t, store.SaveChannel(ctx, b.ch.ID, []analytics.ChannelDay{
		{Date: first, ChannelFigures: analytics.ChannelFigures{Impressions: count(90)}, CollectedAt: later},
		{Date: second, ChannelFigures: analytics.ChannelFigures{Followers: count(1)}, CollectedAt: b.now.Add(-time.Hour)},
	}, first))
	got, err := store.Channel(ctx, b.ch.ID, analytics.Range{From: first, To: second})
	require.NoError(t, err)
	require.Equal(t, analytics.ChannelFigures{Followers: count(10), Impressions: count(90), Engagements: count(0)},
		got[0].ChannelFigures,
		"a later reading corrects, and keeps other values")
	require.Equal(t, days[1], got[1], "an older reading changes nothing")
	found, err = store.Collection(ctx, b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, second, found.Until, "what was collected stays collected")
}

func TestPostDaysAreUpserted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	p := b.published(t, b.ch.ID, b.now.Add(-time.Hour))
	gone := ident.New[ident.Post]()
	reading := analytics.PostDay{
		Date: day(t, "2026-03-01"), PostFigures: analytics.PostFigures{Likes: count(3), Clicks: count(0)},
		CollectedAt: b.now,
	}
	for range 2 {
		require.NoError(t, store.SavePosts(ctx, b.ch.ID, map[ident.Post]analytics.PostDay{p.ID: reading, gone: reading}))
		got, err := store.Post(ctx, p.ID)
		require.NoError(t, err)
		require.Equal(t, []analytics.PostDay{reading}, got)
	}
	require.NoError(t, store.SavePosts(ctx, b.ch.ID, nil))
	none, err := store.Post(ctx, gone)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestPublishedPostsComeInBatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	since := b.now.AddDate(0, 0, -90)
	var want []analytics.PublishedPost
	for i := range 3 {
		at := b.now.Add(-time.Duration(i) * time.Hour)
		p := b.published(t, b.ch.ID, at)
		want = append(want, analytics.PublishedPost{ID: p.ID, ExternalID: "on-network-" + p.ID.String(), PublishedAt: at})
	}
	b.published(t, b.ch.ID, since.Add(-time.Minute)) // too old
	b.scheduled(t)                                   // not published
	other := b.another(t)
	b.published(t, other.ID, b.now) // of another channel
	first, err := store.Published(ctx, b.ch.ID, since, ident.Post{}, 2)
	require.NoError(t, err)
	rest, err := store.Published(ctx, b.ch.ID, since, first[len(first)-1].ID, 2)
	require.NoError(t, err)
	require.Equal(t, want, append(first, rest...))
}

// TestRejectionAppliesToRejectedCredentials checks that a rejection applies only to the credentials that were rejected.
func TestRejectionAppliesToRejectedCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	found, err := store.Collection(ctx, b.ch.ID)
	require.NoError(t, err)
	require.Empty(t, found.Stopped)
	require.True(t, found.Until.IsZero())
	require.NoError(t, store.Stop(ctx, b.ch.ID, found.Revision, "Not allowed."))
	found, err = store.Collection(ctx, b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, "Not allowed.", found.Stopped)
	require.NoError(t, b.channels.Replace(ctx, b.ch, b.credentials()))
	found, err = store.Collection(ctx, b.ch.ID)
	require.NoError(t, err)
	require.Empty(t, found.Stopped)

	gone := ident.New[ident.Channel]()
	_, err = store.Collection(ctx, gone)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.NoError(t, store.Stop(ctx, gone, 0, "Not allowed."))
	require.NoError(t, store.Heard(ctx, gone))
	require.NoError(t, store.Finish(ctx, gone, b.now))
	require.NoError(t, store.SaveChannel(ctx, gone,
		[]analytics.ChannelDay{{Date: day(t, "2026-03-01"), CollectedAt: b.now}}, day(t, "2026-03-01")))
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	silent := b.another(t)
	berlin := analytics.Zone("Europe/Berlin")
	r := analytics.Range{From: day(t, "2026-03-10"), To: day(t, "2026-03-20")}
	require.NoError(t, store.SaveChannel(ctx, b.ch.ID, []analytics.ChannelDay{
		{
			Date:           day(t, "2026-03-09"),
			ChannelFigures: analytics.ChannelFigures{Followers: count(5), Engagements: count(99), Impressions: count(99)},
			CollectedAt:    b.now,
		},
		{
			Date:           day(t, "2026-03-12"),
			ChannelFigures: analytics.ChannelFigures{Followers: count(7), Engagements: count(1), Impressions: count(10)},
			CollectedAt:    b.now,
		},
		{
			Date: day(t, "2026-03-20"), ChannelFigures: analytics.ChannelFigures{Engagements: count(9), Reach: count(90)},
			CollectedAt: b.now,
		},
		{Date: day(t, "2026-03-21"), ChannelFigures: analytics.ChannelFigures{Followers: count(1000)}, CollectedAt: b.now},
	}, day(t, "2026-03-21")))
	require.NoError(t, store.Finish(ctx, b.ch.ID, b.now))
	at := func(text string) time.Time {
		instant, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return instant
	}
	older := b.published(t, b.ch.ID, at("2026-02-01T12:00:00Z"))
	inside := b.published(t, b.ch.ID, at("2026-03-09T23:00:00Z")) // midnight in Berlin: the range's first moment
	b.published(t, b.ch.ID, at("2026-03-09T22:59:59Z"))           // the moment before
	b.published(t, b.ch.ID, at("2026-03-20T23:00:00Z"))           // the moment after
	read := func(p post.Post, date string, likes, comments *int64) {
		require.NoError(t, store.SavePosts(ctx, b.ch.ID, map[ident.Post]analytics.PostDay{p.ID: {
			Date: day(t, date), PostFigures: analytics.PostFigures{Likes: likes, Comments: comments, Saves: count(1)},
			CollectedAt: b.now,
		}}))
	}
	read(older, "2026-03-01", count(100), count(8))
	read(older, "2026-03-09", count(110), nil)
	read(older, "2026-03-15", count(115), nil)
	read(older, "2026-03-19", nil, count(6)) // the network removed some
	read(older, "2026-03-25", count(900), count(900))
	read(inside, "2026-03-11", count(4), nil)
	read(inside, "2026-03-12", count(9), nil)

	got, err := store.Summaries(ctx, b.ws.ID, r, berlin)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, b.ch.ID, got[0].ChannelID)
	require.EqualValues(t, 7, *got[0].Followers, "the last ones known at the end of the range")
	require.InDelta(t, 0.1, *got[0].Rate.Value(), 1e-12)
	require.EqualValues(t, 1, got[0].PostsPublished)
	require.EqualValues(t, 5+9, *got[0].Totals.Likes.Value())
	require.EqualValues(t, -2, *got[0].Totals.Comments.Value())
	require.Nil(t, got[0].Totals.Shares.Value())
	require.Equal(t, b.now, got[0].CollectedAt)
	require.Equal(t, silent.ID, got[1].ChannelID)
	require.Nil(t, got[1].Followers)
	require.Nil(t, got[1].Rate.Value())
	require.Nil(t, got[1].Totals.Likes.Value())
	require.True(t, got[1].CollectedAt.IsZero())

	foreign, err := store.Summaries(ctx, b.tenant(t).ID, r, berlin)
	require.NoError(t, err)
	require.Empty(t, foreign)

	latest, err := store.Latest(ctx, b.ws.ID, []ident.Post{older.ID, inside.ID, ident.New[ident.Post]()})
	require.NoError(t, err)
	require.Len(t, latest, 2)
	require.Equal(t, day(t, "2026-03-25"), latest[older.ID].Date)
	require.EqualValues(t, 9, *latest[inside.ID].Likes)
	latest, err = store.Latest(ctx, b.tenant(t).ID, []ident.Post{older.ID})
	require.NoError(t, err)
	require.Empty(t, latest, "posts of another workspace have none")
}

func TestOldSnapshotsAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	today := analytics.DateOf(b.now)
	p := b.published(t, b.ch.ID, b.now)
	for _, ago := range []int{0, 10, 11, 12} {
		date := today.Add(-ago)
		require.NoError(t, store.SaveChannel(ctx, b.ch.ID,
			[]analytics.ChannelDay{
				{Date: date, ChannelFigures: analytics.ChannelFigures{Followers: count(1)}, CollectedAt: b.now},
			}, today))
		require.NoError(t, store.SavePosts(ctx, b.ch.ID,
			map[ident.Post]analytics.PostDay{
				p.ID: {Date: date, PostFigures: analytics.PostFigures{Likes: count(1)}, CollectedAt: b.now},
			}))
	}
	const age = 10 * 24 * time.Hour
	n, err := store.Prune(ctx, age, 1)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = store.Prune(ctx, age, 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	remaining, err := store.Channel(ctx, b.ch.ID, analytics.Range{From: today.Add(-20), To: today})
	require.NoError(t, err)
	require.Len(t, remaining, 2)
	posts, err := store.Post(ctx, p.ID)
	require.NoError(t, err)
	require.Len(t, posts, 2)
}

// wanted reports whether the schedule of a message must exist.
func wanted(m postgres.Message) bool {
	return m.Channel != nil && m.Channel.Connected && m.Channel.Type.Capabilities().Analytics
}

// schedules returns the schedule messages in the outbox, which it empties.
func (b *bundle) schedules(t *testing.T) (all []postgres.Message) {
	t.Helper()
	for _, m := range b.messages(t) {
		if m.Kind == flow.KindInsights {
			all = append(all, m)
		}
	}
	postgrestest.Exec(t, b.address, `DELETE FROM outbox WHERE kind = 'insights'`)
	return all
}

func (b *bundle) reconcile(t *testing.T) []postgres.Message {
	t.Helper()
	n, err := b.insights().EnqueueSchedules(t.Context(), 48*time.Hour, 100)
	require.NoError(t, err)
	messages := b.schedules(t)
	require.Len(t, messages, n)
	return messages
}

func TestSchedulesFollowChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	group := b.another(t)
	postgrestest.Exec(t, b.address, `UPDATE channel SET type = 'FACEBOOK_GROUP' WHERE id = $1`, group.ID.String())

	messages := b.reconcile(t)
	require.Len(t, messages, 1, "one channel has figures")
	require.True(t, wanted(messages[0]) && inputOf[flow.InsightsRequest](t, messages[0]).Now, "the first collection is made at once")
	require.Equal(t, b.ch.ID, messages[0].Channel.ID)
	require.Equal(t, b.ws.ID, messages[0].Channel.WorkspaceID)
	require.Equal(t, channel.NetworkX, messages[0].Channel.Type.Network())
	require.Empty(t, b.reconcile(t), "that was all")

	require.NoError(t, store.Heard(ctx, b.ch.ID))
	_, err := b.outbox.EnqueueAll(ctx)
	require.NoError(t, err)
	messages = b.reconcile(t)
	require.Len(t, messages, 1, "after the loss of Temporal's store")
	require.True(t, wanted(messages[0]))
	require.False(t, inputOf[flow.InsightsRequest](t, messages[0]).Now, "it was collected before: all of them at once would be a burst")

	postgrestest.Exec(t, b.address, `UPDATE insight_schedule SET told_at = now() - interval '3 days'`)
	require.Empty(t, b.reconcile(t), "it has reported")
	postgrestest.Exec(t, b.address, `UPDATE insight_progress SET heard_at = now() - interval '3 days'`)
	require.Len(t, b.reconcile(t), 1, "it has not reported for long")
	require.Empty(t, b.reconcile(t))

	_, err = b.channels.SetConnected(ctx, b.ws.ID, b.ch.ID, false)
	require.NoError(t, err)
	messages = b.reconcile(t)
	require.Len(t, messages, 1)
	require.False(t, wanted(messages[0]))
	require.True(t, apperr.Is(store.CollectNow(ctx, b.ch.ID), apperr.NotFound),
		"nothing is collected of a channel that is not connected")
	_, err = b.channels.SetConnected(ctx, b.ws.ID, b.ch.ID, true)
	require.NoError(t, err)
	require.Len(t, b.reconcile(t), 1)
	require.NoError(t, store.CollectNow(ctx, b.ch.ID))
	messages = b.schedules(t)
	require.True(t, wanted(messages[0]) && inputOf[flow.InsightsRequest](t, messages[0]).Now)

	postgrestest.Exec(t, b.address, `DELETE FROM channel WHERE id = $1`, b.ch.ID.String())
	_, err = b.outbox.EnqueueAll(ctx)
	require.NoError(t, err)
	messages = b.reconcile(t)
	require.Len(t, messages, 1, "the schedule outlives its channel, and is known until it is gone")
	require.False(t, wanted(messages[0]))
	require.Empty(t, b.reconcile(t))
}

// TestCollectionsAreSpread checks that many collections do not delay other messages.
func TestCollectionsAreSpread(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := b.insights()
	for range 4 {
		require.NoError(t, store.CollectNow(t.Context(), b.ch.ID))
	}
	require.Equal(t, []string{"0", "1", "2", "3"}, postgrestest.Column(t, b.address,
		`SELECT round(extract(epoch FROM not_before - created_at) / 0.25)::text
		FROM outbox WHERE kind = 'insights' ORDER BY id`))
	postgrestest.Exec(t, b.address, `DELETE FROM outbox WHERE kind = 'insights'`)
	require.NoError(t, store.CollectNow(t.Context(), b.ch.ID))
	require.Equal(t, []string{"true"}, postgrestest.Column(t, b.address,
		`SELECT (not_before <= now())::text FROM outbox WHERE kind = 'insights'`), "one alone begins at once")
}

// TestOutOfOrderMessagesKeepCurrentSchedule checks that messages delivered out of order end with the same schedule.
func TestOutOfOrderMessagesKeepCurrentSchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	n, err := b.insights().EnqueueSchedules(t.Context(), 48*time.Hour, 100)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = b.channels.SetConnected(t.Context(), b.ws.ID, b.ch.ID, false)
	require.NoError(t, err)
	messages := b.schedules(t)
	require.Len(t, messages, 1)
	require.False(t, wanted(messages[0]))
}

func TestDeletionDeletesFigures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, ctx := b.insights(), t.Context()
	p := b.published(t, b.ch.ID, b.now)
	require.NoError(t, store.SaveChannel(ctx, b.ch.ID,
		[]analytics.ChannelDay{{Date: day(t, "2026-03-01"), CollectedAt: b.now}}, day(t, "2026-03-01")))
	require.NoError(t, store.SavePosts(ctx, b.ch.ID,
		map[ident.Post]analytics.PostDay{p.ID: {Date: day(t, "2026-03-01"), CollectedAt: b.now}}))
	postgrestest.Exec(t, b.address, `DELETE FROM channel WHERE id = $1`, b.ch.ID.String())
	for _, table := range []string{"channel_insight", "post_insight", "insight_progress"} {
		require.Equal(t, []string{"0"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM `+table), table)
	}
}
