package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"fencepost.internal/devstack/internal/devenv"
)

func newAdmin(opts *options) *cobra.Command {
	command := &cobra.Command{
		Use:   "admin [arguments]",
		Short: "run the operator's command line on the running stack",
		Long: "admin runs .bin/admin with the environment of the stack that make run started, so that it uses the stack's " +
			"database and the sandbox in place of every network.",
		Example: "  devstack admin workspace list",
		RunE: func(_ *cobra.Command, args []string) error {
			folders, err := opts.folders()
			if err != nil {
				return err
			}
			stack, err := devenv.Read(folders.Run)
			if err != nil {
				return err
			}
			path := filepath.Join(folders.Bin, devenv.Admin)
			environ := append(os.Environ(), stack.Environment...)
			if err := syscall.Exec(path, append([]string{path}, args...), environ); err != nil { //nolint:gosec // the stack's own program
				return fmt.Errorf("run %s: %w", path, err)
			}
			return nil
		},
	}
	command.Flags().SetInterspersed(false) // flags after the first argument belong to the command line
	return command
}
