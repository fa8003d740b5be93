package upkeep_test

import (
	"context"
	"errors"
	"log/slog"
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
	u, err := upkeep.New(upkeep.Config{Answers: answers{a}, Limits: limits{l}, Every: time.Hour, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return u
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
