// Package lab is the bench of the fault suite: it runs a whole system, breaks it, waits until all is settled, and holds what
// the service says against what the networks and the receivers saw.
//
// A scenario reads as a story:
//
//	l := lab.Begin(t, lab.Fault{ID: "F07", Title: "…", Expect: "I1 I2 I4: …"})
//	l.Arm("publish.after_response=kill#1")
//	l.Run(2)
//	l.Accept(6, time.Now().Add(time.Second), 100*time.Millisecond)
//	l.WaitFired("publish.after_response")
//	l.Settle(30 * time.Second)
//	l.Check()
package lab

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/infra/postgres/postgrestest"
)

// Fault is one row of the fault list, with what is expected of the service before anything is broken.
type Fault struct {
	ID     string // F07
	Title  string
	Expect string // the invariants in question and the outcome, in a few words
}

// Hurried makes the waits of the publish protocol and of the retries short. The rules stay as they are.
func Hurried() []string {
	return []string{
		"PUBLISH_SEND_WINDOW=3s", "PUBLISH_READ_DELAY=1s", "PUBLISH_COMMIT_TIMEOUT=2s", "RETRY_SCALE=0.1", "SWEEP_INTERVAL=3s",
	}
}

// Lab is one run of one fault.
type Lab struct {
	*harness.System
	APIProcess *harness.Process
	Workers    []*harness.Process

	t      testing.TB
	fault  Fault
	reader *postgrestest.Reader
	armed  string // the file that arms crash points
	fired  string // the file in which crash points say that they acted
	points []string
	began  time.Time

	mu       sync.Mutex
	accepted []Accepted
	serial   int
	injected []string
	broken   time.Time // the first injection
	healed   time.Time
	settled  time.Time
	result   result
	meter    *meter
}

// Begin makes a system with quick retries, not started yet; env goes behind its environment. What comes of it is a row of the
// report. Each system has a database, a namespace, networks and files of its own, and mostly waits: they run side by side.
func Begin(t *testing.T, f Fault, env ...string) *Lab {
	t.Helper()
	t.Parallel()
	return begin(t, f, env...)
}

// Alone is Begin for a fault that hits what all systems stand on, or that takes all the processors there are.
func Alone(t *testing.T, f Fault, env ...string) *Lab {
	t.Helper()
	return begin(t, f, env...)
}

func begin(t *testing.T, f Fault, env ...string) *Lab {
	t.Helper()
	dir := t.TempDir()
	l := &Lab{
		t: t, fault: f, armed: filepath.Join(dir, "failpoints"), fired: filepath.Join(dir, "fired"), began: time.Now(),
	}
	t.Logf("%s %s. Expected: %s", f.ID, f.Title, f.Expect)
	all := append(Hurried(), "FAILPOINTS_FILE="+l.armed, "FAILPOINTS_LOG="+l.fired)
	l.System = harness.New(t, harness.Options{Env: append(all, env...)})
	l.reader = postgrestest.NewReader(t, l.Database())
	t.Cleanup(func() { l.report() })
	return l
}

// Run starts the API and workers, waits until they are ready, and subscribes the receiver to all events.
func (l *Lab) Run(workers int) {
	l.t.Helper()
	l.APIProcess = l.Start("api", "")
	for range workers {
		l.Workers = append(l.Workers, l.Start("worker", ""))
	}
	l.APIProcess.Ready()
	for _, w := range l.Workers {
		w.Ready()
	}
	l.Subscribe()
	l.Watch()
}
