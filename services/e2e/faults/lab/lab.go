// Package lab runs the scenarios of the fault suite: it runs a whole system, injects a fault, waits until everything is
// settled, and compares the service's records with those of the networks and the receivers.
//
// A scenario:
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
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// Fault is one row of the fault list, with the expected behavior, which is written down before the fault is injected.
type Fault struct {
	ID     string // such as F07
	Title  string
	Expect string // the affected invariants and the outcome, in a few words
}

// Hurried returns settings that shorten the waits of the publish protocol and of the retries. The rules stay the same.
func Hurried() []string {
	return []string{
		"PUBLISH_SEND_WINDOW=3s", "PUBLISH_READ_DELAY=1s", "PUBLISH_COMMIT_TIMEOUT=2s", "RETRY_SCALE=0.1",
		"SWEEP_INTERVAL=3s",
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
	fired  string // the log of crash points that acted
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

// expressMode is the variable with the value of DELIVERY_EXPRESS_AFTER for all scenarios that set none. The suite runs
// with every mode (tools/faults.sh).
const expressMode = "FAULTS_EXPRESS"

// Begin creates a system with quick retries and does not start it yet. env is appended to the system's environment. The
// result is a row of the report. Systems run in parallel: each has its own database, namespace, networks and files, and
// mostly waits.
func Begin(t *testing.T, f Fault, env ...string) *Lab {
	t.Helper()
	t.Parallel()
	return begin(t, f, env...)
}

// Alone is Begin for a fault that affects the infrastructure of all systems or requires all processors. It does not run
// in parallel.
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
	if mode := os.Getenv(expressMode); mode != "" {
		all = append(all, "DELIVERY_EXPRESS_AFTER="+mode)
	}
	l.System = harness.New(t, harness.Options{Env: append(all, env...)})
	l.reader = postgrestest.NewReader(t, l.Database())
	t.Cleanup(func() { l.report() })
	return l
}

// Run starts the API and workers, waits until they are ready, subscribes the receiver to all events, and starts to
// watch the metrics.
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
