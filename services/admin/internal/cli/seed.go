package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/services/admin/internal/seed"
)

const seedLong = `seed creates two workspaces with sample data and prints their keys:

  Acme Studio     plan GROWTH; one channel of every type, with a posting schedule if the type supports publishing;
                  an idea board with cards; a link page with a block of every type
  Corner Bakery   plan FREE; one TELEGRAM_CHANNEL; a small link page

One user of the application is a member of both. Each workspace has a key with every scope and a key that can only read
channels. The publishing channels work if api and worker use the sandbox network; a channel's user name is the name of
its account there.

With --state the seed runs once: the file stores the result, and later calls print it as long as the database has these
workspaces. For a new database the seed runs again. Without --state every call creates new workspaces.

Use it for development only: the output and the file contain usable keys.`

func (a *app) seed() *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:     "seed",
		Short:   "Create two workspaces with keys and channels, for development",
		Long:    seedLong,
		GroupID: groupOther,
		Example: `  admin seed

  # once; later calls print the same result
  admin seed --state .run/seed.json

# the first key, for requests to the API
  admin seed --state .run/seed.json --json | jq -r '.workspaces[0].apiKey'`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			created, fresh, err := seed.Run(ctx, op, state)
			if err != nil {
				return err
			}
			return a.show(created, func() error { return a.seedText(created, fresh, state) })
		}),
	}
	cmd.Flags().StringVar(&state, "state", "", "`FILE` that stores the result, readable by its owner only (mode 0600)")
	_ = cmd.MarkFlagFilename("state") // fails only for an undefined flag
	return cmd
}

func (a *app) seedText(created seed.Seed, fresh bool, state string) error {
	head := "Created two workspaces. Their keys are shown once."
	switch {
	case !fresh:
		head = "The two workspaces already exist; " + state + " has their keys."
	case state != "":
		head = "Created two workspaces; " + state + " has their keys."
	}
	if err := a.print("%s\n", head); err != nil {
		return err
	}
	for _, w := range created.Workspaces {
		if err := a.seedWorkspace(w); err != nil {
			return err
		}
	}
	return a.print("\nTo sign in to the application: %s, password %s\n", created.User.Email, created.User.Password)
}

func (a *app) seedWorkspace(w seed.Workspace) error {
	if err := a.print("\n%s (plan %s)\n", w.Name, w.Plan); err != nil {
		return err
	}
	rows := [][]string{
		{"  workspace", w.ID},
		{"  key, every scope", w.APIKey},
		{"  key, read only", w.ReadOnlyAPIKey},
	}
	for _, c := range w.Channels {
		rows = append(rows, []string{"  " + c.Type, c.ID, c.Name})
	}
	return a.table(rows)
}
