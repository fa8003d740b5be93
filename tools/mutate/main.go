// Command mutate changes the code of the packages in plan.go, one place at a time, and reports the changes that no test
// detects. It writes nothing to the working tree: the compiler takes the changed files from an overlay.
//
//	mutate              every package and the named mutants
//	mutate relay wire   the packages whose path contains one of the words, and their named mutants
//	mutate -match 'event_fanout.go:19' -run FanOut postgres   some of the mutants, with some of the tests, while a survivor is worked on
//
// The generated mutants of all packages are compiled once, each behind a switch. Every test runs once without a mutant,
// which shows the mutants that it reaches. Then each mutant is activated for the tests that reach it. A survivor is a
// missing test or an equivalent change. Equivalent changes are listed with their reasons in plan.go. The exit status is
// 1 if a mutant survives, and 2 if the run itself fails, for example because an entry of plan.go no longer matches the
// code.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	workers := flag.Int("workers", 2, "mutants tried at a time")
	verbose := flag.Bool("v", false, "print every mutant")
	table := flag.Bool("named", false, "try only the named mutants")
	only := flag.Bool("list", false, "print the generated mutants without trying them")
	match := flag.String("match", "",
		"try only the generated mutants whose line in the report matches this regular expression")
	tests := flag.String("run", "", "try the generated mutants with the tests that match this regular expression")
	flag.Parse()
	matched, err := regexp.Compile(*match)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	p := ours.narrowed(flag.Args())
	if *table {
		p.packages, p.equivalent = nil, nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	survivors, err := run(ctx, os.Stdout, options{
		root: ".", plan: p, workers: *workers, verbose: *verbose, list: *only, match: matched, tests: *tests,
	})
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case survivors > 0:
		os.Exit(1)
	}
}

type options struct {
	root    string
	plan    plan
	workers int
	verbose bool
	list    bool           // print the generated mutants and try none
	match   *regexp.Regexp // nil: try all generated mutants
	tests   string         // a pattern; empty: all
}

// plan lists the packages to mutate, the named mutants and the equivalent changes.
type plan struct {
	packages   []target
	named      []named
	equivalent []equivalent
}

// target is a package to mutate. Its own tests must detect each mutant, or those of the packages in by.
type target struct {
	path string // relative to the root
	by   []string
	only []kind // empty: all
}

func (t target) wants(k kind) bool { return len(t.only) == 0 || slices.Contains(t.only, k) }

// named is a change that no operator generates, and the test that must detect it.
type named struct {
	file, original, replacement string
	pkg, tests                  string // a package, and a pattern of its tests
}

// equivalent lists changes that no test can or should detect: those in the file and function whose text starts with
// change.
type equivalent struct {
	file, fn, change, reason string
}

func (e equivalent) fits(m *mutant) bool {
	return m.File == e.file && m.Func == e.fn && strings.HasPrefix(m.Change, e.change)
}

// narrowed keeps the entries of packages whose path contains one of the words.
func (p plan) narrowed(words []string) plan {
	if len(words) == 0 {
		return p
	}
	fits := func(path string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(path, word) })
	}
	return plan{
		packages:   keep(p.packages, func(t target) bool { return fits(t.path) }),
		named:      keep(p.named, func(n named) bool { return fits(n.file) }),
		equivalent: keep(p.equivalent, func(e equivalent) bool { return fits(e.file) }),
	}
}

func keep[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool { return !wanted(one) })
}

