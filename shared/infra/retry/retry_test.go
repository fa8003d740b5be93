package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/retry"
)

var (
	errBusy = errors.New("busy")
	errOver = errors.New("over")
)

func busy(err error) bool { return errors.Is(err, errBusy) }

// TestDo checks the tries and the time between them.
func TestDo(t *testing.T) {
	t.Parallel()
	pauses := retry.Pauses{First: time.Second, Longest: 4 * time.Second, Jitter: 0.2}
	for name, c := range map[string]struct {
		limit   time.Duration // of the context
		results []error
		tries   int
		errs    []error
		takes   time.Duration
	}{
		"success":             {time.Hour, []error{nil}, 1, nil, 0},
		"success after tries": {time.Hour, []error{errBusy, errBusy, errBusy, nil}, 4, nil, 7 * time.Second}, // 1 + 2 + 4
		"another error":       {time.Hour, []error{errBusy, errOver}, 2, []error{errOver}, time.Second},
		"the longest pause": {
			time.Hour, []error{errBusy, errBusy, errBusy, errBusy, errBusy, nil}, 6, nil, 15 * time.Second,
		},
		"the context ends": {
			time.Millisecond, []error{errBusy}, 1, []error{errBusy, context.DeadlineExceeded}, time.Millisecond,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				tries, start := 0, time.Now()
				got, err := retry.Do(ctx, pauses, busy, func() (int, error) {
					tries++
					return tries, c.results[tries-1]
				})
				require.Equal(t, c.tries, tries)
				require.Equal(t, c.tries, got, "the result of the last try")
				require.InDelta(t, c.takes.Seconds(), time.Since(start).Seconds(), 0.2*c.takes.Seconds()+0.001)
				if len(c.errs) == 0 {
					require.NoError(t, err)
				}
				for _, want := range c.errs {
					require.ErrorIs(t, err, want)
				}
			})
		})
	}
}

func TestEveryRunsUntilCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begun, wrong := time.Now(), errors.New("wrong")
		var at []time.Duration
		var failed []error
		retry.Every(ctx, time.Minute, func(context.Context) error {
			if at = append(at, time.Since(begun)); len(at) == 3 {
				cancel()
			}
			return wrong
		}, func(err error) { failed = append(failed, err) })
		require.Equal(t, []time.Duration{0, time.Minute, 2 * time.Minute}, at)
		require.Equal(t, []error{wrong, wrong}, failed, "the error of a canceled round is none")
	})
}
