//go:build !linux

package failpoint

import (
	"fmt"
	"os"
	"syscall"
)

// stopSelf freezes the process until SIGCONT, at the latest a few instructions after it returns.
func stopSelf() error {
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return fmt.Errorf("failpoint: stop: %w", err)
	}

	return nil
}
