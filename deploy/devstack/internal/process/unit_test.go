package process_test

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
)

var errNotYet = errors.New("not yet")

type bundle struct {
	folder string
	cfg    process.Config
}

// setup describes a unit that runs script and is ready when it has created the file "ready" in its folder.
func setup(t *testing.T, script string) *bundle {
	t.Helper()
	folder := t.TempDir()
	b := &bundle{folder: folder}
	b.cfg = process.Config{
		Name: "server",
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

func (b *bundle) unit() *process.Unit { return process.New(b.cfg) }

const serve = `touch ready; exec sleep 100`

func TestStartErrorQuotesEndsOfLongLine(t *testing.T) {
	t.Parallel()
	b := setup(t, `echo before; printf 'begin %9000s end\n' ''; exit 1`)
	err := b.unit().Start(t.Context())
	require.ErrorContains(t, err, "\n  before\n  begin ")
	require.ErrorContains(t, err, " end")
	require.Less(t, len(err.Error()), 2000)
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	b := setup(t, serve)
	prepared := 0
	b.cfg.Prepare = func(context.Context) error { prepared++; return nil }
	u := b.unit()
	require.Equal(t, process.Stopped, u.Status().State)

	require.NoError(t, u.Start(t.Context()))
	running := u.Status()
	require.Equal(t, process.Running, running.State)
	require.NotZero(t, running.PID)
	require.NoError(t, u.Start(t.Context()), "starting a running unit does nothing")
	require.Equal(t, running.PID, u.Status().PID)
	require.Equal(t, 1, prepared)

	require.NoError(t, u.Stop(t.Context()))
	require.Equal(t, process.Stopped, u.Status().State)
	require.Zero(t, u.Status().PID)
	require.NoError(t, u.Stop(t.Context()), "stopping a stopped unit does nothing")
	require.NoError(t, u.Kill())

	require.NoError(t, u.Start(t.Context()))
	require.NoError(t, u.Kill())
	require.Empty(t, u.Crashes(), "a requested end is no crash")
}

func TestStartFailsWhenProcessEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, `echo "cannot bind"; exit 4`)
	u := b.unit()
	err := u.Start(t.Context())
	require.ErrorIs(t, err, process.ErrNotReady)
	require.ErrorContains(t, err, "exit status 4")
	require.ErrorContains(t, err, "cannot bind", "the error quotes the log")
	require.Equal(t, process.Stopped, u.Status().State)
}

func TestStartFailsAfterReadyTimeout(t *testing.T) {
	t.Parallel()
	b := setup(t, `exec sleep 100`)
	b.cfg.ReadyTimeout = 100 * time.Millisecond
	u := b.unit()
	err := u.Start(t.Context())
	require.ErrorIs(t, err, process.ErrNotReady)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, errNotYet.Error(), "the error has the last probe's error")
	require.Equal(t, process.Stopped, u.Status().State)
}

func TestStartFailsWhenPrepareFails(t *testing.T) {
	t.Parallel()
	b := setup(t, serve)
	b.cfg.Prepare = func(context.Context) error { return errNotYet }
	u := b.unit()
	require.ErrorIs(t, u.Start(t.Context()), errNotYet)
	require.Equal(t, process.Stopped, u.Status().State)
}

func TestUnexpectedEndIsCrash(t *testing.T) {
	t.Parallel()
	b := setup(t, `touch ready; until [ -e end ]; do sleep 0.02; done; exit 5`)
	u := b.unit()
	require.NoError(t, u.Start(t.Context()))
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "end"), nil, 0o600))
	select {
	case reason := <-u.Crashes():
		require.ErrorContains(t, reason, "exit status 5")
	case <-time.After(10 * time.Second):
		require.Fail(t, "no crash was reported")
	}
	require.Equal(t, process.Crashed, u.Status().State)
	require.NoError(t, u.Stop(t.Context()))
	require.Equal(t, process.Stopped, u.Status().State)
}

func TestLaunchDoesNotWait(t *testing.T) {
	t.Parallel()
	b := setup(t, `exec sleep 100`)
	u := b.unit()
	require.NoError(t, u.Launch(t.Context()))
	require.Equal(t, process.Running, u.Status().State)
	require.NoError(t, u.Kill())
}
