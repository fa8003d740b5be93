package command

import (
	"fmt"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Out, "fencepost", fencepost.Version)
			return err
		},
	}
}
