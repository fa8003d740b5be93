package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"fencepost.internal/devstack/internal/process"
)

// initialise creates a cluster in a temporary folder and moves it to its final place, so that a partial one is never
// used.
func (s *Server) initialise(ctx context.Context, programs, folder string, as *syscall.Credential) error {
	const ownerOnly = 0o600
	draft, password := filepath.Join(folder, "data.new"), filepath.Join(folder, "password")
	if err := os.RemoveAll(draft); err != nil {
		return fmt.Errorf("initialise the database: %w", err)
	}
	if err := os.WriteFile(password, []byte(s.cfg.Password+"\n"), ownerOnly); err != nil {
		return fmt.Errorf("initialise the database: %w", err)
	}
	defer os.Remove(password)
	if as != nil {
		if err := os.Chown(password, int(as.Uid), int(as.Gid)); err != nil {
			return fmt.Errorf("initialise the database: %w", err)
		}
	}
	output, err := os.OpenFile(s.cfg.LogPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, ownerOnly)
	if err != nil {
		return fmt.Errorf("initialise the database: %w", err)
	}
	defer output.Close()
	args := []string{
		"--pgdata=" + draft, "--username=" + Superuser, "--pwfile=" + password, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C.UTF-8",
	}
	if s.cfg.Fast {
		args = append(args, "--no-sync")
	}
	err = s.cfg.Launcher.Run(ctx, process.Spec{
		Path: filepath.Join(programs, "initdb"), Args: args, Dir: folder, Env: environment(),
		Stdout: output, Stderr: output, User: as, DeathSignal: syscall.SIGKILL,
	})
	if err != nil {
		return fmt.Errorf("initdb: %w (see %s)", err, s.cfg.LogPath)
	}
	if err := os.Rename(draft, filepath.Join(folder, "data")); err != nil {
		return fmt.Errorf("initialise the database: %w", err)
	}
	return nil
}

func environment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
}
