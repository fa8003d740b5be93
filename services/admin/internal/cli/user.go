package cli

import (
	"context"

	"github.com/spf13/cobra"

	"socialpub.internal/services/admin/internal/operator"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/user"
	"socialpub.internal/shared/kernel/ident"
)

// flagPassword names the file with a password. The password itself is never a flag.
const flagPassword = "password-file"

// userRecord is a user in JSON. Only the output of the command that generated a password contains it.
type userRecord struct {
	ID         ident.User `json:"id"`
	Email      string     `json:"email"`
	Name       string     `json:"name"`
	Password   string     `json:"password,omitempty"`
	DisabledAt *string    `json:"disabledAt"`
	CreatedAt  string     `json:"createdAt"`
}

func toUserRecord(u user.User) userRecord {
	return userRecord{ID: u.ID, Email: u.Email, Name: u.Name, DisabledAt: atJSON(u.DisabledAt), CreatedAt: event.FormatTime(u.CreatedAt)}
}

func (a *app) users() *cobra.Command {
	return group("user", "Let people sign in to the application",
		`A user signs in to the application with an e-mail address and a password, and works in the workspaces that they are a
member of: above all they decide there what programs may do in their name.`,
		a.userAdd(), a.userList(), a.userPassword(), a.userRemove())
}

func (a *app) userAdd() *cobra.Command {
	var in operator.NewUser
	var file string
	cmd := &cobra.Command{
		Use: "add", Short: "Let a person sign in and work in a workspace",
		Long: `add lets a person sign in. Without --password-file a password is made and shown, this once: the service keeps a hash.
Somebody who signs in already becomes a member of one workspace more, and keeps name and password.`,
		Example: `  admin user add --workspace WORKSPACE_ID --email mara@example.com --name "Mara Lindqvist"

  pass show social/mara | admin user add --workspace WORKSPACE_ID --email mara@example.com --name Mara --password-file -`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			var err error
			if in.Password, err = a.secret(flagPassword, file); err != nil {
				return err
			}
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				u, made, err := op.AddUser(ctx, in)
				if err != nil {
					return err
				}
				record := toUserRecord(u)
				record.Password = made
				return a.show(record, func() error {
					if made == "" {
						return a.print("%s signs in and works in the workspace.\n", u.Email)
					}
					return a.print("%s signs in and works in the workspace. The password, which is not shown again:\n\n  %s\n", u.Email, made)
				})
			})
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &in.Workspace)
	flags.StringVar(&in.Email, "email", "", "e-mail `ADDRESS` to sign in with (required)")
	flags.StringVar(&in.Name, operator.MemberName, "", "`NAME` of the person (required for somebody new)")
	flags.StringVar(&file, flagPassword, "", "`FILE` with the password, or - for the standard input; without it one is made")
	return cmd
}

func (a *app) userList() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: "list", Short: "List who works in a workspace", Long: "list shows the members of a workspace, by e-mail address.",
		Example: "  admin user list --workspace WORKSPACE_ID", Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				members, err := op.Users(ctx, workspaceID)
				if err != nil {
					return err
				}
				return a.show(convert(members, toUserRecord), func() error {
					rows := convert(members, func(u user.User) []string {
						return []string{u.Email, u.Name, at(u.DisabledAt, "no"), at(u.CreatedAt, "")}
					})
					return a.list([]string{"E-MAIL", "NAME", "DISABLED", "CREATED"}, rows, "Nobody works in the workspace. Add somebody with: admin user add")
				})
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}

func (a *app) userPassword() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "password EMAIL", Short: "Give a user another password",
		Long: `password gives a user another password and signs them out everywhere. Without --password-file one is made and shown, this
once.`,
		Example: "  admin user password mara@example.com", Args: exactly("EMAIL"),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			given, err := a.secret(flagPassword, file)
			if err != nil {
				return err
			}
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				made, err := op.SetPassword(ctx, args[0], given)
				if err != nil {
					return err
				}
				return a.show(map[string]string{"email": args[0], "password": made}, func() error {
					if made == "" {
						return a.print("The password of %s is another one now.\n", args[0])
					}
					return a.print("The password of %s, which is not shown again:\n\n  %s\n", args[0], made)
				})
			})
		}),
	}
	ordered(cmd).StringVar(&file, flagPassword, "", "`FILE` with the password, or - for the standard input; without it one is made")
	return cmd
}

func (a *app) userRemove() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: "remove EMAIL", Short: "Take a user out of a workspace",
		Long:    "remove ends a membership. What the person allowed programs in the workspace ends with it.",
		Example: "  admin user remove --workspace WORKSPACE_ID mara@example.com", Args: exactly("EMAIL"),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				removed, err := op.RemoveUser(ctx, workspaceID, args[0])
				if err != nil {
					return err
				}
				return a.show(map[string]any{"email": args[0], "removed": removed}, func() error {
					if !removed {
						return a.print("%s was no member of the workspace.\n", args[0])
					}
					return a.print("%s is no member of the workspace any more.\n", args[0])
				})
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}
