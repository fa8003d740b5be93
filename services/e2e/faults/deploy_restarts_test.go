package faults_test

import (
	"context"
	"sync"
	"syscall"
	"testing"
	"time"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
)

// rollout restarts programs one after another.
type rollout struct {
	every, grace time.Duration // between restarts; from SIGTERM to SIGKILL
	lasts        time.Duration
	load         time.Duration // between posts
	within       time.Duration // limit for everything to settle afterwards
}

// TestF36RollingRestarts restarts the API and the workers in turn, under load, while networks hold some calls for
// longer than the grace period.
func TestF36RollingRestarts(t *testing.T) {
	rolls(t, rollout{
		every: 3 * time.Second, grace: 2 * time.Second, lasts: 18 * time.Second, load: 300 * time.Millisecond,
		within: time.Minute,
	})
}

// TestNightF36RollingRestarts does the same for ten minutes.
func TestNightF36RollingRestarts(t *testing.T) {
	rolls(t, rollout{
		every: 20 * time.Second, grace: 5 * time.Second, lasts: 10 * time.Minute, load: 200 * time.Millisecond,
		within: 3 * time.Minute,
	})
}

func rolls(t *testing.T, r rollout) {
	t.Helper()
	l := lab.Begin(t, lab.Fault{
		ID: "F36", Title: "rolling restarts of api and workers under load, SIGTERM and then SIGKILL",
		Expect: "I1 to I5: work in progress completes or is handed over; clients that retry lose nothing",
	}, "PUBLISH_COMMIT_TIMEOUT=30s")
	l.Run(2)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var restarting sync.WaitGroup
	var restarts, killed int
	restarting.Go(func() { restarts, killed = r.restart(ctx, append(l.Workers, l.APIProcess)) })
	began, slowed := time.Now(), 0
	for time.Since(began) < r.lasts {
		if n := int(time.Since(began) / r.every); n >= slowed {
			slowed = n + 1
			r.slow(l)
		}
		l.Accept(1, time.Now().Add(time.Second), 0)
		<-time.After(r.load)
	}
	stop()
	restarting.Wait()
	l.Injected("%d restarts, %d of them ended with SIGKILL after %s", restarts, killed, r.grace)
	l.Healed()
	l.Settle(r.within)
	l.Check()
	if restarts < 4 || killed == 0 {
		t.Errorf("%d restarts, %d killed: the fault did not occur", restarts, killed)
	}
}

// slow makes each network hold its next call for longer than the grace period.
func (r rollout) slow(l *lab.Lab) {
	for _, platform := range []string{"x", "threads", "telegram"} {
		l.Sandbox.Inject(harness.Fault{
			Platform: platform, Step: "commit", Kind: "slow", DelayMs: int((r.every + r.grace + 2*time.Second).Milliseconds()),
		})
	}
}

// restart terminates one program after another until the context ends. The supervisor restarts them.
func (r rollout) restart(ctx context.Context, programs []*harness.Process) (restarts, killed int) {
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return restarts, killed
		case <-time.After(r.every):
		}
		p := programs[i%len(programs)]
		if !r.terminate(p) {
			killed++
		}
		restarts++
	}
}

// terminate sends SIGTERM to the program, and kills it if it does not end within the grace period.
func (r rollout) terminate(p *harness.Process) bool {
	starts := p.Starts()
	p.Signal(syscall.SIGTERM)
	for deadline := time.Now().Add(r.grace); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		if p.Starts() > starts {
			return true
		}
	}
	p.Kill()
	return false
}
