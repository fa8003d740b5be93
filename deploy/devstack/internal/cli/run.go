package cli

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fencepost.internal/devstack/internal/console"
	"fencepost.internal/devstack/internal/infra"
	"fencepost.internal/devstack/internal/postgres"
	"fencepost.internal/devstack/internal/project"
	"fencepost.internal/devstack/internal/run"
	"fencepost.internal/devstack/internal/runlock"
	"fencepost.internal/devstack/internal/unit"
)

// probeTimeout bounds one request to a service's /readyz.
const probeTimeout = 2 * time.Second

func newRun(opts *options) *cobra.Command {
	command := &cobra.Command{
		Use:   "run",
		Short: "start the infrastructure and all services, and keep them running until Ctrl-C",
		Long: "run starts the infrastructure, brings the database up to date and seeds it, starts the media files, the " +
			"sandbox " +
			"network, the worker and the API, and writes .run/dev.json with every address and key.\n\nA service that " +
			"crashes is " +
			"started again after 0.5 s, then 1 s, and so on up to 15 s. Data and generated secrets stay in .run.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			folders, err := opts.folders()
			if err != nil {
				return err
			}
			layout, err := opts.layout()
			if err != nil {
				return err
			}
			self, err := program()
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			go func() {
				<-ctx.Done()
				stop() // from here on, a second signal ends devstack at once, and the kernel ends its children
			}()
			return run.Run(ctx, run.Config{
				Folders: folders, Ports: layout, Program: self, Environ: os.Environ(),
				Console: console.New(os.Stdout, wantColour(os.Stdout)), Clock: unit.SystemClock{},
				HTTPClient: &http.Client{Timeout: probeTimeout},
			})
		},
	}
	command.Flags().IntVar(&opts.portBase, "port-base", 0, "first port of the block to use instead of the default ports")
	return command
}

// wantColour reports whether to use colors: NO_COLOR is not set and the output is a terminal.
func wantColour(out *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(out.Fd()))
}

func newStop(opts *options) *cobra.Command {
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "stop",
		Short: "stop a running stack and wait until it has stopped",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			folders, err := opts.folders()
			if err != nil {
				return err
			}
			stopped, err := stopRunning(cmd, folders, timeout)
			if err == nil && !stopped {
				cmd.Println("nothing to stop")
			}
			return err
		},
	}
	const enough = 90 * time.Second
	command.Flags().DurationVar(&timeout, "timeout", enough, "how long to wait")
	return command
}

func stopRunning(cmd *cobra.Command, folders project.Folders, timeout time.Duration) (bool, error) {
	ctx, cancel := contextWithTimeout(cmd, timeout)
	defer cancel()
	err := runlock.Stop(ctx, folders.Run)
	if errors.Is(err, runlock.ErrNotRunning) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	cmd.Println("stopped")
	return true, nil
}

func newReset(opts *options) *cobra.Command {
	var yes bool
	command := &cobra.Command{
		Use:   "reset",
		Short: "stop the stack and delete its data, keys and logs (.run)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			folders, err := opts.folders()
			if err != nil {
				return err
			}
			return reset(cmd, folders, yes)
		},
	}
	command.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return command
}

var (
	errNotConfirmed = errors.New(
		"not confirmed: nothing was deleted (without a question: make reset YES=1, or devstack reset --yes)")
	errNotOurs = errors.New("not the folder of a stack: nothing was deleted")
)

func reset(cmd *cobra.Command, folders project.Folders, yes bool) error {
	const enough = 90 * time.Second
	if _, err := os.Stat(folders.Run); errors.Is(err, os.ErrNotExist) {
		cmd.Println("nothing to delete")
		return nil
	}
	if _, err := os.Stat(folders.Run + "/" + runlock.FileName); err != nil {
		return fmt.Errorf("%s is %w", folders.Run, errNotOurs)
	}
	if !yes && !confirm(cmd, "Delete the database, media, keys and logs in "+folders.Run+"? [y/N] ") {
		return errNotConfirmed
	}
	if _, err := stopRunning(cmd, folders, enough); err != nil {
		return err
	}
	if err := postgres.Remove(infra.PostgresFolder(folders.Run)); err != nil {
		return err
	}
	if err := os.RemoveAll(folders.Run); err != nil {
		return fmt.Errorf("delete the data: %w", err)
	}
	cmd.Println("deleted " + folders.Run)
	return nil
}
