// Package packages installs programs of others with the machine's package manager.
package packages

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrByHand means that devstack cannot install something on this machine. The error's text says what to do.
var ErrByHand = errors.New("to be installed by hand")

// Set is what is installed together.
type Set struct {
	// Name is what reports call it.
	Name string
	// Debian are the packages of Debian and Ubuntu.
	Debian []string
	// Elsewhere says what to install with another package manager.
	Elsewhere string
	// Prepare readies the machine for the installation; nil is nothing.
	Prepare func() error
}

// Installer installs with apt-get.
type Installer struct {
	Root     bool
	LookPath func(name string) (string, error)
	// Run runs a command with extra environment variables.
	Run    func(ctx context.Context, env []string, name string, args ...string) error
	Report func(message string)
}

// Install installs a set. It returns ErrByHand, with what to do, where it cannot.
func (i Installer) Install(ctx context.Context, set Set) error {
	if _, err := i.LookPath("apt-get"); err != nil {
		return fmt.Errorf("%w: %s, with your package manager", ErrByHand, set.Elsewhere)
	}
	if !i.Root {
		return fmt.Errorf("%w: run: sudo apt-get install -y %s", ErrByHand, strings.Join(set.Debian, " "))
	}
	i.Report("installing with apt-get, once: " + set.Name)
	if set.Prepare != nil {
		if err := set.Prepare(); err != nil {
			return fmt.Errorf("prepare the installation: %w", err)
		}
	}
	env := []string{"DEBIAN_FRONTEND=noninteractive"}
	if err := i.Run(ctx, env, "apt-get", "update", "-q"); err != nil {
		return fmt.Errorf("apt-get update: %w", err)
	}
	arguments := append([]string{
		"install", "-q", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold",
	}, set.Debian...)
	if err := i.Run(ctx, env, "apt-get", arguments...); err != nil {
		return fmt.Errorf("apt-get install %s: %w", strings.Join(set.Debian, " "), err)
	}
	return nil
}
