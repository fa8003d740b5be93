package unit_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/unit"
)

var errNotYet = errors.New("not yet")

type bundle struct {
	folder string
	cfg    unit.Config
}

// setup describes a unit that runs script and is ready when it has created the file "ready" in its folder.
func setup(t *testing.T, script string) *bundle {
	t.Helper()
	launcher := process.NewLauncher()
	t.Cleanup(launcher.Close)
	folder := t.TempDir()
	b := &bundle{folder: folder}
	b.cfg = unit.Config{
		Name:     "server",
		Launcher: launcher,
		Launch: func(context.Context) (process.Spec, error) {
			return process.Spec{
				Path: "/bin/sh", Args: []string{"-c", script}, Dir: folder,
				Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, DeathSignal: syscall.SIGKILL,
			}, nil
		},
		Probe: func(context.Context) error {
			if _, err := os.Stat(filepath.Join(folder, "ready")); err != nil {
				return errNotYet
			}
			return nil
		},
		Grace: 10 * time.Second, ReadyTimeout: 10 * time.Second,
		LogPath: filepath.Join(folder, "log"),
	}
	return b
}

func (b *bundle) unit(t *testing.T) *unit.Unit {
	t.Helper()
	made, err := unit.New(b.cfg)
	require.NoError(t, err)
	return made
}

const serve = `touch ready; exec sleep 100`

func TestAFailedStartShowsTheEndOfALongLine(t *testing.T) {
	t.Parallel()
	b := setup(t, `echo before; printf 'begin %9000s end\n' ''; exit 1`)
	err := b.unit(t).Start(t.Context())
	require.ErrorContains(t, err, "\n  before\n  begin ")
	require.ErrorContains(t, err, " end")
	require.Less(t, len(err.Error()), 2000)
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	b := setup(t, serve)
	prepared := 0
	b.cfg.Prepare = func(context.Context) error { prepared++; return nil }
	u := b.unit(t)
	require.Equal(t, unit.Stopped, u.Status().State)

	require.NoError(t, u.Start(t.Context()))
	running := u.Measured()
	require.Equal(t, unit.Running, running.State)
	require.NotZero(t, running.PID)
	require.NotZero(t, running.ResidentBytes)
	require.NoError(t, u.Start(t.Context()), "starting what runs does nothing")
	require.Equal(t, running.PID, u.Status().PID)
	require.Equal(t, 1, prepared)

	require.NoError(t, u.Stop(t.Context()))
	require.Equal(t, unit.Stopped, u.Status().State)
	require.Zero(t, u.Status().PID)
	require.NoError(t, u.Stop(t.Context()), "stopping what is stopped does nothing")
	require.NoError(t, u.Kill())

	require.NoError(t, u.Start(t.Context()))
	require.NoError(t, u.Kill())
	require.Empty(t, u.Crashes(), "what was asked for is no crash")
}

func TestStartFailsWhenTheProcessEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, `echo "cannot bind"; exit 4`)
	u := b.unit(t)
	err := u.Start(t.Context())
	require.ErrorIs(t, err, unit.ErrNotReady)
	require.ErrorContains(t, err, "exit status 4")
	require.ErrorContains(t, err, "cannot bind", "the error quotes the log")
	require.Equal(t, unit.Stopped, u.Status().State)
}

func TestStartFailsWhenTheTimeIsOver(t *testing.T) {
	t.Parallel()
	b := setup(t, `exec sleep 100`)
	b.cfg.ReadyTimeout = 100 * time.Millisecond
	u := b.unit(t)
	err := u.Start(t.Context())
	require.ErrorIs(t, err, unit.ErrNotReady)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, errNotYet.Error(), "the error says what the last probe said")
	require.Equal(t, unit.Stopped, u.Status().State)
}

func TestStartTakesAsLongAsItMakesProgress(t *testing.T) {
	t.Parallel()
	b := setup(t, `for step in 1 2 3 4 5 6; do echo $step >progress; sleep 0.5; done; touch ready; exec sleep 100`)
	b.cfg.ReadyTimeout = 1500 * time.Millisecond
	b.cfg.Progress = func(pid int) string {
		require.Positive(t, pid)
		raw, _ := os.ReadFile(filepath.Join(b.folder, "progress")) // empty before the first step
		return string(raw)
	}
	u := b.unit(t)
	begin := time.Now()
	require.NoError(t, u.Start(t.Context()))
	require.Greater(t, time.Since(begin), b.cfg.ReadyTimeout)
	require.NoError(t, u.Kill())
}

func TestStartFailsWithoutProgress(t *testing.T) {
	t.Parallel()
	b := setup(t, `exec sleep 100`)
	b.cfg.ReadyTimeout = 200 * time.Millisecond
	b.cfg.Progress = func(int) string { return "recovering 01" }
	u := b.unit(t)
	err := u.Start(t.Context())
	require.ErrorIs(t, err, unit.ErrNotReady)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, unit.Stopped, u.Status().State)
}

func TestStartFailsWhenPreparingFails(t *testing.T) {
	t.Parallel()
	b := setup(t, serve)
	b.cfg.Prepare = func(context.Context) error { return errNotYet }
	u := b.unit(t)
	require.ErrorIs(t, u.Start(t.Context()), errNotYet)
	require.Equal(t, unit.Stopped, u.Status().State)
}

func TestAnUnaskedEndIsACrash(t *testing.T) {
	t.Parallel()
	b := setup(t, `touch ready; until [ -e end ]; do sleep 0.02; done; exit 5`)
	u := b.unit(t)
	require.NoError(t, u.Start(t.Context()))
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "end"), nil, 0o600))
	select {
	case reason := <-u.Crashes():
		require.ErrorContains(t, reason, "exit status 5")
	case <-time.After(10 * time.Second):
		require.Fail(t, "no crash was reported")
	}
	require.Equal(t, unit.Crashed, u.Status().State)
	require.NoError(t, u.Stop(t.Context()))
	require.Equal(t, unit.Stopped, u.Status().State)
}

func TestLaunchDoesNotWait(t *testing.T) {
	t.Parallel()
	b := setup(t, `exec sleep 100`)
	u := b.unit(t)
	require.NoError(t, u.Launch(t.Context()))
	require.Equal(t, unit.Running, u.Status().State)
	require.NoError(t, u.Kill())
}

func TestNewChecksItsConfiguration(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*unit.Config){
		"name":     func(c *unit.Config) { c.Name = "" },
		"launcher": func(c *unit.Config) { c.Launcher = nil },
		"launch":   func(c *unit.Config) { c.Launch = nil },
		"probe":    func(c *unit.Config) { c.Probe = nil },
		"grace":    func(c *unit.Config) { c.Grace = 0 },
		"timeout":  func(c *unit.Config) { c.ReadyTimeout = 0 },
	} {
		cfg := setup(t, serve).cfg
		change(&cfg)
		_, err := unit.New(cfg)
		require.Error(t, err, name)
	}
}
