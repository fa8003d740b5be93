package harness

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/proctest"
)

// CLI is the command line on a machine of its own: with a home folder and nothing in the environment.
type CLI struct {
	t    testing.TB
	Path string
	Home string
	Env  []string
}

var commandLine struct {
	sync.Once
	path string
	err  error
}

// NewCLI builds the command line once per test process, and returns it with an empty home folder.
func (s *System) NewCLI() *CLI {
	s.t.Helper()
	commandLine.Do(func() {
		folder, err := os.MkdirTemp("", "e2e-cli-")
		if err != nil {
			commandLine.err = err
			return
		}
		commandLine.path = filepath.Join(folder, "fencepost")
		cmd := exec.CommandContext(s.t.Context(), "go", "build", "-ldflags=-s -w", "-o", commandLine.path, "fencepost.internal/services/cli")
		if out, err := cmd.CombinedOutput(); err != nil {
			commandLine.err = errors.New(string(out))
		}
	})
	require.NoError(s.t, commandLine.err)
	home := s.t.TempDir()
	return &CLI{t: s.t, Path: commandLine.path, Home: home, Env: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "BROWSER=true", "FENCEPOST_URL=" + s.APIURL,
	}}
}

// Ran is the result of a command.
type Ran struct {
	Out, Err string
	Code     int
}

// Run runs a command with an input.
func (c *CLI) Run(in string, args ...string) Ran {
	c.t.Helper()
	return c.run(in, c.Path, args...)
}

// Shell runs commands of a shell.
func (c *CLI) Shell(commands string) Ran {
	c.t.Helper()
	return c.run("", "bash", "--noprofile", "--norc", "-c", commands)
}

func (c *CLI) run(in, program string, args ...string) Ran {
	c.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(c.t.Context(), program, args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, c.Home, strings.NewReader(in), &out, &errs
	err := cmd.Run()
	if ended, failed := errors.AsType[*exec.ExitError](err); failed {
		return Ran{Out: out.String(), Err: errs.String(), Code: ended.ExitCode()}
	}
	require.NoError(c.t, err)
	return Ran{Out: out.String(), Err: errs.String()}
}

// OK runs a command that must succeed, and returns what it printed, without the line break at the end.
func (c *CLI) OK(args ...string) string {
	c.t.Helper()
	ran := c.Run("", args...)
	require.Zero(c.t, ran.Code, "%v: %s%s", args, ran.Out, ran.Err)
	return strings.TrimSuffix(ran.Out, "\n")
}

// Running is a command that runs until it is stopped.
type Running struct {
	t        testing.TB
	cmd      *exec.Cmd
	Out, Err *proctest.Log
	done     chan error
}

// Start starts a command.
func (c *CLI) Start(args ...string) *Running {
	c.t.Helper()
	r := &Running{t: c.t, Out: &proctest.Log{}, Err: &proctest.Log{}, done: make(chan error, 1)}
	r.cmd = exec.CommandContext(c.t.Context(), c.Path, args...)
	r.cmd.Env, r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = c.Env, c.Home, r.Out, r.Err
	require.NoError(c.t, r.cmd.Start())
	go func() { r.done <- r.cmd.Wait() }()
	return r
}

// Says waits until standard error has a text, and returns all of it.
func (r *Running) Says(text string) string {
	r.t.Helper()
	const within = 20 * time.Second
	require.EventuallyWithT(r.t, func(t *assert.CollectT) { require.Contains(t, r.Err.String(), text) }, within, 20*time.Millisecond)
	return r.Err.String()
}

// Wait waits for the end, and returns the exit code.
func (r *Running) Wait() int {
	r.t.Helper()
	select {
	case err := <-r.done:
		if ended, failed := errors.AsType[*exec.ExitError](err); failed {
			return ended.ExitCode()
		}
		require.NoError(r.t, err)
		return 0
	case <-time.After(30 * time.Second):
		require.Fail(r.t, "the command does not end", "%s%s", r.Out, r.Err)
		return -1
	}
}

// Signal sends a signal to the command.
func (r *Running) Signal(signal syscall.Signal) {
	r.t.Helper()
	require.NoError(r.t, r.cmd.Process.Signal(signal))
}
