package process_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/procfs"
)

// notMain is the thread of a launcher that was started on the main thread, where only TestMain runs.
var notMain int

func init() { runtime.LockOSThread() } //nolint:gochecknoinits // the only way to run TestMain on the main thread

func TestMain(m *testing.M) {
	thread := make(chan int, 1)
	process.OnOwnThread(func() { thread <- syscall.Gettid() })
	notMain = <-thread
	runtime.UnlockOSThread()
	os.Exit(m.Run())
}

// TestTheMainThreadBelongsToNoLauncher: the main thread does not end before the program, so that the processes of its
// launcher would outlive the launcher.
func TestTheMainThreadBelongsToNoLauncher(t *testing.T) {
	t.Parallel()
	require.NotEqual(t, os.Getpid(), notMain)
	system := procfs.New(procfs.Root)
	require.Eventually(t, func() bool { return !system.Alive(notMain) }, 10*time.Second, time.Millisecond)
}
