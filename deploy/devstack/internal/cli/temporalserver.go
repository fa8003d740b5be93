package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/devstack/internal/temporal"
	"fencepost.internal/devstack/internal/temporalserver"
)

// retention is the retention period of closed workflows in Temporal.
const retention = 7 * 24 * time.Hour

func newTemporalServer() *cobra.Command {
	cfg := temporalserver.Config{Retention: retention}
	command := &cobra.Command{
		Use:   temporal.Subcommand,
		Short: "serve Temporal and its UI in this process (started by run and exec)",
		Long: "temporal-server serves Temporal and its UI on 127.0.0.1. The database password is taken from " +
			temporal.PasswordVariable + ".",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg.Password = os.Getenv(temporal.PasswordVariable)
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return temporalserver.Run(ctx, cfg)
		},
	}
	flags := command.Flags()
	flags.IntVar(&cfg.Port, "port", 0, "gRPC port")
	flags.IntVar(&cfg.UIPort, "ui-port", 0, "port of the web UI")
	flags.StringVar(&cfg.PostgresAddress, "postgres", "", "host:port of PostgreSQL")
	flags.StringVar(&cfg.User, "user", "", "database role")
	flags.StringVar(&cfg.Database, "database", "", "database of the workflows")
	flags.StringVar(&cfg.VisibilityDatabase, "visibility-database", "", "database of the workflow list")
	flags.StringVar(&cfg.DynamicConfig, "dynamic-config", "", "path of the dynamic configuration")
	flags.StringVar(&cfg.Namespace, "namespace", "", "namespace to register")
	flags.StringVar(&cfg.LogLevel, "log-level", "warn", "least severe level that is logged")
	return command
}
