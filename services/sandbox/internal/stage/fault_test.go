package stage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

func TestTake(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		fault stage.Fault
		met   bool
	}{
		"any":             {stage.Fault{}, true},
		"all named":       {stage.Fault{Platform: "x", Account: "acme", Step: stage.StepCommit}, true},
		"any step":        {stage.Fault{Platform: "x", Step: stage.StepAny}, true},
		"another network": {stage.Fault{Platform: "threads"}, false},
		"another account": {stage.Fault{Account: "initech"}, false},
		"another step":    {stage.Fault{Step: stage.StepStatus}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var set stage.FaultSet
			set.Add(test.fault)
			_, met := set.Take(channel.NetworkX, "acme", stage.StepCommit)
			require.Equal(t, test.met, met)
		})
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()

	var set stage.FaultSet
	require.Equal(t, 1, set.Add(stage.Fault{Kind: stage.FaultReject}).Remaining)
	set.Add(stage.Fault{Kind: stage.FaultSlow, Times: 2})
	set.Add(stage.Fault{Kind: stage.FaultRateLimit, Times: stage.Forever})
	var kinds []stage.FaultKind
	for range 5 {
		f, met := set.Take(channel.NetworkX, "a", stage.StepCommit)
		require.True(t, met)
		kinds = append(kinds, f.Kind)
	}
	require.Equal(t, []stage.FaultKind{stage.FaultReject, stage.FaultSlow, stage.FaultSlow, stage.FaultRateLimit, stage.FaultRateLimit}, kinds)
	require.Len(t, set.List(), 1)
	require.Equal(t, stage.Forever, set.List()[0].Remaining)
	set.Clear()
	require.Empty(t, set.List())
	require.NotNil(t, set.List(), "an empty list is [], not null")
}

func TestDelays(t *testing.T) {
	t.Parallel()

	require.Equal(t, time.Minute, stage.Fault{Kind: stage.FaultTimeoutBefore}.Delay())
	require.Equal(t, time.Minute, stage.Fault{Kind: stage.FaultTimeoutAfterAccept}.Delay())
	require.Equal(t, 2*time.Second, stage.Fault{Kind: stage.FaultSlow}.Delay())
	require.Zero(t, stage.Fault{Kind: stage.FaultReject}.Delay())
	require.Equal(t, 5*time.Millisecond, stage.Fault{Kind: stage.FaultSlow, DelayMs: 5}.Delay())
	for delay, want := range map[int64]int{0: 1, 1: 1, 1000: 1, 1001: 2, 30000: 30} {
		require.Equal(t, want, stage.Fault{Kind: stage.FaultRateLimit, DelayMs: delay}.RetryAfter())
	}
}
