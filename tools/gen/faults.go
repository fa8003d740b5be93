package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// run is a line of the report: a run of a fault, as services/e2e/faults/lab writes it.
type run struct {
	ID, Title, Expect, Test, Injected   string
	Posts, Doubled, Lost, EventsMissing int
	RecoveryMs                          *float64
	Passed                              bool
	Violations                          []string
}

// fault is a test with the sums of its runs.
type fault struct {
	run
	Runs   int
	Causes []string // what was injected, in words
}

// faults prints the table of a report. A test that the file tests lists, but not the report, did not run.
func faults(report, tests string) error {
	rows, err := readFaults(report, tests)
	if err != nil {
		return err
	}
	if err := templates.ExecuteTemplate(os.Stdout, "results", rows); err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(f *fault) bool { return !f.Held() }) {
		return errors.New("not every fault ran and passed")
	}
	return nil
}

// readFaults returns the tests in the order of the table. A test has one row, also if it ran several parts.
func readFaults(report, tests string) ([]*fault, error) {
	raw, err := os.ReadFile(report)
	names, err2 := os.ReadFile(tests)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	var rows []*fault
	row := func(test string) *fault { return find(&rows, func(f *fault) bool { return f.Test == test }) }
	for test := range strings.FieldsSeq(string(names)) {
		row(test).run = run{ID: "–", Test: test}
	}
	for decoder := json.NewDecoder(bytes.NewReader(raw)); decoder.More(); {
		var r run
		if err := decoder.Decode(&r); err != nil {
			return nil, fmt.Errorf("%s: %w", report, err)
		}
		r.Test, _, _ = strings.Cut(r.Test, "/")
		row(r.Test).add(r)
	}
	slices.SortFunc(rows, func(a, b *fault) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Test, b.Test)) })
	return rows, nil
}

// add adds the results of a run.
func (f *fault) add(r run) {
	if f.Runs++; f.Runs == 1 {
		f.run = run{ID: r.ID, Title: r.Title, Expect: r.Expect, Test: r.Test, Passed: true}
	}
	f.Posts, f.Doubled, f.Lost = f.Posts+r.Posts, f.Doubled+r.Doubled, f.Lost+r.Lost
	f.EventsMissing += r.EventsMissing
	f.Passed = f.Passed && r.Passed
	f.Violations = append(f.Violations, r.Violations...)
	f.Violations = f.Violations[:min(len(f.Violations), 3)]
	if r.RecoveryMs != nil && (f.RecoveryMs == nil || *f.RecoveryMs < *r.RecoveryMs) {
		f.RecoveryMs = r.RecoveryMs
	}
	if r.Injected != "" && !slices.Contains(f.Causes, r.Injected) {
		f.Causes = append(f.Causes, r.Injected)
	}
}

// Long reports whether only a whole run has the fault.
func (f *fault) Long() bool { return strings.HasPrefix(f.Test, "TestNight") }

// Held reports whether the fault ran without a violation, a doubled or lost post or a missing event.
func (f *fault) Held() bool { return f.Runs > 0 && f.Passed && f.Doubled+f.Lost+f.EventsMissing == 0 }

// Recovery returns the longest recovery.
func (f *fault) Recovery() string {
	if f.RecoveryMs == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f s", *f.RecoveryMs/1000)
}
