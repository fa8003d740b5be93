package engine

import (
	"fmt"
	"os"
	"syscall"
)

// killSelf ends the process as a power cut would. It returns only when the signal could not be sent.
func killSelf() error {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return fmt.Errorf("failpoint: kill: %w", err)
	}

	select {} // the signal may reach another thread first
}
