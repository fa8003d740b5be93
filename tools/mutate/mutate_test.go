package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const counter = "counter"

// sample runs mutate on testdata/sample, whose packages are a separate module.
func sample(t *testing.T, p plan) (output string, survivors int, err error) {
	t.Helper()
	return sampleWith(t, options{plan: p})
}

func sampleWith(t *testing.T, o options) (output string, survivors int, err error) {
	t.Helper()
	t.Setenv("GOWORK", "off")
	o.root, o.workers, o.verbose = filepath.Join("testdata", "sample"), 2, true
	var out bytes.Buffer
	survivors, err = run(t.Context(), &out, o)
	return out.String(), survivors, err
}

// line returns the line of the output that contains the text.
func line(t *testing.T, output, text string) string {
	t.Helper()
	for one := range strings.Lines(output) {
		if strings.Contains(one, text) {
			return one
		}
	}
	require.Fail(t, "no such mutant", "%s in:\n%s", text, output)
	return ""
}

func TestGeneratedMutants(t *testing.T) { //nolint:paralleltest // sets the environment of the go command
	output, survivors, err := sample(t, plan{packages: []target{{path: counter}}})
	require.NoError(t, err)
	for change, outcome := range map[string]string{
		"New: if limit <= 0: negated": "killed",
		"New: limit <= 0: <":          "killed",

		`New: return errors.New("counter: a limit is required"): nil`: "killed",
		"Counter.Add: if c.n >= c.limit: negated":                     "killed",
		"Counter.Add: c.n >= c.limit: >":                              "killed",
		"Counter.Add: return false: negated":                          "killed",
		"Counter.Add: drop c.n++":                                     "killed",
		"Counter.Add: return true: negated":                           "killed",
		`SQL "FOR UPDATE" becomes ""`:                                 "killed",
		`SQL "workspace_id = ?" becomes "(workspace_id = ? OR TRUE)"`: "killed",
		`SQL "FOR SHARE" becomes ""`:                                  "SURVIVES (no test reaches it)",
		`counter/locked.sql:3 : SQL "FOR NO KEY UPDATE" becomes ""`:   "killed",
		`SQL "workspace_id = @workspace" becomes "(workspace_id = @`:  "killed",

		`Counter.Add: drop c.note("added")`:                       "SURVIVES (1 tests reach it)",
		"Counter.note: drop c.log = append(c.log, text)":          "SURVIVES (1 tests reach it)",
		"Counter.Both: c.n > 0 && c.n < c.limit: without c.n > 0": "SURVIVES (no test reaches it)",
		"Counter.Both: c.n < c.limit: <=":                         "SURVIVES (no test reaches it)",
		"Counter.Both: return c.n > 0 && c.n < c.limit: negated":  "SURVIVES (no test reaches it)",
	} {
		require.Contains(t, line(t, output, change), outcome)
	}
	require.Equal(t, 8, survivors, output)
	require.Contains(t, output, "8 survive")
}

func TestSomeMutantsAreTriedWithSomeTests(t *testing.T) { //nolint:paralleltest // as above
	o := options{
		plan: plan{packages: []target{{path: counter}}}, match: regexp.MustCompile(`FOR UPDATE|Counter.Add: if`),
		tests: "TestQ|TestNew",
	}
	output, survivors, err := sampleWith(t, o)
	require.NoError(t, err)
	require.Contains(t, line(t, output, `SQL "FOR UPDATE" becomes ""`), "killed")
	require.Contains(t, line(t, output, "Counter.Add: if c.n >= c.limit: negated"), "SURVIVES (no test reaches it)")
	require.Equal(t, 1, survivors)
	require.Contains(t, output, "mutate: 2 mutants, 1 killed")
}

func TestListedMutantsAreNotTried(t *testing.T) { //nolint:paralleltest // as above
	note := equivalent{
		file: "counter/counter.go", fn: "Counter.Add", change: "drop c.note", reason: "the log is for people",
	}
	p := plan{packages: []target{{path: counter}}, equivalent: []equivalent{note}}
	output, survivors, err := sample(t, p)
	require.NoError(t, err)
	require.Equal(t, 7, survivors, output)
	require.NotContains(t, output, "drop c.note")
	require.Contains(t, output, "1 listed as equivalent")

	p.equivalent[0].change = "drop c.notes"
	_, _, err = sample(t, p)
	require.ErrorContains(t, err, "no mutant matches this entry")
}

