package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// switches is the file that is added to each changed package. It activates one mutant, and records the reached mutants
// on request.
const switches = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantActive, _ = strconv.Atoi(os.Getenv("` + envActive + `"))
	mutantLog       = os.Getenv("` + envReached + `")
	mutantSeen      sync.Map
)

func mutantOn(n int) bool {
	if mutantLog != "" {
		if _, seen := mutantSeen.LoadOrStore(n, true); !seen {
			if log, err := os.OpenFile(mutantLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
				_, _ = log.WriteString(strconv.Itoa(n) + "\n")
				_ = log.Close()
			}
		}
	}
	return n == mutantActive
}

func mutantText(n int, text, instead string) string {
	if mutantOn(n) {
		return instead
	}
	return text
}

func mutantNil(n int, err error) error {
	if mutantOn(n) {
		return nil
	}
	return err
}

// mutantConst is mutantText for the initial value of a package's variable, which mutantUse reports as reached.
func mutantConst(n int, text, instead string) string {
	if n == mutantActive {
		return instead
	}
	return text
}

func mutantUse[T any](value T, mutants ...int) T {
	for _, n := range mutants {
		mutantOn(n)
	}
	return value
}

var _, _, _, _ = mutantText, mutantNil, mutantConst, mutantUse[string]
`

const (
	envActive  = "MUTATE_ACTIVE"
	envReached = "MUTATE_REACHED"
	helperFile = "mutants_switches.go"
)

// listed is a package in the output of go list.
type listed struct {
	Dir        string
	ImportPath string
	Name       string
	GoFiles    []string
}

func list(ctx context.Context, root string, paths []string) ([]listed, error) {
	out, err := command(ctx, root, "go", append([]string{"list", "-json=Dir,ImportPath,Name,GoFiles"},
		dotted(paths)...)...)
	if err != nil {
		return nil, err
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}

func dotted(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = "./" + p
	}
	return out
}

// command runs a command to completion and returns its output.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

// build holds the files that replace those on disk.
type build struct {
	root    string
	work    string // a temporary folder
	overlay string
}

// newBuild writes an overlay of the given files: path on disk to content.
func newBuild(root, work string, files map[string][]byte) (build, error) {
	replace := make(map[string]string)
	for path, content := range files {
		copied := filepath.Join(work, strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "_"))
		if err := os.WriteFile(copied, content, 0o600); err != nil {
			return build{}, err
		}
		replace[path] = copied
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return build{}, err
	}
	b := build{root: root, work: work, overlay: filepath.Join(work, "overlay.json")}
	return b, os.WriteFile(b.overlay, overlay, 0o600)
}

// binary compiles the tests of a package.
func (b build) binary(ctx context.Context, p listed) (string, error) {
	path := filepath.Join(b.work, strings.ReplaceAll(p.ImportPath, "/", "_")+".test")
	_, err := command(ctx, b.root, "go", "test", "-c", "-overlay", b.overlay, "-o", path, p.ImportPath)
	return path, err
}

// compile builds the packages with all mutants. It removes and returns mutants that do not compile, for example of a
// condition with a named type.
func compile(ctx context.Context, root, work string, packages []listed, files []*source) (build, []*mutant, error) {
	const rounds = 8
	var dropped []*mutant
	for range rounds {
		b, err := newBuild(root, work, contents(root, packages, files))
		if err != nil {
			return build{}, nil, err
		}
		args := []string{"build", "-gcflags=-e", "-overlay", b.overlay}
		for _, p := range packages {
			args = append(args, p.ImportPath)
		}
		_, err = command(ctx, root, "go", args...)
		if err == nil {
			return b, dropped, nil
		}
		out := takeOut(err.Error(), files)
		if len(out) == 0 {
			return build{}, nil, err
		}
		dropped = append(dropped, out...)
	}
	return build{}, nil, errors.New("the packages do not compile with their mutants")
}

func contents(root string, packages []listed, files []*source) map[string][]byte {
	out := make(map[string][]byte)
	for _, s := range files {
		if len(s.wraps)+len(s.swaps) > 0 {
			out[filepath.Join(root, s.path)] = s.render()
		}
	}
	for _, p := range packages {
		out[filepath.Join(p.Dir, helperFile)] = fmt.Appendf(nil, switches, p.Name)
	}
	return out
}

var compileError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// takeOut removes the mutants of the lines for which the compiler reports errors.
func takeOut(output string, files []*source) (out []*mutant) {
	for _, match := range compileError.FindAllStringSubmatch(output, -1) {
		line, _ := strconv.Atoi(match[2])
		for _, s := range files {
			if filepath.Base(s.path) != filepath.Base(match[1]) ||
				!strings.HasSuffix(s.path, strings.TrimPrefix(match[1], "./")) {
				continue
			}
			s.wraps = slices.DeleteFunc(s.wraps, func(w wrap) bool {
				if w.mutant.Line != line || w.mutant.File != s.path {
					return false
				}
				out = append(out, w.mutant)
				return true
			})
		}
	}
	return out
}
