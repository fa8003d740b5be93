package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fencepost.internal/devstack/internal/process"
)

// AwaitStale waits for a PostgreSQL server that a killed devstack left in this folder. The kernel has sent a stop signal to
// the server, but the server may still be writing its last checkpoint. AwaitStale does nothing if there is no such server.
func (s *Servers) AwaitStale() error {
	folder := filepath.Join(PostgresFolder(s.cfg.Folder), "data")
	raw, err := os.ReadFile(filepath.Join(folder, "postmaster.pid")) //nolint:gosec // the stack's own folder
	data, linkErr := filepath.EvalSymlinks(folder)
	if err != nil || linkErr != nil {
		return nil //nolint:nilerr // no server has used the data, or it has ended
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || !strings.Contains(process.CommandLine(pid), data) {
		return nil //nolint:nilerr // another process has the number
	}
	if err := process.AwaitEnd(pid, postgresGrace); err != nil {
		return fmt.Errorf("the old database server did not stop: %w", err)
	}
	return nil
}
