package cleanup_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/worker/internal/cleanup"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

// pile is a store that shrinks as it is pruned.
type pile struct {
	remaining int
	age       time.Duration
	calls     int
	broken    error
}

func (p *pile) prune(limit int) (int, error) {
	p.calls++
	n := min(p.remaining, limit)
	p.remaining -= n
	return n, p.broken
}

func (p *pile) putBack(n int) { p.remaining += n }

func (p *pile) aged(age time.Duration) *pile {
	p.age = age
	return p
}

type responses struct{ *pile }

func (a responses) Prune(_ context.Context, age time.Duration, limit int) (int, error) {
	return a.aged(age).prune(limit)
}

type talks struct{ *pile }

func (s talks) Prune(_ context.Context, limit int) (int, error) { return s.prune(limit) }

type limits struct{ *pile }

func (l limits) Prune(context.Context) (int, error) { return l.prune(l.remaining) }

func setup(t *testing.T, a, l *pile) *cleanup.Cleaner {
	t.Helper()
	u, err := cleanup.New(config(a, l))
	require.NoError(t, err)
	return u
}

// config returns a configuration in which only two stores have entries.
func config(a, l *pile) cleanup.Config {
	return cleanup.Config{
		Responses: responses{a}, Imports: responses{&pile{}}, Events: responses{&pile{}}, Webhooks: responses{&pile{}},
		Insights: responses{&pile{}}, Visits: responses{&pile{}}, Channels: responses{&pile{}}, Connects: responses{&pile{}}, Inbound: responses{&pile{}}, Requests: responses{&pile{}}, Limits: limits{l},
		Uploads: uploads{&pile{}}, Talks: talks{&pile{}},
		Loose: loose{&pile{}}, Timelines: &ended{}, Attempts: &ended{}, Posts: &ended{},
		Objects: &objects{}, Every: time.Hour, Clock: clocktest.New(now), Logger: slog.New(slog.DiscardHandler),
		Metrics: cleanup.NewMetrics(prometheus.NewRegistry()),
	}
}

// ended is data of posts, one row each, in the order of their creation. Those whose number is a multiple of stays have
// not ended.
type ended struct {
	posts, stays int
	gone         map[int]bool
	calls        int
	ages         []time.Duration
	broken       error
}

func (e *ended) Prune(_ context.Context, age time.Duration, after ident.Post, limit int) (postgres.Pruned, error) {
	e.calls++
	e.ages = append(e.ages, age)
	if e.gone == nil {
		e.gone = make(map[int]bool)
	}
	var page postgres.Pruned
	walked := 0
	last := int(binary.BigEndian.Uint32(after[:4]))
	for n := last + 1; n <= e.posts && walked < limit; n++ {
		if e.gone[n] {
			continue
		}
		walked++
		last = n
		if e.stays == 0 || n%e.stays != 0 {
			e.gone[n] = true
			page.Deleted++
		}
	}
	if walked == limit {
		binary.BigEndian.PutUint32(page.Last[:4], uint32(last)) //nolint:gosec // G115: a small number
	}
	return page, e.broken
}

type uploads struct{ *pile }

func (u uploads) Expire(_ context.Context, limit int) (int, error) { return u.prune(limit) }

// loose is a store of object keys, one per entry of the pile.
type loose struct{ *pile }

func (l loose) Sweep(ctx context.Context, limit int, remove func(context.Context, string) error) (int, error) {
	n, err := l.prune(limit)
	for i := range n {
		if err := remove(ctx, strconv.Itoa(i)); err != nil {
			l.putBack(n - i)
			return i, err
		}
	}
	return n, err
}

// now is the time of every round.
var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// objects is an object storage with a fixed list, some of whose objects cannot be deleted.
type objects struct {
	held    []objectstore.Info
	stuck   int // number of leading objects that cannot be deleted
	broken  error
	deleted []string
	listing error // returned at the end of the listing
}

func (o *objects) Delete(_ context.Context, key string) error {
	if o.broken != nil {
		return o.broken
	}
	if i := slices.IndexFunc(o.held, func(i objectstore.Info) bool { return i.Key == key }); i >= 0 && i < o.stuck {
		return errStuck
	}
	o.deleted = append(o.deleted, key)
	return nil
}

func (o *objects) List(_ context.Context, prefix string, before time.Time) iter.Seq2[objectstore.Info, error] {
	return func(yield func(objectstore.Info, error) bool) {
		for _, i := range o.held {
			if strings.HasPrefix(i.Key, prefix) && i.ModifiedAt.Before(before) && !yield(i, nil) {
				return
			}
		}
		if o.listing != nil {
			yield(objectstore.Info{}, o.listing)
		}
	}
}

