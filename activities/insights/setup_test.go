package insights_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/insights"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// network is a scripted insights source. By default it returns one follower per day and one like per post.
type network struct {
	account func(since, until analytics.Date) ([]analytics.ChannelDay, error)
	posts   func(ids []string) (map[string]analytics.PostFigures, error)
	refresh func(platform.Account) (channel.Credentials, error)
	review  func(id string) (platform.Publication, error)

	facts func() (channel.Facts, error)

	picture func(platform.Account) (string, error)

	mu        sync.Mutex
	requested []string // ranges of days
	read      [][]string
	tokens    []string
}

func (n *network) Types() []channel.Type { return []channel.Type{channel.Threads} }

func (n *network) Refresh(_ context.Context, a platform.Account) (channel.Credentials, error) {
	if n.refresh == nil {
		return channel.Credentials{AccessToken: "fresh"}, nil
	}
	return n.refresh(a)
}

func (*network) Term(platform.Account) platform.Term { return platform.Term{} }

func (n *network) Identify(_ context.Context, a platform.Account) (platform.Identity, error) {
	return platform.Identity{ID: a.ExternalID}, nil
}

// Facts returns the scripted facts of the account.
func (n *network) Facts(context.Context, platform.Account) (channel.Facts, error) {
	if n.facts == nil {
		return channel.Facts{}, nil
	}
	return n.facts()
}

// Picture returns the scripted address of the account's picture.
func (n *network) Picture(_ context.Context, a platform.Account) (string, error) {
	if n.picture == nil {
		return "", nil
	}
	return n.picture(a)
}

// pictures remembers which addresses were taken.
type pictures struct {
	mu    sync.Mutex
	fresh bool
	taken []string
}

func (p *pictures) Due(context.Context, ident.Channel) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.fresh, nil
}

func (p *pictures) Take(_ context.Context, _ ident.Channel, address string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh, p.taken = true, append(p.taken, address)
	return nil
}

// Unnamed reports whether the id is that of a call.
func (*network) Unnamed(id string) bool { return strings.HasPrefix(id, "call-") }

// Review returns the scripted state of a post.
func (n *network) Review(_ context.Context, a platform.Account, id string) (platform.Publication, error) {
	n.mu.Lock()
	n.tokens = append(n.tokens, a.Credentials.AccessToken)
	n.mu.Unlock()
	return n.review(id)
}

func (n *network) AccountInsights(
	_ context.Context, a platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	n.mu.Lock()
	n.requested = append(n.requested, since.String()+" "+until.String())
	n.tokens = append(n.tokens, a.Credentials.AccessToken)
	n.mu.Unlock()
	if n.account != nil {
		return n.account(since, until)
	}
	var days []analytics.ChannelDay
	for d := range analytics.DaysFrom(since, until) {
		days = append(days, analytics.ChannelDay{Date: d, ChannelFigures: analytics.ChannelFigures{Followers: new(int64(1))}})
	}
	return days, nil
}

func (n *network) PostInsights(
	_ context.Context, _ platform.Account, ids []string,
) (map[string]analytics.PostFigures, error) {
	n.mu.Lock()
	n.read = append(n.read, ids)
	n.mu.Unlock()
	if n.posts != nil {
		return n.posts(ids)
	}
	figures := make(map[string]analytics.PostFigures)
	for _, id := range ids {
		figures[id] = analytics.PostFigures{Likes: new(int64(1))}
	}
	return figures, nil
}

type bundle struct {
	db        *postgres.DB
	address   string
	store     *postgres.Insights
	channels  *postgres.Channels
	collector *insights.Collector
	clock     *clocktest.Fake
	pictures  *pictures
	ch        channel.Channel
}

// now is an instant that is already the next day in the workspace's time zone.
var now = time.Date(2026, time.March, 31, 23, 0, 0, 0, time.UTC)

