package fault_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/shared/domain/channel"
)

func TestTake(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		fault fault.Fault
		met   bool
	}{
		"any":             {fault.Fault{}, true},
		"all named":       {fault.Fault{Platform: "x", Account: "acme", Step: fault.StepCommit}, true},
		"any step":        {fault.Fault{Platform: "x", Step: fault.StepAny}, true},
		"another network": {fault.Fault{Platform: "threads"}, false},
		"another account": {fault.Fault{Account: "initech"}, false},
		"another step":    {fault.Fault{Step: fault.StepStatus}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var set fault.Set
			set.Add(test.fault)
			_, met := set.Take(channel.NetworkX, "acme", fault.StepCommit)
			require.Equal(t, test.met, met)
		})
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()

	var set fault.Set
	require.Equal(t, 1, set.Add(fault.Fault{Kind: fault.Reject}).Remaining)
	set.Add(fault.Fault{Kind: fault.Slow, Times: 2})
	set.Add(fault.Fault{Kind: fault.RateLimit, Times: fault.Forever})
	var kinds []fault.Kind
	for range 5 {
		f, met := set.Take(channel.NetworkX, "a", fault.StepCommit)
		require.True(t, met)
		kinds = append(kinds, f.Kind)
	}
	require.Equal(t, []fault.Kind{fault.Reject, fault.Slow, fault.Slow, fault.RateLimit, fault.RateLimit}, kinds)
	require.Len(t, set.List(), 1)
	require.Equal(t, fault.Forever, set.List()[0].Remaining)
	set.Clear()
	require.Empty(t, set.List())
	require.NotNil(t, set.List(), "an empty list is [], not null")
}

func TestDelays(t *testing.T) {
	t.Parallel()

	require.Equal(t, time.Minute, fault.Fault{Kind: fault.TimeoutBefore}.Delay())
	require.Equal(t, time.Minute, fault.Fault{Kind: fault.TimeoutAfterAccept}.Delay())
	require.Equal(t, 2*time.Second, fault.Fault{Kind: fault.Slow}.Delay())
	require.Zero(t, fault.Fault{Kind: fault.Reject}.Delay())
	require.Equal(t, 5*time.Millisecond, fault.Fault{Kind: fault.Slow, DelayMs: 5}.Delay())
	for delay, want := range map[int64]int{0: 1, 1: 1, 1000: 1, 1001: 2, 30000: 30} {
		require.Equal(t, want, fault.Fault{Kind: fault.RateLimit, DelayMs: delay}.RetryAfter())
	}
}
