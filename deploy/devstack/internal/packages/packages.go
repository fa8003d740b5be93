// Package packages installs the packages of the machine that the stack needs. The list of them, how to find and how to
// install them is in the checkout's tools/install.sh.
package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"socialpub.internal/devstack/internal/process"
)

// ErrMissing means that packages are missing and were not installed. The error's text says what to do.
var ErrMissing = errors.New("packages of this machine")

// The groups of the list that the stack needs.
const (
	PostgreSQL = "postgresql"
	// Media opens films, PDF and HEIC files.
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

// Ensure installs the packages of a group that are missing. It returns ErrMissing, with what to do, where it cannot.
func (i Installer) Ensure(ctx context.Context, group string) error {
	var problem bytes.Buffer
	err := i.Launcher.Run(ctx, process.Spec{
		Path: i.Script, Args: []string{group}, Env: i.Environ, Stdout: i.Output, Stderr: &problem, DeathSignal: syscall.SIGTERM,
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
