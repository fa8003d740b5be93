package mediabox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/kernel/clock"
)

// hostArgument makes the test program a parent: another process with a Box.
const hostArgument = "mediabox-host"

// TestMain lets the test program be the child, or another parent. After the tests, none of the processes that they
// started may remain, running or unreaped.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == mediabox.Argument:
		syscall.Exit(mediabox.Main(os.Args[2:], os.Stdout)) // os.Exit takes a second under the race detector
	case len(os.Args) > 1 && os.Args[1] == hostArgument:
		os.Exit(host(os.Args[2], os.Args[3]))
	}
	code := run(m)
	if children := childrenOf(os.Getpid()); len(children) > 0 {
		fmt.Fprintln(os.Stderr, "processes are left:", children)
		code = 1
	}
	os.Exit(code)
}

// run runs the tests. The race detector makes decoding ten times slower, so children and other parents are built
// without it; children run one task at a time.
func run(m *testing.M) int {
	if info, ok := debug.ReadBuildInfo(); !ok ||
		!slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return m.Run()
	}
	folder, err := os.MkdirTemp("", "mediabox-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	child := filepath.Join(folder, "child")
	build := exec.CommandContext(context.Background(), "go", "test", "-c", "-o", child, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the child: %v\n%s", err, output)
		return 1
	}
	for _, path := range []string{folder, child} {
		if err := os.Chmod(path, 0o755); err != nil { // children of root are another user
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	program = child
	return m.Run()
}

// program is the program that tests start as the child and as another parent; empty means the test program.
var program string

// host renders one file with the tools of a configuration and prints the result or the error.
func host(configuration, path string) int {
	config := mediabox.Config{Clock: clock.System(), Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	if err := json.Unmarshal([]byte(configuration), &config.Tools); err != nil {
		return 2
	}
	box, err := mediabox.New(context.Background(), config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	result, err := box.Render(context.Background(), path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprint(os.Stdout, result.Thumbnail.Width, " × ", result.Thumbnail.Height)
	return 0
}

// childrenOf returns a process's children, including ended ones that were not reaped.
func childrenOf(parent int) []string {
	var children []string
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return []string{err.Error()}
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			children = append(children, string(text))
		}
	}
	return children
}

// requireRunning waits until processes with the mark in their command line run, or until none does.
func requireRunning(t testing.TB, wanted bool, mark string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, wanted, running(mark))
	}, 30*time.Second, 10*time.Millisecond)
}

// running reports whether any process of the machine has the mark in its command line.
func running(mark string) bool {
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return true
	}
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), mark) {
			return true
		}
	}
	return false
}

// folder returns a folder that the child's user can enter.
func folder(t testing.TB) string {
	t.Helper()
	created := t.TempDir()
	for _, path := range []string{created, filepath.Dir(created)} {
		require.NoError(t, os.Chmod(path, 0o755))
	}
	return created
}

// setup returns a Box and checks after the test that its children left no files.
func setup(t testing.TB, change func(*mediabox.Config)) *mediabox.Box {
	t.Helper()
	config := mediabox.Config{
		Program: program, Folder: folder(t), Clock: clock.System(),
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})),
		// On a busy machine children wait; tests of the wall-clock limit set their own.
		Limits: mediabox.Limits{Wall: 2 * time.Minute, VideoWall: 2 * time.Minute},
	}
	if change != nil {
		change(&config)
	}
	box, err := mediabox.New(t.Context(), config)
	require.NoError(t, err)
	require.Empty(t, box.Missing(), "run: tools/install.sh media")
	t.Cleanup(func() {
		left, err := os.ReadDir(config.Folder)
		require.NoError(t, err)
		require.Empty(t, left)
	})
	return box
}

// write writes bytes to a file that only its owner can read, as an import does.
func write(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "media")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func fixture(name string) string { return filepath.Join("mediaboxtest", "testdata", name) }

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(fixture(name))
	require.NoError(t, err)
	return data
}

func requireClass(t testing.TB, wanted mediabox.Class, err error) {
	t.Helper()
	class, ok := mediabox.ClassOf(err)
	require.True(t, ok, "no failure of the file: %v", err)
	require.Equal(t, wanted, class, "%v", err)
}
