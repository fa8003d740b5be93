package upkeep_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/internal/upkeep"
)

// pile is something that gets smaller by pruning.
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

func setup(t *testing.T, a, l *pile) *upkeep.Upkeep {
	t.Helper()
	u, err := upkeep.New(config(a, l))
	require.NoError(t, err)
	return u
}

// config is upkeep with nothing to do but two piles.
func config(a, l *pile) upkeep.Config {
	return upkeep.Config{
		Answers: answers{a}, Imports: answers{&pile{}}, Limits: limits{l}, Uploads: uploads{&pile{}}, Loose: loose{&pile{}},
		Objects: objects{}, Every: time.Hour, Logger: slog.New(slog.DiscardHandler),
	}
}

type uploads struct{ *pile }

func (u uploads) Expire(_ context.Context, limit int) (int, error) { return u.prune(limit) }

// loose are keys of objects: as many as the pile has.
type loose struct{ *pile }

func (l loose) Sweep(ctx context.Context, limit int, remove func(context.Context, string) error) (int, error) {
	n, err := l.prune(limit)
	for i := range n {
		if err := remove(ctx, strconv.Itoa(i)); err != nil {
			l.left += n - i
			return i, err
		}
	}
	return n, err
}

type objects struct{ broken error }

func (o objects) Delete(context.Context, string) error { return o.broken }

func TestARoundRemovesWhatBelongsToNothing(t *testing.T) {
	t.Parallel()
	begun, keys, imports := &pile{left: 1200}, &pile{left: 120}, &pile{left: 3}
	cfg := config(&pile{}, &pile{})
	cfg.Uploads, cfg.Loose, cfg.Imports = uploads{begun}, loose{keys}, answers{imports}
	u, err := upkeep.New(cfg)
	require.NoError(t, err)
	require.NoError(t, u.Round(t.Context()))
	require.Zero(t, begun.left)
	require.Zero(t, keys.left)
	require.Zero(t, imports.left)
	require.Equal(t, 24*time.Hour, imports.age, "an import answers a repeated request for a day")
}

func TestWhatCannotBeRemovedStays(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	keys, begun := &pile{left: 120}, &pile{left: 1}
	cfg := config(&pile{}, &pile{})
	cfg.Loose, cfg.Objects, cfg.Uploads = loose{keys}, objects{broken}, uploads{begun}
	u, err := upkeep.New(cfg)
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
	_, err := upkeep.New(upkeep.Config{})
	require.Error(t, err)
}
