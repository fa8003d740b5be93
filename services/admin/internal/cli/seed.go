package cli

import (
	"context"

	"github.com/spf13/cobra"

	"socialpub.internal/services/admin/internal/operator"
	"socialpub.internal/services/admin/internal/seed"
)

const seedLong = `seed makes two workspaces to try the service with, and prints the texts of their keys:

  Acme Studio     plan GROWTH; one channel of every type, those that can be published to with a posting schedule;
                  an idea board with cards; a link page with a block of every type
  Corner Bakery   plan FREE; one TELEGRAM_CHANNEL; a small link page

A user signs in to the application and works in both. Each workspace has a key with every scope and one that may only
read channels. The publishing channels work where api and worker were pointed at the sandbox network; a channel's user
name is the name of its account there.

With --state the seed is made once: the file keeps what was made, and as long as the database still has it, the same is
printed again. When the database was made anew, so is the seed. Without --state every call makes new workspaces.

It is meant for development: whoever reads the output or the file can use the keys.`

func (a *app) seed() *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:     "seed",
		Short:   "Make two workspaces with keys and channels, for development",
		Long:    seedLong,
		GroupID: groupOther,
		Example: `  admin seed

  # once, whenever it is called
  admin seed --state .run/seed.json

  # the first key, to try the API with
  admin seed --state .run/seed.json --json | jq -r '.workspaces[0].apiKey'`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				made, fresh, err := seed.Run(ctx, op, state)
				if err != nil {
					return err
				}
				return a.show(made, func() error { return a.seedText(made, fresh, state) })
			})
		}),
	}
	cmd.Flags().StringVar(&state, "state", "", "`FILE` that keeps what was made, for its owner alone (mode 0600)")
	_ = cmd.MarkFlagFilename("state") // fails only for an undefined flag
	return cmd
}

func (a *app) seedText(made seed.Seed, fresh bool, state string) error {
	head := "Made two workspaces. Their keys are shown this once."
	switch {
	case !fresh:
		head = "These two workspaces are there already; " + state + " keeps their keys."
	case state != "":
		head = "Made two workspaces; " + state + " keeps their keys."
	}
	if err := a.print("%s\n", head); err != nil {
		return err
	}
	for _, w := range made.Workspaces {
		if err := a.seedWorkspace(w); err != nil {
			return err
		}
	}
	return a.print("\nTo sign in to the application: %s, password %s\n", made.User.Email, made.User.Password)
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
