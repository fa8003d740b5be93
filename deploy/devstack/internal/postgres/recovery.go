package postgres

import (
	"fmt"
	"strings"
	"time"

	"fencepost.internal/devstack/internal/procfs"
)

// RecoveryProgress describes the progress of the recovery of the server with this pid. The description covers the
// startup process, whose title names the log segment that it replays, and the checkpointer, which ends the recovery. It
// changes while one of them works or waits for the disk. Session processes do not count. The server process counts only
// before it has child processes: afterwards it also works to refuse sessions.
func RecoveryProgress(system procfs.FS, pid int) string {
	children := system.Descendants(pid)
	if len(children) == 0 {
		return system.Work(pid)
	}
	var progress strings.Builder
	for _, child := range children {
		title := system.CommandLine(child)
		if !strings.HasPrefix(title, "postgres: startup") && !strings.HasPrefix(title, "postgres: checkpointer") {
			continue
		}
		fmt.Fprintf(&progress, "%s (%s)\n", title, system.Work(child))
		if system.WaitsForDisk(child) {
			fmt.Fprintln(&progress, time.Now())
		}
	}
	return progress.String()
}
