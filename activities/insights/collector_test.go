package insights_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/insights"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

func date(t *testing.T, text string) analytics.Date {
	t.Helper()
	d, err := analytics.ParseDate(text)
	require.NoError(t, err)
	return d
}

func TestFirstCollection(t *testing.T) {
	t.Parallel()
	n := &network{}
	b := setup(t, n)
	ids := b.published(t, 21)
	note, waits := b.collect(t)
	require.Contains(t, note, "Collected")
	require.Empty(t, waits)
	require.Equal(t, []string{"2026-03-02 2026-03-29", "2026-03-30 2026-03-31"}, n.requested, "thirty days, a page at a time")
	require.Equal(t, [][]string{ids[:20], ids[20:]}, n.read, "a batch at a time")
	require.Len(t, b.days(t), 30)
	require.Equal(t, []string{"2026-04-01"}, postgrestest.Column(t, b.address,
		`SELECT DISTINCT day::text FROM post_insight`), "the day of the workspace")
	found, err := b.store.Collection(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, "2026-03-31", found.Until.String())
}

func TestRepeatedCollectionChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	b.published(t, 3)
	b.collect(t)
	before := b.rows(t)
	require.Len(t, before, 33)
	b.collect(t)
	require.Equal(t, before, b.rows(t))
}

// TestFactsAreReadDaily checks that a collection stores what the account may publish, once, and keeps it if the network
// does not respond.
func TestFactsAreReadDaily(t *testing.T) {
	t.Parallel()
	reads := 0
	n := &network{facts: func() (channel.Facts, error) {
		reads++
		return channel.Facts{Premium: new(true)}, nil
	}}
	b := setup(t, n)
	b.published(t, 21)
	known := func() channel.Facts {
		t.Helper()
		ch, err := b.channels.Get(t.Context(), b.ch.WorkspaceID, b.ch.ID)
		require.NoError(t, err)
		return ch.Facts
	}
	require.Equal(t, channel.Facts{}, known())
	b.collect(t)
	require.Equal(t, 1, reads)
	require.Equal(t, channel.Facts{Premium: new(true)}, known())
	n.facts = func() (channel.Facts, error) {
		return channel.Facts{}, &platform.Failure{Class: platform.ClassTransient, Code: "PLATFORM_UNAVAILABLE"}
	}
	note, _ := b.collect(t)
	require.Contains(t, note, "Collected")
	require.Equal(t, channel.Facts{Premium: new(true)}, known())
	n.facts = func() (channel.Facts, error) { return channel.Facts{Premium: new(false)}, nil }
	b.collect(t)
	require.Equal(t, channel.Facts{Premium: new(false)}, known())
}

func TestFirstDay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ until, want string }{
		"never collected":   {"", "2026-03-02"},
		"yesterday":         {"2026-03-30", "2026-03-25"},
		"today":             {"2026-03-31", "2026-03-26"},
		"three days ago":    {"2026-03-28", "2026-03-23"},
		"a year ago":        {"2025-03-31", "2026-01-01"},
		"a clock ran ahead": {"2026-05-01", "2026-03-31"},
	} {
		var until analytics.Date
		if c.until != "" {
			until = date(t, c.until)
		}
		require.Equal(t, c.want, insights.FirstDay(until, date(t, "2026-03-31")).String(), name)
	}
}

// TestMissedDaysAreCollected checks that missed days are read, but no more than networks keep.
func TestMissedDaysAreCollected(t *testing.T) {
	t.Parallel()
	n := &network{}
	b := setup(t, n)
	b.collect(t)
	n.requested = nil
	b.clock.Advance(4 * 24 * time.Hour)
	b.collect(t)
	require.Equal(t, []string{"2026-03-26 2026-04-04"}, n.requested)
	require.Len(t, b.days(t), 34, "no day is missing")
	n.requested = nil
	b.clock.Advance(200 * 24 * time.Hour)
	b.collect(t)
	require.Equal(t, []string{
		"2026-07-24 2026-08-20", "2026-08-21 2026-09-17", "2026-09-18 2026-10-15", "2026-10-16 2026-10-21",
	}, n.requested)
}

func figures(followers, reach int64) analytics.ChannelFigures {
	return analytics.ChannelFigures{Followers: &followers, Reach: &reach}
}

