package cleanup_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/worker/internal/cleanup"
	"socialpub.internal/shared/infra/objectstore"
	"socialpub.internal/shared/kernel/clock/clocktest"
)

// pile is a store that shrinks as it is pruned.
type pile struct {
	left   int
	age    time.Duration
	calls  int
	broken error
}

func (p *pile) prune(limit int) (int, error) {
	p.calls++
	n := min(p.left, limit)
	p.left -= n
	return n, p.broken
}

func (p *pile) putBack(n int) { p.left += n }

func (p *pile) aged(age time.Duration) *pile {
	p.age = age
	return p
}

type answers struct{ *pile }

func (a answers) Prune(_ context.Context, age time.Duration, limit int) (int, error) {
	return a.aged(age).prune(limit)
}

type limits struct{ *pile }

func (l limits) Prune(context.Context) (int, error) { return l.prune(l.left) }

func setup(t *testing.T, a, l *pile) *cleanup.Cleaner {
	t.Helper()
	u, err := cleanup.New(config(a, l))
	require.NoError(t, err)
	return u
}

// config returns a configuration in which only two stores have entries.
func config(a, l *pile) cleanup.Config {
	return cleanup.Config{
		Answers: answers{a}, Imports: answers{&pile{}}, Events: answers{&pile{}}, Webhooks: answers{&pile{}},
		Insights: answers{&pile{}}, Channels: answers{&pile{}}, Limits: limits{l}, Uploads: uploads{&pile{}}, Loose: loose{&pile{}},
		Objects: &objects{}, Every: time.Hour, Clock: clocktest.New(now), Logger: slog.New(slog.DiscardHandler),
	}
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

// TestUploadsThatCameLateAreRemoved checks that an object is deleted if its PUT ended after its upload was deleted.
func TestUploadsThatCameLateAreRemoved(t *testing.T) {
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

func TestARoundRemovesSoManyLateUploads(t *testing.T) {
	t.Parallel()
	o := &objects{held: uploaded(1001)}
	require.NoError(t, round(t, o))
	require.Len(t, o.deleted, 1000)
}

func TestALateUploadThatCannotBeRemovedKeepsNoOther(t *testing.T) {
	t.Parallel()
	o := &objects{held: uploaded(12), stuck: 9}
	require.ErrorIs(t, round(t, o), errStuck)
	require.Equal(t, []string{"uploads/0009", "uploads/0010", "uploads/0011"}, o.deleted)

	o = &objects{held: uploaded(12), stuck: 10}
	require.ErrorIs(t, round(t, o), errStuck)
	require.Empty(t, o.deleted, "a store that refuses so many is left alone")
}

func TestAListingThatBreaksOffIsReported(t *testing.T) {
	t.Parallel()
	o := &objects{held: uploaded(2), stuck: 1, listing: errors.New("no answer")}
	err := round(t, o)
	require.ErrorIs(t, err, o.listing)
	require.ErrorIs(t, err, errStuck)
	require.Equal(t, []string{"uploads/0001"}, o.deleted)
}

func TestARoundRemovesWhatBelongsToNothing(t *testing.T) {
	t.Parallel()
	begun, keys, imports := &pile{left: 1200}, &pile{left: 120}, &pile{left: 3}
	cfg := config(&pile{}, &pile{})
	cfg.Uploads, cfg.Loose, cfg.Imports = uploads{begun}, loose{keys}, answers{imports}
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Zero(t, begun.left)
	require.Zero(t, keys.left)
	require.Zero(t, imports.left)
	require.Equal(t, 24*time.Hour, imports.age, "an import answers a repeated request for a day")
}

func TestTheLogReachesBackAMonth(t *testing.T) {
	t.Parallel()
	events, deleted := &pile{left: 1500}, &pile{left: 2}
	cfg := config(&pile{}, &pile{})
	cfg.Events, cfg.Webhooks = answers{events}, answers{deleted}
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Zero(t, events.left)
	require.Zero(t, deleted.left)
	require.Equal(t, []time.Duration{30 * 24 * time.Hour, 30 * 24 * time.Hour}, []time.Duration{events.age, deleted.age})
}

func TestWhatCannotBeRemovedStays(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	keys, begun := &pile{left: 120}, &pile{left: 1}
	cfg := config(&pile{}, &pile{})
	cfg.Loose, cfg.Objects, cfg.Uploads = loose{keys}, &objects{broken: broken}, uploads{begun}
	u, err := cleanup.New(cfg)
	require.NoError(t, err)
	require.ErrorIs(t, u.Round(t.Context()), broken)
	require.Equal(t, 120, keys.left)
	require.Zero(t, begun.left, "the others are done all the same")
}

func TestARoundGoesOnUntilNothingIsLeft(t *testing.T) {
	t.Parallel()
	a, l := &pile{left: 2500}, &pile{left: 10}
	require.NoError(t, setup(t, a, l).Round(t.Context()))
	require.Zero(t, a.left)
	require.Zero(t, l.left)
	require.Equal(t, 3, a.calls)
	require.Equal(t, 24*time.Hour, a.age, "answers are promised for a day")
}

func TestOneFailureDoesNotKeepTheOther(t *testing.T) {
	t.Parallel()
	a, l := &pile{left: 1, broken: errors.New("down")}, &pile{left: 10}
	require.ErrorIs(t, setup(t, a, l).Round(t.Context()), a.broken)
	require.Zero(t, l.left)
}

func TestRunBeginsAtOnceAndEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a, l := &pile{left: 5}, &pile{left: 5}
	u := setup(t, a, l)
	cancel()
	u.Run(ctx)
	require.Equal(t, 1, a.calls)
	require.Zero(t, l.left)
}

func TestEveryPartIsNeeded(t *testing.T) {
	t.Parallel()
	_, err := cleanup.New(cleanup.Config{})
	require.Error(t, err)
}
