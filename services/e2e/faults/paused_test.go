package faults_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
)

func TestF33ThePausedWorkerDoesNotSend(t *testing.T) {
	pausedWorker(t, "publish.before_write", channel.Threads, true)
}

// TestNightF33ThePausedWorkerDoesNotSend keeps the frozen worker's connections open, so the test waits until everything
// that the worker holds times out.
func TestNightF33ThePausedWorkerDoesNotSend(t *testing.T) {
	for _, point := range []string{"publish.after_intent", "publish.before_write"} {
		for _, typ := range three() {
			t.Run(point+"/"+string(typ), func(t *testing.T) { pausedWorker(t, point, typ, false) })
		}
	}
}

// pausedWorker stops a worker immediately before the publishing call, waits until another one has taken over, and
// resumes the first, which must not send any more. If its connections to Temporal are cut meanwhile, nothing waits for
// the timeout of its polls.
func pausedWorker(t *testing.T, point string, typ channel.Type, cut bool) {
	t.Helper()
	behavior := infra.NewProxy(t, temporalAddress(t))
	l := lab.Begin(t, lab.Fault{
		ID: "F33", Title: "A worker is paused before the irrevocable call, another worker takes over, the first resumes",
		Expect: "I1 I4: the fence and the send window allow one send; the late worker sends nothing",
	})
	l.Run(0)
	paused := l.Start("worker", "", "TEMPORAL_ADDRESS="+behavior.Address()).Ready()
	l.Arm(point + "=stop#1")
	p := l.AcceptOne(time.Now().Add(500*time.Millisecond), typ)
	l.WaitFired(point, reached)
	if cut {
		behavior.Break(infra.Fault{Closed: true})
		behavior.Sever()
	}
	l.Start("worker", "").Ready()
	l.Settle(4 * time.Minute) // the frozen worker may still hold polls, and each task that they receive must time out
	want := l.Sandbox.Count(p.Text)
	require.LessOrEqual(t, want, 1)
	behavior.Heal()
	paused.Signal(syscall.SIGCONT)
	l.Healed()
	// Its log shows that it continued. It must not have sent anything.
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Contains(c, paused.WholeLog(), "SEND_WINDOW_CLOSED")
	}, reached, 100*time.Millisecond)
	l.AcceptOne(time.Now().Add(500*time.Millisecond), channel.Threads)
	l.Settle(recovery)
	require.Equal(t, want, l.Sandbox.Count(p.Text))
	require.Equal(t, 1, paused.Starts())
	l.Check(lab.AllPublished())
}
