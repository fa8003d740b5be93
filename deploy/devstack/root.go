package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
	"fencepost.internal/devstack/internal/stack"
)

// exitError carries an exit status through cobra. Its error may be nil.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return fmt.Sprintf("exit status %d: %v", e.code, e.err) }

// Main runs the command line and returns the exit status.
func Main(ctx context.Context, args []string) int {
	root := newRoot() //nolint:contextcheck // cobra passes the context to each command
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	exit := exitError{code: 1, err: err}
	if command.Name() == "exec" {
		exit.code = stack.FailedCode
	}
	errors.As(err, &exit)
	if exit.err != nil {
		fmt.Fprintln(os.Stderr, "devstack: "+exit.err.Error())
	}
	return exit.code
}

func newRoot() *cobra.Command {
	var folders stack.Folders
	root := &cobra.Command{
		Use:   "devstack",
		Short: "PostgreSQL, MinIO, Temporal and all services on one machine, without a container engine",
		Long: "devstack runs what the services need on this machine: PostgreSQL, MinIO, and Temporal with its UI.\n\n" +
			"  run    everything, to work with; data in .run survives\n" +
			"  admin  the operator's command line, on the running stack\n" +
			"  exec   the infrastructure alone, on free ports, for one command, such as go test\n\n" +
			process.Help() + "\n" + stack.ControlUsage,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Hidden {
				return nil // it runs anywhere
			}
			return locate(&folders)
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&folders.Root, "root", "", "the checkout (default: found from the working folder)")
	flags.StringVar(&folders.Run, "run-dir", "", "folder of the local stack's data (default: .run in the checkout)")
	flags.StringVar(&folders.Bin, "bin-dir", "", "folder of the built programs (default: .bin in the checkout)")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRun(&folders), newStop(&folders), newReset(&folders), newExec(&folders), newAdmin(&folders),
		newTemporalServer())
	return root
}

// locate completes the folders. The path of the running devstack also works if a new build has replaced the file since the
// start.
func locate(folders *stack.Folders) error {
	working, err := os.Getwd()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find devstack itself: %w", err)
	}
	*folders, err = Locate(*folders, working, filepath.Dir(program))
	folders.Program = program
	if _, err := os.Stat(program); err != nil {
		folders.Program = "/proc/self/exe" // the kernel still has the file
	}
	return err
}

func newAdmin(folders *stack.Folders) *cobra.Command {
	command := &cobra.Command{
		Use:   "admin [arguments]",
		Short: "run the operator's command line on the running stack",
		Long: "admin runs .bin/admin with the environment of the stack that make run started, so that it uses the stack's " +
			"database and the sandbox in place of every network.",
		Example: "  devstack admin workspace list",
		RunE: func(_ *cobra.Command, args []string) error {
			running, err := stack.Read(folders.Run)
			if err != nil {
				return err
			}
			path := filepath.Join(folders.Bin, stack.Admin)
			environ := append(os.Environ(), running.Environment...)
			err = syscall.Exec(path, append([]string{path}, args...), environ) //nolint:gosec // the stack's own program
			return fmt.Errorf("run %s: %w", path, err)
		},
	}
	command.Flags().SetInterspersed(false) // flags after the first argument belong to the command line
	return command
}

func newTemporalServer() *cobra.Command {
	return &cobra.Command{
		Use:    servers.TemporalCommand,
		Short:  "serve Temporal and its UI in this process (started by run and exec)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			port, _ := strconv.Atoi(os.Getenv("TEMPORAL_UI_PORT")) // the UI does not start without a port
			return servers.RunTemporal(ctx, port)
		},
	}
}