func TestInvalidFiguresAreDropped(t *testing.T) {
	t.Parallel()
	n := &network{account: func(_, until analytics.Date) ([]analytics.ChannelDay, error) {
		return []analytics.ChannelDay{
			{Date: until, ChannelFigures: figures(-1, 0)},
			{Date: analytics.Date{Year: 2019, Month: 1, Day: 1}, ChannelFigures: figures(5, 5)}, // not requested
			{Date: analytics.Date{Year: 2031, Month: 1, Day: 1}, ChannelFigures: figures(5, 5)},
			{Date: until.Add(-1)}, // without figures
		}, nil
	}, posts: func(ids []string) (map[string]analytics.PostFigures, error) {
		return map[string]analytics.PostFigures{ids[0]: {Likes: new(int64(-3))}, "another": {Likes: new(int64(1))}}, nil
	}}
	b := setup(t, n)
	b.published(t, 2)
	b.collect(t)
	require.Equal(t, map[string]analytics.ChannelFigures{
		"2026-03-29": {Reach: new(int64(0))}, "2026-03-31": {Reach: new(int64(0))},
	}, b.days(t))
	require.Len(t, b.rows(t), 2)
}

func failing(class platform.Class, code string) *platform.Failure {
	return &platform.Failure{Class: class, Code: code, Message: "Says " + string(class) + "."}
}