var errStuck = errors.New("locked")

// uploaded returns n objects that clients wrote long ago.
func uploaded(n int) []objectstore.Info {
	held := make([]objectstore.Info, n)
	for i := range held {
		held[i] = objectstore.Info{Key: fmt.Sprintf("uploads/%04d", i), ModifiedAt: now.Add(-48 * time.Hour)}
	}
	return held
}

func round(t *testing.T, o *objects) error {
	t.Helper()
	cfg := config(&pile{}, &pile{})
	cfg.Objects = o
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	return u.Round(t.Context())
}

// TestLateUploadsAreRemoved checks that an object is deleted if its PUT ended after its upload was deleted.
func TestLateUploadsAreRemoved(t *testing.T) {
	t.Parallel()
	o := &objects{held: []objectstore.Info{
		{Key: "media/published", ModifiedAt: now.Add(-48 * time.Hour)},
		{Key: "uploads/late", ModifiedAt: now.Add(-24*time.Hour - time.Second)},
		{Key: "uploads/recent", ModifiedAt: now.Add(-24 * time.Hour)},
		{Key: "uploads/running", ModifiedAt: now.Add(-time.Hour)},
	}}
	require.NoError(t, round(t, o))
	require.Equal(t, []string{"uploads/late"}, o.deleted)
}

func TestLateUploadsPerRoundAreLimited(t *testing.T) {
	t.Parallel()
	o := &objects{held: uploaded(1001)}
	require.NoError(t, round(t, o))
	require.Len(t, o.deleted, 1000)
}

func TestStuckUploadDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	o := &objects{held: uploaded(12), stuck: 9}
	require.ErrorIs(t, round(t, o), errStuck)
	require.Equal(t, []string{"uploads/0009", "uploads/0010", "uploads/0011"}, o.deleted)

	o = &objects{held: uploaded(12), stuck: 10}
	require.ErrorIs(t, round(t, o), errStuck)
	require.Empty(t, o.deleted, "a store that refuses so many is left alone")
}

func TestFailedListingIsReported(t *testing.T) {
	t.Parallel()
	o := &objects{held: uploaded(2), stuck: 1, listing: errors.New("no response")}
	err := round(t, o)
	require.ErrorIs(t, err, o.listing)
	require.ErrorIs(t, err, errStuck)
	require.Equal(t, []string{"uploads/0001"}, o.deleted)
}

func TestRoundRemovesUnreferencedData(t *testing.T) {
	t.Parallel()
	begun, keys, imports := &pile{remaining: 1200}, &pile{remaining: 120}, &pile{remaining: 3}
	cfg := config(&pile{}, &pile{})
	cfg.Uploads, cfg.Loose, cfg.Imports = uploads{begun}, loose{keys}, responses{imports}
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Zero(t, begun.remaining)
	require.Zero(t, keys.remaining)
	require.Zero(t, imports.remaining)
	require.Equal(t, 24*time.Hour, imports.age, "an import answers a repeated request for a day")
}

func TestEventLogIsKeptForOneMonth(t *testing.T) {
	t.Parallel()
	events, deleted := &pile{remaining: 1500}, &pile{remaining: 2}
	cfg := config(&pile{}, &pile{})
	cfg.Events, cfg.Webhooks = responses{events}, responses{deleted}
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Zero(t, events.remaining)
	require.Zero(t, deleted.remaining)
	require.Equal(t, []time.Duration{30 * 24 * time.Hour, 30 * 24 * time.Hour}, []time.Duration{events.age, deleted.age})
}

