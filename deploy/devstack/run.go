package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
	"fencepost.internal/devstack/internal/stack"
)

func newRun(folders *stack.Folders) *cobra.Command {
	var portBase int
	command := &cobra.Command{
		Use:   "run",
		Short: "start the infrastructure and all services, and keep them running until Ctrl-C",
		Long: "run starts the infrastructure, brings the database up to date and seeds it, starts the media files, the " +
			"sandbox network, the worker and the API, and writes .run/dev.json with every address and key.\n\n" +
			"A service that crashes is started again after 0.5 s, then 1 s, and so on up to 15 s. Data and generated " +
			"secrets stay in .run.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			layout := process.Default()
			if portBase != 0 {
				var err error
				if layout, err = process.At(portBase); err != nil {
					return err
				}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			// After the first signal, a second one ends devstack at once, and the kernel ends its children.
			context.AfterFunc(ctx, stop)
			// NO_COLOR: see no-color.org.
			color := os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd()))
			return stack.Run(ctx, stack.RunConfig{
				Folders: *folders, Ports: layout, Environ: os.Environ(), Terminal: stack.NewTerminal(os.Stdout, color),
			})
		},
	}
	command.Flags().IntVar(&portBase, "port-base", 0, "first port of the block to use instead of the default ports")
	return command
}

func newStop(folders *stack.Folders) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "stop a running stack and wait until it has stopped",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := stop(cmd, folders.Run)
			if errors.Is(err, stack.ErrNotRunning) {
				cmd.Println("nothing to stop")
				return nil
			}
			return err
		},
	}
}

// stop stops the stack of a folder. It returns stack.ErrNotRunning if there is none.
func stop(cmd *cobra.Command, folder string) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), 90*time.Second)
	defer cancel()
	err := stack.Stop(ctx, folder)
	if err == nil {
		cmd.Println("stopped")
	}
	return err
}

func newReset(folders *stack.Folders) *cobra.Command {
	var yes bool
	command := &cobra.Command{
		Use:   "reset",
		Short: "stop the stack and delete its data, keys and logs (.run)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return reset(cmd, folders.Run, yes) },
	}
	command.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return command
}

func reset(cmd *cobra.Command, folder string, yes bool) error {
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		cmd.Println("nothing to delete")
		return nil
	}
	if _, err := os.Stat(filepath.Join(folder, stack.LockName)); err != nil {
		return fmt.Errorf("%s is not the folder of a stack: nothing was deleted", folder)
	}
	if !yes && !confirm(cmd, "Delete the database, media, keys and logs in "+folder+"? [y/N] ") {
		return errors.New(
			"not confirmed: nothing was deleted (without a question: make reset YES=1, or devstack reset --yes)")
	}
	if err := stop(cmd, folder); err != nil && !errors.Is(err, stack.ErrNotRunning) {
		return err
	}
	if err := servers.RemovePostgres(servers.PostgresFolder(folder)); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("delete the data: %w", err)
	}
	cmd.Println("deleted " + folder)
	return nil
}

// confirm prompts on the terminal and reports whether the input is y or yes. The end of the input counts as no.
func confirm(cmd *cobra.Command, question string) bool {
	cmd.Print(question)
	line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil {
		cmd.Println()
	}
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
}