// TestRateLimitDelaysStep checks that the same step is repeated after the network's wait, unless the wait extends
// into the next day's collection.
func TestRateLimitDelaysStep(t *testing.T) {
	t.Parallel()
	calls := 0
	n := &network{}
	b := setup(t, n)
	n.account = func(analytics.Date, analytics.Date) ([]analytics.ChannelDay, error) {
		calls++
		failure := failing(platform.ClassRateLimited, "RATE_LIMITED")
		switch calls {
		case 1:
			failure.Until = b.clock.Now().Add(42 * time.Minute)
		case 2: // without a time
		case 3:
			failure.Until = b.clock.Now().Add(19*time.Hour + 4*time.Minute)
		default:
			return nil, nil
		}
		return nil, failure
	}
	note, waits := b.collect(t)
	require.Equal(t, []time.Duration{42 * time.Minute, 15 * time.Minute}, waits)
	require.Contains(t, note, "The next day's collection continues from here.")
	found, err := b.store.Collection(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.True(t, found.Until.IsZero(), "nothing was collected")
	require.Empty(t, found.Stopped)
}

func TestTransientFailureIsRetried(t *testing.T) {
	t.Parallel()
	n := &network{account: func(analytics.Date, analytics.Date) ([]analytics.ChannelDay, error) {
		return nil, failing(platform.ClassTransient, "PLATFORM_UNAVAILABLE")
	}}
	b := setup(t, n)
	b.published(t, 1)
	note, waits := b.collect(t)
	minutes := []time.Duration{1, 2, 4, 8, 16, 32, 60}
	for i := range minutes {
		minutes[i] *= time.Minute
	}
	require.Equal(t, minutes, waits)
	require.Contains(t, note, "Collected", "its posts are read all the same")
	require.Empty(t, b.days(t))
	require.Len(t, b.rows(t), 1)
	found, err := b.store.Collection(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.True(t, found.Until.IsZero(), "the days are asked for again tomorrow")
}

func TestExpiredCredentialsAreExchanged(t *testing.T) {
	t.Parallel()
	n := &network{}
	b := setup(t, n)
	n.account = func(analytics.Date, analytics.Date) ([]analytics.ChannelDay, error) {
		if n.tokens[len(n.tokens)-1] == "first" {
			return nil, failing(platform.ClassRefresh, "TOKEN_EXPIRED")
		}
		return nil, nil
	}
	note, _ := b.collect(t)
	require.Contains(t, note, "Collected")
	require.Equal(t, []string{"first", "fresh", "fresh"}, n.tokens)
	found, err := b.store.Collection(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, channel.TokenHealthy, found.Channel.TokenStatus)
}

// TestLostConnectionMarksChannel checks that the channel is marked as it would be by publishing.
func TestLostConnectionMarksChannel(t *testing.T) {
	t.Parallel()
	n := &network{account: func(analytics.Date, analytics.Date) ([]analytics.ChannelDay, error) {
		return nil, failing(platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT")
	}}
	b := setup(t, n)
	note, _ := b.collect(t)
	require.Equal(t, "Stopped until the channel is reconnected: Says reconnect.", note)
	found, err := b.store.Collection(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, channel.TokenNeedsReconnect, found.Channel.TokenStatus)
	note, _ = b.collect(t)
	require.Contains(t, note, "must be reconnected")
	require.Len(t, n.requested, 1, "the network is not asked again")
}

// TestMissingScopeStopsFiguresOnly checks that the channel still publishes, and that figures stop until it gets
// other credentials.
func TestMissingScopeStopsFiguresOnly(t *testing.T) {
	t.Parallel()
	n := &network{account: func(analytics.Date, analytics.Date) ([]analytics.ChannelDay, error) {
		return nil, failing(platform.ClassUser, platform.CodeInsightsNotGranted)
	}}
	b := setup(t, n)
	note, _ := b.collect(t)
	require.Equal(t, "Stopped until the channel is reconnected: Says user.", note)
	found, err := b.store.Collection(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.True(t, found.Channel.Ready())
	require.Equal(t, "Says user.", found.Stopped)
	note, _ = b.collect(t)
	require.Contains(t, note, "Stopped")
	require.Len(t, n.requested, 1)
	require.NoError(t, b.channels.Replace(t.Context(), b.ch, channel.Credentials{AccessToken: "others"}))
	n.account = nil
	note, _ = b.collect(t)
	require.Contains(t, note, "Collected")
}

// TestRefusedReadsAreSkipped checks that neither the other posts nor the next day's collection are affected.
func TestRefusedReadsAreSkipped(t *testing.T) {
	t.Parallel()
	n := &network{}
	b := setup(t, n)
	ids := b.published(t, 25)
	n.account = func(analytics.Date, analytics.Date) ([]analytics.ChannelDay, error) {
		return nil, failing(platform.ClassUser, platform.CodeInsightsRefused)
	}
	n.posts = func(requested []string) (map[string]analytics.PostFigures, error) {
		figures := map[string]analytics.PostFigures{requested[0]: {Likes: new(int64(1))}}
		if len(requested) == 20 {
			// figures read before the failure are returned with it
			return figures, failing(platform.ClassRejected, "REJECTED")
		}
		return figures, nil
	}
	note, waits := b.collect(t)
	require.Contains(t, note, "Collected")
	require.Empty(t, waits)
	require.Equal(t, [][]string{ids[:20], ids[20:]}, n.read)
	require.Len(t, b.rows(t), 2)
	found, err := b.store.Collection(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Empty(t, found.Stopped)
}

// TestPostGetsMissingLink covers posts that counted as published before their network had named them, because its review
// took longer: their ids and addresses are stored as soon as it names them.
func TestPostGetsMissingLink(t *testing.T) {
	t.Parallel()
	n := &network{}
	b := setup(t, n)
	ids := b.published(t, 4)
	for i, id := range ids[:3] {
		postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET external_id = $1 WHERE external_id = $2`,
			fmt.Sprintf("call-%d", i), id)
	}
	reviewed := map[string]int{}
	n.review = func(id string) (platform.Publication, error) {
		reviewed[id]++
		switch {
		case n.tokens[len(n.tokens)-1] == "first":
			return platform.Publication{}, failing(platform.ClassRefresh, "TOKEN_EXPIRED")
		case id == "call-0":
			return platform.Publication{ExternalID: "70", URL: "https://network.test/70"}, nil
		case id == "call-1":
			return platform.Publication{}, failing(platform.ClassTransient, "DOWN")
		default:
			return platform.Publication{ExternalID: id, InReview: true}, nil
		}
	}
	note, waits := b.collect(t)
	require.Contains(t, note, "Collected")
	require.Empty(t, waits)
	require.Equal(t, map[string]int{"call-0": 2, "call-1": 1, "call-2": 1}, reviewed, "call-0 was first read with the expired token")
	require.Equal(t, [][]string{{"70", "call-1", "call-2", ids[3]}}, n.read)
	stored := func() []string {
		return postgrestest.Column(t, b.address, `SELECT a.external_id || ' ' || COALESCE(p.post_url, '') || ' ' ||
			COALESCE(a.post_url, '') FROM post p JOIN publish_attempt a ON a.post_id = p.id ORDER BY p.id`)
	}
	want := []string{"70 https://network.test/70 https://network.test/70", "call-1  ", "call-2  ", ids[3] + "  "}
	require.Equal(t, want, stored())

	n.review = func(string) (platform.Publication, error) { // the id of a post that is known
		return platform.Publication{ExternalID: "70", URL: "https://network.test/70"}, nil
	}
	_, _ = b.collect(t)
	require.Equal(t, want, stored())
	require.Equal(t, []string{"70", "call-1", "call-2", ids[3]}, n.read[1])
}

// TestRemovedPostFails checks the first week of a post: a refusal fails it, once, and fires its event. Later
// refusals change nothing.
func TestRemovedPostFails(t *testing.T) {
	t.Parallel()
	n := &network{review: func(id string) (platform.Publication, error) {
		if id == "call-2" {
			return platform.Publication{ExternalID: "72"}, nil
		}
		return platform.Publication{}, failing(platform.ClassRejected, "POLICY")
	}}
	b := setup(t, n)
	for i, id := range b.published(t, 4) {
		postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET external_id = $1 WHERE external_id = $2`,
			fmt.Sprintf("call-%d", i), id)
	}
	postgrestest.Exec(t, b.address, `UPDATE post SET confirmed = false, published_at = $1`, b.clock.Now().Add(-time.Hour))
	postgrestest.Exec(t, b.address, `UPDATE post SET published_at = $1 WHERE id = (SELECT id FROM post ORDER BY id DESC LIMIT 1)`,
		b.clock.Now().Add(-8*24*time.Hour))
	for range 2 {
		note, waits := b.collect(t)
		require.Contains(t, note, "Collected")
		require.Empty(t, waits)
		require.Equal(t, []string{
			"FAILED PLATFORM_REMOVED false REJECTED", "FAILED PLATFORM_REMOVED false REJECTED", "PUBLISHED   CONFIRMED true",
			"PUBLISHED   CONFIRMED false",
		}, postgrestest.Column(t, b.address, `SELECT p.status || ' ' || COALESCE(p.error_code, '') || ' ' ||
			COALESCE(p.error_retryable::text, '') || ' ' || a.state || COALESCE(' ' || p.confirmed::text, '')
			FROM post p JOIN publish_attempt a ON a.post_id = p.id ORDER BY p.id`))
		require.Equal(t, []string{"2"}, postgrestest.Column(t, b.address,
			`SELECT count(*)::text FROM event WHERE type = 'post.failed'`))
	}
	require.Equal(t, []string{"Threads removed the post after it was published: Says rejected."},
		postgrestest.Column(t, b.address, `SELECT DISTINCT error_message FROM post WHERE status = 'FAILED'`))
}

// TestPartialBatchContinues checks that each retry makes progress if a batch needs many calls.
func TestPartialBatchContinues(t *testing.T) {
	t.Parallel()
	n := &network{}
	b := setup(t, n)
	ids := b.published(t, 7)
	n.posts = func(requested []string) (map[string]analytics.PostFigures, error) {
		figures := make(map[string]analytics.PostFigures)
		for _, id := range requested[:min(3, len(requested))] {
			figures[id] = analytics.PostFigures{Likes: new(int64(1))}
		}
		if len(requested) > 3 {
			return figures, failing(platform.ClassTransient, "PLATFORM_UNAVAILABLE")
		}
		return figures, nil
	}
	note, waits := b.collect(t)
	require.Contains(t, note, "Collected")
	require.Equal(t, []time.Duration{time.Minute, time.Minute}, waits)
	require.Equal(t, [][]string{ids, ids[3:], ids[6:]}, n.read)
	require.Len(t, b.rows(t), 37)
}

func TestSkippedChannels(t *testing.T) {
	t.Parallel()
	n := &network{}
	b := setup(t, n)
	gone := b.input()
	gone.ChannelID = ident.New[ident.Channel]()
	out, err := b.collector.Collect(t.Context(), gone)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Equal(t, "The channel was removed.", out.Note)
	postgrestest.Exec(t, b.address, `UPDATE channel SET type = 'FACEBOOK_GROUP'`)
	note, _ := b.collect(t)
	require.Equal(t, "Channels of type FACEBOOK_GROUP have no figures.", note)
	_, err = b.channels.SetConnected(t.Context(), b.ch.WorkspaceID, b.ch.ID, false)
	require.NoError(t, err)
	note, _ = b.collect(t)
	require.Equal(t, "The channel is disconnected.", note)
	require.Empty(t, n.requested)
}

// TestInternalErrorIsReturned checks that the error is returned, so that Temporal retries.
func TestInternalErrorIsReturned(t *testing.T) {
	t.Parallel()
	n := &network{account: func(analytics.Date, analytics.Date) ([]analytics.ChannelDay, error) {
		return nil, errors.New("a fault")
	}}
	b := setup(t, n)
	_, err := b.collector.Collect(t.Context(), b.input())
	require.ErrorContains(t, err, "a fault")
}

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := insights.New(insights.Config{})
	require.Error(t, err)
}
