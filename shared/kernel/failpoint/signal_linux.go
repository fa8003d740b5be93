package failpoint

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// stopSelf freezes the process until SIGCONT. The signal goes to the calling thread, which the kernel stops before it
// returns from the system call, so that the caller executes no further instruction.
func stopSelf() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := syscall.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGSTOP); err != nil {
		return fmt.Errorf("failpoint: stop: %w", err)
	}

	return nil
}
