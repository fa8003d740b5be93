package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

const second = time.Second

func (b *bundle) turn(t *testing.T) time.Duration {
	t.Helper()
	wait, err := b.attempts.Turn(t.Context(), b.ch.ID, second)
	require.NoError(t, err)
	return wait
}

// passed ends the channel's limit.
func (b *bundle) passed(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE channel_limit SET until = now() - interval '1 second'`)
}

func TestChannelWithoutLimitHasNoQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Zero(t, b.turn(t))
	require.NoError(t, b.attempts.Unlimit(t.Context(), b.ch.ID))
	require.Error(t, b.attempts.Limit(t.Context(), ident.New[ident.Channel](), second), "there is no such channel")
}

func TestLimitedChannelQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	job, err := b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	require.False(t, job.Limited)
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, time.Minute))
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, second), "of two refusals the longer one counts")
	job, err = b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	require.True(t, job.Limited)
	for place := 1; place <= 3; place++ {
		require.InDelta(t, time.Minute+time.Duration(place)*second, b.turn(t), float64(5*second), "place %d", place)
	}
	b.passed(t)
	require.Zero(t, b.turn(t), "the first asks the network")
	require.InDelta(t, time.Minute+4*second, b.turn(t), float64(5*second), "the others wait until it has heard")
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 2*second))
	wait := b.turn(t)
	require.Positive(t, wait)
	b.passed(t)
	require.Zero(t, b.turn(t))
	b.passed(t)
	require.Zero(t, b.turn(t), "it sent no report: another one asks")
	require.NoError(t, b.attempts.Unlimit(t.Context(), b.ch.ID))
	require.Zero(t, b.turn(t))
	require.Zero(t, b.turn(t))
}

func TestLimitsAndQueuesAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 1000*time.Hour))
	require.LessOrEqual(t, b.turn(t), time.Hour+2*second)
	postgrestest.Exec(t, b.address, `UPDATE channel_limit SET line = until + interval '20 minutes'`)
	require.LessOrEqual(t, b.turn(t), time.Hour+5*time.Minute)
	postgrestest.Exec(t, b.address,
		`UPDATE channel_limit SET until = until + interval '3 hours', line = line + interval '3 hours'`)
	require.LessOrEqual(t, b.turn(t), time.Hour+5*time.Minute, "the database's clock was put back")
	require.NoError(t, b.attempts.Unlimit(t.Context(), b.ch.ID))
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, -second))
	require.Zero(t, b.turn(t))
}

// TestOneCallerProbesLimit checks that of many concurrent callers, one probes the limit, and the others get distinct places.
func TestOneCallerProbesLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, time.Minute))
	b.passed(t)
	const many = 20
	waits := make([]time.Duration, many)
	errs := make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { waits[i], errs[i] = b.attempts.Turn(t.Context(), b.ch.ID, second) })
	}
	all.Wait()
	asking := 0
	for i := range many {
		require.NoError(t, errs[i])
		if waits[i] == 0 {
			asking++
		}
	}
	require.Equal(t, 1, asking)
	places := postgrestest.Column(t, b.address, `SELECT round(extract(epoch FROM line - until)) FROM channel_limit`)
	require.NotEmpty(t, places)
}
