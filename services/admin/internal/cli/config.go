package cli

import (
	"github.com/spf13/cobra"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
)

func (a *app) config() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Describe the environment variables of this program",
		Long: "config describes the environment variables that admin reads: their purpose, default and an example. It " +
			"does not print\nthe present values.",
		GroupID: groupOther,
		Example: "  admin config\n  admin config --json",
		Args:    cobra.NoArgs,
		RunE: a.run(func(*cobra.Command, []string) error {
			if a.json {
				return bootstrap.PrintConfig[config.Admin[connectors.Environment]](a.process.Out)
			}
			for _, v := range config.Describe[config.Admin[connectors.Environment]]() {
				if err := a.variable(v); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func (a *app) variable(v config.Variable) error {
	head := v.Name
	switch {
	case v.Required:
		head += "  (required)"
	case v.Default != "":
		head += "  (default: " + v.Default + ")"
	}
	return a.print("%s\n    %s\n    Example: %s\n", head, v.Description, v.Example)
}

// printConfig returns the command that prints the variables as JSON, under the name that every program of the service
// uses.
func (a *app) printConfig() *cobra.Command {
	return &cobra.Command{
		Use: "print-config", Short: "Print the environment variables as JSON", Hidden: true, Args: cobra.NoArgs,
		Example: "  admin print-config",
		RunE: a.run(func(*cobra.Command, []string) error {
			return bootstrap.PrintConfig[config.Admin[connectors.Environment]](a.process.Out)
		}),
	}
}
