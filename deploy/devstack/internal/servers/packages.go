package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"

	"fencepost.internal/devstack/internal/process"
)

// ErrMissing means that packages are missing and were not installed. The error's text contains the remedy.
var ErrMissing = errors.New("packages of this machine")

// Groups of packages that the stack needs.
const (
	PostgreSQL = "postgresql"
	// Media opens videos, PDF and HEIC files.
	Media = "media"
)

// EnsurePackages installs the missing packages of a group on this machine. It returns ErrMissing, with the remedy, if it
// cannot. The checkout's tools/install.sh contains the list of packages, and how to find and install them.
func (c Config) EnsurePackages(ctx context.Context, group string) error {
	var problem bytes.Buffer
	err := process.Run(ctx, process.Spec{
		Path: c.InstallScript, Args: []string{group}, Env: c.Environ, Stdout: c.Output, Stderr: &problem,
		DeathSignal: syscall.SIGTERM,
	})
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("%w (%s): %s (%w)", ErrMissing, group, bytes.TrimSpace(problem.Bytes()), err)
	default:
		return nil
	}
}
