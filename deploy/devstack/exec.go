package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"fencepost.internal/devstack/internal/stack"
)

const execHelp = `exec starts PostgreSQL, MinIO and Temporal with its UI on free ports in a temporary folder, runs the command, stops
them and removes the folder. The exit status is that of the command, or 125 if devstack itself failed.

The command's environment gets:
  TEST_DATABASE_URL        superuser on the maintenance database; may CREATE DATABASE … TEMPLATE …
  TEST_TEMPORAL_ADDRESS    host:port of Temporal, with the namespace "default"
  TEST_TEMPORAL_UI_URL     Temporal's web UI
  TEST_S3_ENDPOINT         URL of MinIO, region us-east-1, with TEST_S3_ACCESS_KEY and TEST_S3_SECRET_KEY
  DEVSTACK_CONTROL         URL of the control API, see: devstack help`

func newExec(folders *stack.Folders) *cobra.Command {
	var cfg stack.ExecConfig
	command := &cobra.Command{
		Use:     "exec [flags] -- command [arguments]",
		Short:   "run a command with the infrastructure, for tests",
		Long:    execHelp,
		Example: "  devstack exec --fast -- go test ./...",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := exec.LookPath(args[0])
			if err != nil && !errors.Is(err, exec.ErrDot) {
				return fmt.Errorf("find the command: %w", err)
			}
			cfg.Folders = *folders
			cfg.Environ, cfg.Command = os.Environ(), append([]string{path}, args[1:]...)
			code, err := stack.Exec(cmd.Context(), cfg)
			if err == nil && code == 0 {
				return nil
			}
			return exitError{code: code, err: err}
		},
	}
	flags := command.Flags()
	flags.SetInterspersed(false) // arguments after the command's name belong to the command
	flags.BoolVar(&cfg.Fast, "fast", false,
		"PostgreSQL does not wait for the disk: safe against kill, not against a power cut")
	flags.StringVar(&cfg.Folder, "dir", "", "keep the data in this folder and use what is there")
	flags.BoolVar(&cfg.KeepLogs, "keep-logs", false, "when the command fails, keep the logs and say where they are")
	return command
}