func setup(t *testing.T, n *network) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	keyring, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b := &bundle{clock: clocktest.New(now), pictures: &pictures{}}
	b.db, b.address = postgrestest.OpenURL(t)
	b.store, b.channels = postgres.NewInsights(b.db), postgres.NewChannels(b.db, keyring)
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "Asia/Tokyo", CreatedAt: now,
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	b.ch = channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: w.ID, Name: "Acme", Type: channel.Threads, Username: "acme",
		ExternalID:  "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, b.channels.Insert(t.Context(), b.ch, channel.Credentials{AccessToken: "first", RefreshToken: "r"}))
	keeper, err := access.New(b.channels, b.clock)
	require.NoError(t, err)
	registry, err := platform.NewRegistry(n)
	require.NoError(t, err)
	b.collector, err = insights.New(insights.Config{
		Store: b.store, Access: keeper, Networks: registry, Pictures: b.pictures, Clock: b.clock, Logger: slog.New(slog.DiscardHandler),
		Metrics: insights.NewMetrics(prometheus.NewRegistry()), PerSecond: 1e9, Concurrency: 8, RetryScale: 1,
	})
	require.NoError(t, err)
	return b
}

func (b *bundle) input() flow.InsightsInput {
	return flow.InsightsInput{WorkspaceID: b.ch.WorkspaceID, ChannelID: b.ch.ID, Network: channel.NetworkThreads}
}

// step executes one step of a collection and advances the clock by its wait.
func (b *bundle) step(t *testing.T, in *flow.InsightsInput) flow.InsightsOutcome {
	t.Helper()
	out, err := b.collector.Collect(t.Context(), *in)
	require.NoError(t, err)
	in.Step = out.Next
	b.clock.Advance(out.Wait)
	return out
}

// collect runs a collection to its end, and returns its last note and the waits.
func (b *bundle) collect(t *testing.T) (note string, waits []time.Duration) {
	t.Helper()
	in := b.input()
	for range 200 {
		out := b.step(t, &in)
		if out.Done {
			return out.Note, waits
		}
		if out.Wait > time.Microsecond { // exclude the waits that pace steps
			waits = append(waits, out.Wait)
		}
	}
	require.Fail(t, "the collection does not end")
	return "", nil
}

// published creates n published posts.
func (b *bundle) published(t *testing.T, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range n {
		change, err := post.Create(post.NewPost{
			WorkspaceID: b.ch.WorkspaceID, ChannelID: b.ch.ID, Content: "out", ContentType: post.ContentPost,
			MediaIDs: []ident.Media{}, ScheduleAt: now, Now: true,
		}, now, post.ActorAPI)
		require.NoError(t, err)
		require.NoError(t, postgres.NewPosts(b.db).Insert(t.Context(), []post.Change{change}))
		id := change.Post.ID.String()
		postgrestest.Exec(t, b.address, `UPDATE post SET status = 'PUBLISHED', published_at = $1 WHERE id = $2`,
			now.AddDate(0, 0, -1), id)
		postgrestest.Exec(t, b.address,
			`INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, owner, started_at, external_id)
			VALUES ($1, 1, 1, $2, 'CONFIRMED', gen_random_uuid(), now(), 'n' || $3)`, id, b.ch.ID.String(), id)
		ids[i] = "n" + id
	}
	return ids
}

func (b *bundle) days(t *testing.T) map[string]analytics.ChannelFigures {
	t.Helper()
	found, err := b.store.Channel(t.Context(), b.ch.ID,
		analytics.Range{From: analytics.Date{Year: 2020, Month: 1, Day: 1}, To: analytics.Date{Year: 2030, Month: 1, Day: 1}})
	require.NoError(t, err)
	days := make(map[string]analytics.ChannelFigures)
	for _, d := range found {
		days[d.Date.String()] = d.ChannelFigures
	}
	return days
}

func (b *bundle) rows(t *testing.T) map[string]string {
	t.Helper()
	rows := make(map[string]string)
	for _, query := range []string{
		`SELECT day || ' ' || row(followers, impressions, reach, engagements, profile_views, website_clicks)::text FROM channel_insight`,
		`SELECT post_id || ' ' || day || ' ' || row(impressions, reach, likes, comments, shares, saves, clicks, video_views)::text FROM post_insight`,
	} {
		for _, row := range postgrestest.Column(t, b.address, query) {
			rows[row] = row
		}
	}
	return maps.Clone(rows)
}
