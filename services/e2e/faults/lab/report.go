package lab

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
)

// reportFile is the variable with the path of the report, to which rows are appended.
const reportFile = "FAULTS_REPORT"

// result holds the counts of Check.
type result struct {
	Checked       bool     `json:"checked"`
	Posts         int      `json:"posts"`
	Published     int      `json:"published"`
	Unknown       int      `json:"unknown"`
	Doubled       int      `json:"doubled"`
	Lost          int      `json:"lost"`
	Events        int      `json:"events"`
	EventsMissing int      `json:"eventsMissing"`
	Violations    []string `json:"violations"`
}

// row is one line of the report.
type row struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	Expect     string  `json:"expect"`
	Test       string  `json:"test"`
	Injected   string  `json:"injected"`
	RecoveryMs *int64  `json:"recoveryMs"` // null: nothing to recover from, or never recovered
	Seconds    float64 `json:"seconds"`
	Passed     bool    `json:"passed"`
	result
}

func count(e Evidence, wrong []Violation) result {
	r := result{Checked: true, Posts: len(e.Posts), Events: len(e.Events), Violations: []string{}}
	for _, p := range e.Posts {
		switch {
		case p.Status == string(post.Published):
			r.Published++
		case value(p.ErrorCode) == outcomeUnknown:
			r.Unknown++
		}
	}
	for _, v := range wrong {
		r.Violations = append(r.Violations, v.String())
		switch v.Invariant {
		case "I1":
			r.Doubled++
		case "I2":
			r.Lost++
		case "I3":
			r.EventsMissing++
		}
	}
	return r
}

// report appends the run's row to the report.
func (l *Lab) report() {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	write(l.t, row{
		ID: l.fault.ID, Title: l.fault.Title, Expect: l.fault.Expect, Test: l.t.Name(),
		Injected:   strings.Join(l.injected, "; "),
		RecoveryMs: l.recovery(), Seconds: time.Since(l.began).Seconds(), Passed: !l.t.Failed() && l.result.Checked,
		result: l.result,
	})
}

// Report adds the row of a fault that is tested without a running system, such as a change that checks must reject.
// injected describes the fault.
func Report(t *testing.T, f Fault, injected string) {
	t.Helper()
	began := time.Now()
	t.Cleanup(func() {
		write(t, row{
			ID: f.ID, Title: f.Title, Expect: f.Expect, Test: t.Name(), Injected: injected,
			Seconds: time.Since(began).Seconds(), Passed: !t.Failed(), result: result{Violations: []string{}},
		})
	})
}

// write appends a row to the file that the environment names, if any.
func write(t testing.TB, r row) {
	t.Helper()
	path := os.Getenv(reportFile)
	if path == "" {
		return
	}
	line, err := json.Marshal(r)
	require.NoError(t, err)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	_, err = file.Write(append(line, '\n'))
	require.NoError(t, err)
}

// recovery returns how long it took until everything was settled. It starts at Healed, otherwise at the last action of
// a crash point, otherwise at the first injection, but not before the last post was due.
func (l *Lab) recovery() *int64 {
	from := l.healed
	if acts := l.acts(); from.IsZero() && len(acts) > 0 {
		from = acts[len(acts)-1].at
	}
	if from.IsZero() {
		from = l.broken
	}
	if from.IsZero() || l.settled.Before(from) {
		return nil
	}
	for _, p := range l.accepted {
		if p.At.After(from) && p.At.Before(l.settled) {
			from = p.At
		}
	}
	ms := l.settled.Sub(from).Milliseconds()
	return &ms
}