// TestHistoryIsKeptForItsAge checks the ages of each kind, and that data without an age is kept for good.
func TestHistoryIsKeptForItsAge(t *testing.T) {
	t.Parallel()
	timelines, attempts, posts := &ended{posts: 2500}, &ended{posts: 3}, &ended{posts: 3}
	insights, visits := &pile{remaining: 3}, &pile{remaining: 1001}
	cfg := config(&pile{}, &pile{})
	cfg.Timelines, cfg.Attempts, cfg.Posts = timelines, attempts, posts
	cfg.Insights, cfg.Visits = responses{insights}, responses{visits}
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Zero(t, timelines.calls+attempts.calls+posts.calls+insights.calls+visits.calls)

	registry := prometheus.NewRegistry()
	cfg.Metrics = cleanup.NewMetrics(registry)
	cfg.Ages = cleanup.Ages{Analytics: new(time.Hour), History: new(2 * time.Hour), Posts: new(3 * time.Hour)}
	u, err = cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Len(t, timelines.gone, 2500)
	require.Len(t, attempts.gone, 3)
	require.Len(t, posts.gone, 3)
	require.Zero(t, insights.remaining+visits.remaining)
	require.Equal(t, []time.Duration{time.Hour, time.Hour}, []time.Duration{insights.age, visits.age})
	require.Equal(t, []time.Duration{2 * time.Hour, 2 * time.Hour, 2 * time.Hour}, timelines.ages)
	require.Equal(t, []time.Duration{91 * 24 * time.Hour}, attempts.ages, "figures of posts are read for 90 days")
	require.Equal(t, []time.Duration{3 * time.Hour}, posts.ages)
	require.Equal(t, map[string]float64{"timelines": 2500, "attempts": 3, "posts": 3, "insights": 3, "visits": 1001},
		counted(t, registry, "cleanup_deleted_total"))
	require.Empty(t, counted(t, registry, "cleanup_failures_total"))

	cfg.Ages.History, cfg.Metrics = new(92*24*time.Hour), cleanup.NewMetrics(prometheus.NewRegistry())
	u, err = cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Equal(t, 92*24*time.Hour, attempts.ages[len(attempts.ages)-1])
}

// counted returns the values of a counter by kind, without zeros.
func counted(t *testing.T, registry *prometheus.Registry, name string) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	counts := make(map[string]float64)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if n := metric.GetCounter().GetValue(); family.GetName() == name && n > 0 {
				counts[metric.GetLabel()[0].GetValue()] = n
			}
		}
	}
	return counts
}

// TestWalkContinuesInNextRound checks that posts that stay cost a bounded number of pages in a round.
func TestWalkContinuesInNextRound(t *testing.T) {
	t.Parallel()
	stay := &ended{posts: 15_500, stays: 1}
	cfg := config(&pile{}, &pile{})
	cfg.Timelines, cfg.Ages.History = stay, new(time.Hour)
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	for _, want := range []int{10, 16, 26} { // the walk ends with its 16th page
		require.NoError(t, u.Round(t.Context()))
		require.Equal(t, want, stay.calls)
	}
	mixed := &ended{posts: 30_000, stays: 500}
	cfg.Timelines = mixed
	u, err = cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Len(t, mixed.gone, 30_000-30_000/500, "pages with expired data do not count")
}

func TestFailedWalkIsCounted(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	broken := &ended{broken: errors.New("down")}
	cfg := config(&pile{}, &pile{})
	cfg.Timelines, cfg.Ages.History, cfg.Metrics = broken, new(time.Hour), cleanup.NewMetrics(registry)
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.ErrorIs(t, u.Round(t.Context()), broken.broken)
	require.Equal(t, map[string]float64{"timelines": 1}, counted(t, registry, "cleanup_failures_total"))
}

func TestUnremovableObjectsStay(t *testing.T) {
	t.Parallel()
	broken := errors.New("no response")
	keys, begun := &pile{remaining: 120}, &pile{remaining: 1}
	cfg := config(&pile{}, &pile{})
	cfg.Loose, cfg.Objects, cfg.Uploads = loose{keys}, &objects{broken: broken}, uploads{begun}
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.ErrorIs(t, u.Round(t.Context()), broken)
	require.Equal(t, 120, keys.remaining)
	require.Zero(t, begun.remaining, "the others are done all the same")
}

func TestRoundContinuesUntilDone(t *testing.T) {
	t.Parallel()
	a, l := &pile{remaining: 2500}, &pile{remaining: 10}
	require.NoError(t, setup(t, a, l).Round(t.Context()))
	require.Zero(t, a.remaining)
	require.Zero(t, l.remaining)
	require.Equal(t, 3, a.calls)
	require.Equal(t, 24*time.Hour, a.age, "answers are promised for a day")
}

func TestFailedStepDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	a, l := &pile{remaining: 1, broken: errors.New("down")}, &pile{remaining: 10}
	require.ErrorIs(t, setup(t, a, l).Round(t.Context()), a.broken)
	require.Zero(t, l.remaining)
}

func TestRunStartsImmediatelyAndEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a, l := &pile{remaining: 5}, &pile{remaining: 5}
	u := setup(t, a, l)
	cancel()
	u.Run(ctx)
	require.Equal(t, 1, a.calls)
	require.Zero(t, l.remaining)
}

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := cleanup.New(cleanup.Config{})
	require.Error(t, err)
}
