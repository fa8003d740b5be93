// Command faultstable renders the results of the fault suite as a table:
//
//	go run tools/gen/faultstable/main.go -tests tests.txt report.jsonl
//
// report.jsonl has a line for each run of a fault, as services/e2e/faults/lab writes them. tests.txt lists the expected
// tests, one per line. A test without a line in the report appears in the table as one that did not run. With -write
// FILE the table replaces the text between the marks in the file. The command fails if a fault did not run or did not
// pass.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	beginMark = "<!-- faults: begin -->\n"
	endMark   = "<!-- faults: end -->\n"
)

var errNotAllHeld = errors.New("not every fault ran and passed")

// run is a line of the report.
type run struct {
	ID, Title, Expect, Test, Injected   string
	Posts, Doubled, Lost, EventsMissing int
	Published, Unknown                  int
	RecoveryMs                          *int64
	Passed                              bool
	Violations                          []string
}

// row is a test with the results of its runs.
type row struct {
	run
	runs     int
	injected []string
}

func main() {
	log.SetFlags(0)
	file := flag.String("write", "", "`FILE` to write the table into, between its marks")
	tests := flag.String("tests", "", "`FILE` with the names of the expected tests")
	flag.Parse()
	rows, err := rowsOf(flag.Arg(0), *tests)
	if err != nil {
		log.Fatal(err)
	}
	table, held := render(rows)
	if *file == "" {
		_, err = os.Stdout.WriteString(table)
	} else {
		err = replace(*file, table)
	}
	if err == nil && !held {
		err = errNotAllHeld
	}
	if err != nil {
		log.Fatal(err)
	}
}

// rowsOf reads the report. A test has one row, also if it ran several parts.
func rowsOf(report, tests string) ([]*row, error) {
	byTest := make(map[string]*row)
	err := lines(report, func(line string) error {
		var r run
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return err
		}
		add(byTest, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = lines(tests, func(name string) error {
		if byTest[name] == nil && strings.HasPrefix(name, "Test") {
			byTest[name] = &row{run: run{ID: "–", Test: name, Title: "`" + name + "`"}}
		}
		return nil
	})
	rows := slices.Collect(maps.Values(byTest))
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Test, b.Test)) })
	return rows, err
}

func add(byTest map[string]*row, r run) {
	name, _, _ := strings.Cut(r.Test, "/")
	found := byTest[name]
	if found == nil {
		found = &row{run: r}
		found.Test = name
		byTest[name] = found
	} else {
		found.Posts, found.Doubled, found.Lost = found.Posts+r.Posts, found.Doubled+r.Doubled, found.Lost+r.Lost
		found.EventsMissing += r.EventsMissing
		found.Passed = found.Passed && r.Passed
		found.Violations = append(found.Violations, r.Violations...)
		if r.RecoveryMs != nil && (found.RecoveryMs == nil || *found.RecoveryMs < *r.RecoveryMs) {
			found.RecoveryMs = r.RecoveryMs
		}
	}
	found.runs++
	if r.Injected != "" && !slices.Contains(found.injected, r.Injected) {
		found.injected = append(found.injected, r.Injected)
	}
}

func lines(path string, each func(line string) error) error {
	if path == "" {
		return nil
	}
	file, err := os.Open(path) //nolint:gosec // G304: named by the caller
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	scanner := bufio.NewScanner(file)
	const longest = 1 << 20
	scanner.Buffer(nil, longest)
	for scanner.Scan() {
		if line := strings.TrimSpace(scanner.Text()); line != "" {
			if err := each(line); err != nil {
				return fmt.Errorf("%s: %w: %.200s", path, err, line)
			}
		}
	}
	return scanner.Err()
}

// render returns the table. held reports whether every fault ran and passed.
func render(rows []*row) (table string, held bool) {
	var out strings.Builder
	held = true
	out.WriteString("| Fault | Expected | Injected | Posts | Recovery | Held |\n")
	out.WriteString("|---|---|---|---:|---:|---|\n")
	above := new(row)
	for _, r := range rows {
		if r.runs == 0 {
			held = false
			fmt.Fprintf(&out, "| %s | | | | | **did not run** |\n", cell(r.Title))
			continue
		}
		verdict := r.verdict()
		held = held && verdict == heldVerdict
		title, expect := r.titles(above)
		fmt.Fprintf(&out, "| %s | %s | %s | %d | %s | %s |\n", cell(title), cell(expect),
			cell(strings.Join(r.injected, "; ")), r.Posts, recovery(r.RecoveryMs), cell(verdict))
		above = r
	}
	return out.String(), held
}

// heldVerdict marks a fault without a violation, a doubled or lost post or a missing event.
const heldVerdict = "yes"

// verdict returns heldVerdict, or the counts and the first violations.
func (r *row) verdict() string {
	if r.Passed && r.Doubled+r.Lost+r.EventsMissing == 0 {
		return heldVerdict
	}
	return fmt.Sprintf("**no**: %d doubled, %d lost, %d events missing; %s", r.Doubled, r.Lost, r.EventsMissing,
		strings.Join(r.Violations[:min(len(r.Violations), 3)], "; "))
}

// titles returns the names of the fault, marked in the long variant, and the expectation. Both refer to the row above
// instead of repeating it.
func (r *row) titles(above *row) (title, expect string) {
	title, expect = "**"+r.ID+"** "+r.Title, r.Expect
	if r.ID == above.ID && r.Title == above.Title {
		title = "**" + r.ID + "**"
	}
	if r.ID == above.ID && r.Expect == above.Expect {
		expect = "as above"
	}
	if strings.HasPrefix(r.Test, "TestNight") {
		title += " (long)"
	}
	return title, expect
}

func recovery(ms *int64) string {
	if ms == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f s", (time.Duration(*ms) * time.Millisecond).Seconds())
}

// cell escapes text for a table cell.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(text)
}

func replace(path, table string) error {
	raw, err := os.ReadFile(path) //nolint:gosec // G304: named by the caller
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(raw), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return fmt.Errorf("%s has no %s… %s", path, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	return os.WriteFile(path, []byte(before+beginMark+"\n"+table+"\n"+endMark+after), 0o644) //nolint:gosec // G306: documentation
}
