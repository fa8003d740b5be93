//go:build !linux

package mediabox

import (
	"errors"
	"os"
	"syscall"
)

// isolation is a way to start a child. Only Linux has isolation; elsewhere a Box needs AllowUnconfined.
type isolation struct {
	name      string
	user      int
	processes int64
}

func isolations() []isolation { return []isolation{{name: "process group"}} }

func (isolation) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func thisProgram() (string, error) { return os.Executable() }

func lowerPriority() {}

func awaitExit(int) {}

func endGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone
}

func reap(int) {}
