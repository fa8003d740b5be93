package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// suite is the compiled tests of one package.
type suite struct {
	listed

	binary string
}

// test is one test with its duration without a mutant.
type test struct {
	suite *suite
	name  string
	took  time.Duration
}

// start runs tests of the suite with an environment. It returns their output, and whether they failed.
func (s *suite) start(
	ctx context.Context, env []string, limit time.Duration, names ...string,
) (output string, failed bool) {
	ctx, cancel := context.WithTimeout(ctx, limit+limit/4)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, "-test.run", "^("+strings.Join(names, "|")+")$", "-test.failfast",
		"-test.count=1", "-test.timeout", limit.String())
	cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), env...)
	out := printed{failed: sync.OnceFunc(func() { time.AfterFunc(windDown, cancel) })}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	err := cmd.Run()
	return out.text.String(), err != nil
}

// printed is the output of tests. It calls failed when a test fails.
type printed struct {
	text   bytes.Buffer
	failed func()
}

func (p *printed) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("--- FAIL: ")) {
		p.failed()
	}
	return p.text.Write(text)
}

// reach runs every test of the pattern alone, without a mutant, and notes which mutants it reaches.
func (s *suite) reach(ctx context.Context, pattern string, reached func(int, test)) error {
	out, err := command(ctx, s.Dir, s.binary, "-test.list", pattern)
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(out) {
		log := s.binary + "." + name + ".reached"
		took, err := s.baseline(ctx, name, log)
		if err != nil {
			return err
		}
		numbers, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, field := range strings.Fields(string(numbers)) {
			n, err := strconv.Atoi(field)
			if err != nil {
				return err
			}
			reached(n, test{suite: s, name: name, took: took})
		}
		_ = os.Remove(log)
	}
	return nil
}

// baseline runs a test without a mutant. It retries a failed test, because a test may fail occasionally on a busy
// machine.
func (s *suite) baseline(ctx context.Context, name, log string) (took time.Duration, err error) {
	for range baselineTries {
		begin := time.Now()
		output, failed := s.start(ctx, []string{envReached + "=" + log}, baselineLimit, name)
		if !failed {
			return time.Since(begin), nil
		}
		err = fmt.Errorf("%s fails without a mutant, in %s:\n%s", name, s.ImportPath, output)
	}
	return 0, err
}

const (
	baselineTries = 3
	// baselineLimit bounds a test without a mutant.
	baselineLimit = 5 * time.Minute
	// patience is added to a multiple (slowdown) of the duration without a mutant, so that a busy machine does not kill
	// a mutant by timeout.
	patience = 30 * time.Second
	slowdown = 5
	// windDown is the time that concurrent tests continue after a failure: with a mutant they may never end.
	windDown = 5 * time.Second
	// quick is the number of quickest tests that are tried first.
	quick = 4
)

// kills reports whether one of the tests fails with the mutant. It runs the fastest tests first.
func kills(ctx context.Context, m *mutant, tests []test) bool {
	tests = slices.Clone(tests)
	slices.SortStableFunc(tests, func(a, b test) int { return int(a.took - b.took) })
	first := tests[:min(quick, len(tests))]
	for _, group := range append(bySuite(first), bySuite(tests[len(first):])...) {
		names, limit := make([]string, len(group)), patience
		for i, t := range group {
			names[i] = t.name
			limit += slowdown * t.took
		}
		if _, failed := group[0].suite.start(ctx, []string{envActive + "=" + strconv.Itoa(m.ID)}, limit, names...); failed {
			return true
		}
	}
	return false
}

// bySuite groups the tests that one process can run.
func bySuite(tests []test) (groups [][]test) {
	place := make(map[*suite]int)
	for _, t := range tests {
		i, ok := place[t.suite]
		if !ok {
			i = len(groups)
			place[t.suite] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// result is the result of testing a mutant.
type result struct {
	*mutant

	killed bool
	tests  int // number of tests that reach it
}

// try tests the mutants, up to workers at a time, and returns the results.
func try(ctx context.Context, mutants []*mutant, reaching map[int][]test, workers int, progress func(result)) []result {
	results := make([]result, len(mutants))
	var group sync.WaitGroup
	var mu sync.Mutex
	places := make(chan struct{}, workers)
	for i, m := range mutants {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			tests := reaching[m.ID]
			r := result{mutant: m, tests: len(tests), killed: kills(ctx, m, tests)}
			mu.Lock()
			defer mu.Unlock()
			results[i] = r
			progress(r)
		})
	}
	group.Wait()
	return results
}

// find returns the text of the file of a named mutant, and the place of the original in it.
func (n named) find(root string) (text []byte, at int, err error) {
	text, err = os.ReadFile(filepath.Join(root, n.file))
	if err != nil {
		return nil, 0, err
	}
	if found := strings.Count(string(text), n.original); found != 1 {
		return nil, 0, fmt.Errorf("%s: the text of a named mutant occurs %d times, want once; correct plan.go:\n%s", n.file,
			found, n.original)
	}
	return text, bytes.Index(text, []byte(n.original)), nil
}

// tryNamed applies one named mutant and runs its tests.
func tryNamed(ctx context.Context, root, work string, n named) (result, error) {
	text, at, err := n.find(root)
	if err != nil {
		return result{}, err
	}
	m := &mutant{
		File: n.file, Line: 1 + strings.Count(string(text[:at]), "\n"), Func: n.tests,
		Change: fmt.Sprintf("%q becomes %q", oneLine(n.original), oneLine(n.replacement)),
	}
	b, err := newBuild(root, work, map[string][]byte{
		filepath.Join(root, n.file): []byte(strings.Replace(string(text), n.original, n.replacement, 1)),
	})
	if err != nil {
		return result{}, err
	}
	packages, err := list(ctx, root, []string{n.pkg})
	if err != nil {
		return result{}, err
	}
	binary, err := b.binary(ctx, packages[0])
	if err != nil {
		return result{}, fmt.Errorf("a named mutant does not compile: %w", err)
	}
	s := &suite{listed: packages[0], binary: binary}
	output, failed := s.start(ctx, nil, baselineLimit, n.tests)
	if strings.Contains(output, "no tests to run") {
		return result{}, fmt.Errorf("%s: no test has the name %s in %s", n.file, n.tests, n.pkg)
	}
	return result{mutant: m, killed: failed, tests: 1}, nil
}