func TestNamedMutants(t *testing.T) { //nolint:paralleltest // as above
	full := named{
		file: "counter/counter.go", original: "c.n >= c.limit", replacement: "c.n > c.limit+1", pkg: counter,
		tests: "TestAdd",
	}
	unseen := full
	unseen.tests = "TestNew"
	output, survivors, err := sample(t, plan{named: []named{full, unseen}})
	require.NoError(t, err)
	require.Equal(t, 1, survivors)
	require.Contains(t, line(t, output, "TestAdd"), "killed")
	require.Contains(t, line(t, output, "TestNew"), "SURVIVES")

	for name, change := range map[string]func(*named){
		"0 times":              func(n *named) { n.original = "is not there" },
		"2 times":              func(n *named) { n.original = "c.limit" },
		"does not compile":     func(n *named) { n.replacement = "nonsense" },
		"no test has the name": func(n *named) { n.tests = "TestMissing" },
	} {
		broken := full
		change(&broken)
		_, _, err := sample(t, plan{named: []named{broken}})
		require.ErrorContains(t, err, name, name)
	}
}

func TestAFailingTestEndsTheRun(t *testing.T) { //nolint:paralleltest // as above
	_, _, err := sample(t, plan{packages: []target{{path: "failing"}}})
	require.ErrorContains(t, err, "TestFails fails without a mutant")
}

// interrupted cancels a run once its tests have run without a mutant.
type interrupted struct {
	bytes.Buffer

	cancel context.CancelFunc
}

func (i *interrupted) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("without a mutant")) {
		i.cancel()
	}
	return i.Buffer.Write(text)
}

// TestAnInterruptedRunCountsNoMutants checks that tests which the interruption stopped are not reported as mutants that were killed.
func TestAnInterruptedRunCountsNoMutants(t *testing.T) {
	t.Setenv("GOWORK", "off")
	ctx, cancel := context.WithCancel(t.Context())
	out := &interrupted{cancel: cancel}
	p := plan{packages: []target{{path: counter}}}
	_, err := run(ctx, out, options{root: filepath.Join("testdata", "sample"), plan: p, workers: 2})
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, out.String(), "killed")
}

// TestAFailureEndsTheTestsBesideIt has a mutant make one test fail and another one wait for ever.
func TestAFailureEndsTheTestsBesideIt(t *testing.T) { //nolint:paralleltest // as above
	begin := time.Now()
	output, survivors, err := sample(t, plan{packages: []target{{path: "hanging"}}})
	require.NoError(t, err)
	require.Zero(t, survivors, output)
	require.Less(t, time.Since(begin), patience)
}

func TestNarrowed(t *testing.T) {
	t.Parallel()
	require.Equal(t, ours, ours.narrowed(nil))
	p := ours.narrowed([]string{"relay"})
	require.Equal(t, []target{{path: relay}}, p.packages)
	require.NotEmpty(t, p.named)
	for _, n := range p.named {
		require.Equal(t, relay, n.pkg)
	}
	require.Empty(t, ours.narrowed([]string{"nothing"}).packages)
}

// TestThePlanMatchesTheCode reports entries of the plan that the code no longer contains: they would end the nightly
// run, which tries the named mutants first.
func TestThePlanMatchesTheCode(t *testing.T) {
	t.Setenv("GOWORK", "")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	var stale error
	for _, n := range ours.named {
		_, _, err := n.find(root)
		stale = errors.Join(stale, err)
	}
	require.NoError(t, stale)
	_, files, err := generate(t.Context(), options{root: root, plan: ours})
	require.NoError(t, err)
	_, _, err = without(ours.equivalent, files)
	require.NoError(t, err)
}

func TestEveryListedChangeHasAReason(t *testing.T) {
	t.Parallel()
	for _, e := range ours.equivalent {
		require.NotEmpty(t, e.reason, e.change)
	}
}
