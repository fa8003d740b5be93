package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fencepost.internal/devstack/internal/procfs"
)

// StopStale stops a server that a killed devstack left running over this data folder. The server has received a stop
// signal already, but may still be writing its last checkpoint. StopStale does nothing if there is no such server.
func StopStale(ctx context.Context, folder string) error {
	data, err := filepath.EvalSymlinks(filepath.Join(folder, "data"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find an old database server: %w", err)
	}
	raw, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find an old database server: %w", err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return fmt.Errorf("find an old database server: %w", err)
	}
	system := procfs.New(procfs.Root)
	if pid <= 1 || !system.Alive(pid) || !strings.Contains(system.CommandLine(pid), data) {
		return nil
	}
	return endStale(ctx, system, pid)
}

func endStale(ctx context.Context, system procfs.FS, pid int) error {
	const pause = 20 * time.Millisecond
	if err := syscall.Kill(pid, FastShutdown); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the old database server (pid %d): %w", pid, err)
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for system.Alive(pid) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the old database server (pid %d) did not stop: %w", pid, ctx.Err())
		case <-ticker.C:
		}
	}
	return nil
}
