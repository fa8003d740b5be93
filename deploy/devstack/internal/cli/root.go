// Package cli implements devstack's command line.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fencepost.internal/devstack/internal/control"
	"fencepost.internal/devstack/internal/devenv"
	"fencepost.internal/devstack/internal/ports"
	"fencepost.internal/devstack/internal/project"
)

// exitError carries an exit status through cobra. Its error may be nil.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// Main runs the command line and returns the exit status.
func Main(ctx context.Context, args []string) int {
	root := newRoot() //nolint:contextcheck // cobra passes the context to each command
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var exit exitError
	if !errors.As(err, &exit) {
		exit = exitError{code: 1, err: err}
	}
	if exit.err != nil {
		fmt.Fprintln(os.Stderr, "devstack: "+exit.err.Error())
	}
	return exit.code
}

// options holds the flags that several commands share.
type options struct {
	root, run, bin string
	portBase       int
}

func newRoot() *cobra.Command {
	var opts options
	root := &cobra.Command{
		Use:   "devstack",
		Short: "PostgreSQL, MinIO, Temporal and all services on one machine, without a container engine",
		Long: "devstack runs what the services need on this machine: PostgreSQL, MinIO, and Temporal with its UI.\n\n" +
			"  run    everything, to work with; data in .run survives\n" +
			"  admin  the operator's command line, on the running stack\n" +
			"  exec   the infrastructure alone, on free ports, for one command, such as go test\n\n" +
			devenv.PortHelp() + "\n" + control.Usage,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&opts.root, "root", "", "the checkout (default: found from the working folder)")
	flags.StringVar(&opts.run, "run-dir", "", "folder of the local stack's data (default: .run in the checkout)")
	flags.StringVar(&opts.bin, "bin-dir", "", "folder of the built programs (default: .bin in the checkout)")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRun(&opts), newStop(&opts), newReset(&opts), newExec(&opts), newAdmin(&opts), newTemporalServer())
	return root
}

func (o *options) folders() (project.Folders, error) {
	var starts []string
	if working, err := os.Getwd(); err == nil {
		starts = append(starts, working)
	}
	if program, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(program))
	}
	return project.Locate(o.root, o.run, o.bin, starts...)
}

func (o *options) layout() (ports.Layout, error) {
	if o.portBase == 0 {
		return ports.Default(), nil
	}
	return ports.At(o.portBase)
}

// program returns the path of the running devstack. It also works if a new build has replaced the file since the start.
func program() (string, error) {
	const running = "/proc/self/exe"
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find devstack itself: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return running, nil //nolint:nilerr // the kernel still has the file
	}
	return path, nil
}
