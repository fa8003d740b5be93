package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
)

func (a *app) applications() *cobra.Command {
	return group("application", "Store the ids and secrets of applications that are registered at networks",
		"The programs read them within 15 seconds. An environment variable of the same name overrides a stored value.",
		a.applicationSet(), a.applicationList())
}

func (a *app) applicationSet() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "set VARIABLE",
		Short: "Store, or delete, the id or the secret of an application",
		Long:  `set stores the value of a variable encrypted. Without --value-file, it deletes the stored value.`,
		Example: `  admin application set X_CLIENT_ID --value-file id.txt
  admin application set X_CLIENT_SECRET --value-file - <secret.txt`,
		Args: exactly(operator.MemberVariable),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			value, err := a.secret(operator.MemberValueFile, file)
			if err != nil {
				return err
			}
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				if err := op.SetApplication(ctx, args[0], value); err != nil {
					return err
				}
				return a.show(applicationRecord{args[0], value != ""}, func() error {
					if value == "" {
						return a.print("%s is no longer stored.\n", args[0])
					}
					return a.print("%s is stored.\n", args[0])
				})
			})
		}),
	}
	ordered(cmd).StringVar(&file, operator.MemberValueFile, "", "`FILE` with the value; - reads standard input")
	_ = cmd.MarkFlagFilename(operator.MemberValueFile) // fails only for an undefined flag
	return cmd
}

// applicationRecord is a variable in JSON.
type applicationRecord struct {
	Variable string `json:"variable"`
	IsStored bool   `json:"isStored"`
}

func (a *app) applicationList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the variables of applications, and which of them are stored",
		Example: `  admin application list`,
		Args:    cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			found, err := op.Applications(ctx)
			if err != nil {
				return err
			}
			records := convert(found, func(one operator.Application) applicationRecord {
				return applicationRecord{one.Variable, one.IsStored}
			})
			return a.show(records, func() error {
				return a.list([]string{"VARIABLE", "STORED"}, convert(records, func(r applicationRecord) []string {
					stored := "no"
					if r.IsStored {
						stored = "yes"
					}
					return []string{r.Variable, stored}
				}), "")
			})
		}),
	}
}
