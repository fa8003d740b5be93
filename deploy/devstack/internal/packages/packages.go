// Package packages installs the machine's packages that the stack needs. The checkout's tools/install.sh contains their
// list, and how to find and install them.
package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// Installer installs packages.
type Installer struct {
	// Script is the path of tools/install.sh.
	Script   string
	Launcher *process.Launcher
	Environ  []string
	// Output receives what is being installed.
	Output io.Writer
}

// Ensure installs the missing packages of a group. It returns ErrMissing, with the remedy, if it cannot.
func (i Installer) Ensure(ctx context.Context, group string) error {
	var problem bytes.Buffer
	err := i.Launcher.Run(ctx, process.Spec{
		Path: i.Script, Args: []string{group}, Env: i.Environ, Stdout: i.Output, Stderr: &problem,
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
