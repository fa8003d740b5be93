// Package cli implements the command line of the admin program.
package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/clock"
)

// Process holds the environment, streams and clock of the process.
type Process struct {
	Environ map[string]string
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	Clock   clock.Clock
}

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the call was valid but failed
	exitUsage  = 2 // the call is invalid; nothing was changed
)

// app is one run of the program.
type app struct {
	process Process
	json    bool // --json
}

// Main runs the command line and returns its exit code: 0 for success, 1 for failure, 2 for an invalid call.
func Main(ctx context.Context, args []string, process Process) int {
	a := &app{process: process}
	root := a.root() //nolint:contextcheck // cobra passes the context to the commands
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	return a.fail(command, err)
}

const rootLong = `admin manages the records that the API cannot create: workspaces, users, API keys, OAuth clients, and connected accounts
(channels).

It uses the database directly and requires two environment variables:

  DATABASE_URL      the PostgreSQL connection URL
  ENCRYPTION_KEYS   the keys that encrypt the credentials of channels, the same as for api and worker

"admin config" describes all variables. Run the migrate program first.

Records are printed as tables, or as JSON with --json. Exit codes: 0 success, 1 failure, 2 usage error.`

const rootExample = `  # a tenant with a key and a channel
  admin workspace create --name "Acme Studio" --plan GROWTH --timezone Europe/Berlin
  admin key create --workspace WORKSPACE_ID --name "Website" --scopes default --expires 90d
  admin channel create --workspace WORKSPACE_ID --type TELEGRAM_CHANNEL --name "Acme News" \
    --username acme --external-id @acme --access-token-file bot-token.txt

  # sample data for development
  admin seed`

// Command groups in the help.
const (
	groupRecords = "records"
	groupOther   = "other"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "admin",
		Short:         "Manage workspaces, users, API keys, OAuth clients, channels and posts",
		Long:          rootLong,
		Example:       rootExample,
		Args:          onlyCommands,
		RunE:          help,
		Version:       telemetry.Build(), // of --version
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(a.process.In)
	root.SetOut(a.process.Out)
	root.SetErr(a.process.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON instead of tables")
	root.AddGroup(&cobra.Group{ID: groupRecords, Title: "Records:"},
		&cobra.Group{ID: groupOther, Title: "Other commands:"})
	// Commands with subcommands are runnable only to print their help, so the usage line omits them.
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "{{if .Runnable}}",
		"{{if and .Runnable (not .HasAvailableSubCommands)}}", 1))
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	root.AddCommand(a.workspaces(), a.applications(), a.users(), a.keys(), a.oauthClients(), a.channels(), a.posts(), a.insights(),
		a.linkPages(), a.secrets(), a.workers(), a.backups(), a.doctor(), a.seed(), a.config(), a.printConfig(), a.version())
	return root
}

// group returns a command that only contains subcommands.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, GroupID: groupRecords, Args: onlyCommands, RunE: help}
	c.AddCommand(commands...)
	return c
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version", GroupID: groupOther, Args: cobra.NoArgs,
		Example: "  admin version",
		RunE: a.run(func(*cobra.Command, []string) error {
			return a.print("%s\n", telemetry.Build())
		}),
	}
}
