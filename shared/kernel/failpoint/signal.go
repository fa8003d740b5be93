package failpoint

import (
	"fmt"
	"os"
	"syscall"
)

// killSelf ends the process like a power failure would. It returns only if the signal could not be sent.
func killSelf() error {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return fmt.Errorf("failpoint: kill: %w", err)
	}

	select {} // the signal may reach another thread first
}