// run tests all mutants and returns the number of survivors.
func run(ctx context.Context, out io.Writer, o options) (survivors int, err error) {
	begin := time.Now()
	if o.root, err = filepath.Abs(o.root); err != nil {
		return 0, err
	}
	if o.list {
		return 0, printAll(ctx, out, o)
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	report := func(r result) {
		switch {
		case !r.killed && r.tests == 0:
			fmt.Fprintf(out, "SURVIVES (no test reaches it)   %s\n", r)
		case !r.killed:
			fmt.Fprintf(out, "SURVIVES (%d tests reach it)  %s\n", r.tests, r)
		case o.verbose:
			fmt.Fprintf(out, "killed  %s\n", r)
		}
	}
	var results []result
	for _, n := range o.plan.named {
		r, err := tryNamed(ctx, o.root, work, n)
		if err != nil {
			return 0, err
		}
		report(r)
		results = append(results, r)
	}
	generated, err := tryGenerated(ctx, out, work, o, report)
	if err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil { // the tests that the interruption stopped count as failed
		return 0, err
	}
	results = append(results, generated...)
	survivors = len(keep(results, func(r result) bool { return !r.killed }))
	fmt.Fprintf(out, "mutate: %d mutants, %d killed, %d survive, in %s\n", len(results), len(results)-survivors, survivors,
		time.Since(begin).Round(time.Second))
	return survivors, nil
}

func printAll(ctx context.Context, out io.Writer, o options) error {
	_, files, err := generate(ctx, o)
	for _, s := range files {
		for _, w := range s.wraps {
			fmt.Fprintln(out, w.mutant)
		}
	}
	return err
}

// tryGenerated generates the mutants of the plan's packages and tests those that are not listed as equivalent.
func tryGenerated(ctx context.Context, out io.Writer, work string, o options, report func(result)) ([]result, error) {
	if len(o.plan.packages) == 0 {
		return nil, nil
	}
	changed, files, err := generate(ctx, o)
	if err != nil {
		return nil, err
	}
	b, broken, err := compile(ctx, o.root, work, changed, files)
	if err != nil {
		return nil, err
	}
	mutants, justified, err := without(o.plan.equivalent, files)
	if err != nil {
		return nil, err
	}
	if o.match != nil {
		mutants = keep(mutants, func(m *mutant) bool { return o.match.MatchString(m.String()) })
	}
	fmt.Fprintf(out, "mutate: %d mutants in %d packages; %d listed as equivalent, %d are not Go\n", len(mutants),
		len(changed), justified, len(broken))
	reaching, err := reachable(ctx, out, b, o)
	if err != nil {
		return nil, err
	}
	return try(ctx, mutants, reaching, o.workers, report), nil
}

// generate finds the mutants of the plan's packages and numbers them.
func generate(ctx context.Context, o options) ([]listed, []*source, error) {
	paths := make([]string, len(o.plan.packages))
	for i, t := range o.plan.packages {
		paths[i] = t.path
	}
	changed, err := list(ctx, o.root, paths)
	if err != nil {
		return nil, nil, err
	}
	var files []*source
	number := 0
	for _, p := range changed {
		of := o.plan.packages[slices.IndexFunc(o.plan.packages,
			func(t target) bool { return filepath.Join(o.root, t.path) == p.Dir })]
		sources, err := sourcesOf(o.root, p)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range sources {
			s.wraps = keep(s.wraps, func(w wrap) bool { return of.wants(w.mutant.Kind) })
			for _, w := range s.wraps {
				number++
				w.mutant.ID = number
			}
		}
		files = append(files, sources...)
	}
	return changed, files, nil
}

// without removes the mutants that are listed as equivalent. An entry without a matching mutant is an error: the code
// has changed.
func without(list []equivalent, files []*source) (mutants []*mutant, justified int, err error) {
	used := make([]bool, len(list))
	for _, s := range files {
		for _, w := range s.wraps {
			i := slices.IndexFunc(list, func(e equivalent) bool { return e.fits(w.mutant) })
			if i < 0 {
				mutants = append(mutants, w.mutant)
				continue
			}
			used[i] = true
			justified++
		}
	}
	for i, e := range list {
		if !used[i] {
			err = errors.Join(err,
				fmt.Errorf("no mutant matches this entry of plan.go, or an earlier entry matches it: %+v", e))
		}
	}
	return mutants, justified, err
}

// reachable compiles the tests of the plan and returns the tests that reach each mutant.
func reachable(ctx context.Context, out io.Writer, b build, o options) (map[int][]test, error) {
	var paths []string
	for _, t := range o.plan.packages {
		paths = append(append(paths, t.path), t.by...)
	}
	slices.Sort(paths)
	packages, err := list(ctx, o.root, slices.Compact(paths))
	if err != nil {
		return nil, err
	}
	reaching := make(map[int][]test)
	for _, p := range packages {
		begin := time.Now()
		binary, err := b.binary(ctx, p)
		if err != nil {
			return nil, err
		}
		s := &suite{listed: p, binary: binary}
		if err := s.reach(ctx, cmp.Or(o.tests, "^Test"),
			func(n int, t test) { reaching[n] = append(reaching[n], t) }); err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "mutate: ran the tests of %s without a mutant in %s\n", p.ImportPath,
			time.Since(begin).Round(time.Second))
	}
	return reaching, nil
}
