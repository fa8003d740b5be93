package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
)

func (a *app) userResetSecondFactor() *cobra.Command {
	cmd := &cobra.Command{
		Use: "reset-second-factor EMAIL", Short: "Remove the second factor of a user",
		Long: `reset-second-factor removes the authenticator app, the passkeys and the recovery codes of a user who lost them, and ends all
their sessions. The user then signs in with the password. Make sure that the request comes from the user. The audit log of each
of the user's workspaces records it.`,
		Example: "  admin user reset-second-factor mara@example.com", Args: exactly("EMAIL"),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			removed, err := op.ResetSecondFactor(ctx, args[0])
			if err != nil {
				return err
			}
			return a.show(map[string]any{"email": args[0], "removed": removed}, func() error {
				if !removed {
					return a.print("%s has no second factor.\n", args[0])
				}
				return a.print("%s signs in with the password alone now.\n", args[0])
			})
		}),
	}
	ordered(cmd)
	return cmd
}
