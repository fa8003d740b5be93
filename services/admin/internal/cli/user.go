package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/ident"
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

// memberRecord is a member of a workspace in JSON.
type memberRecord struct {
	ID         ident.User  `json:"id"`
	Email      string      `json:"email"`
	Name       string      `json:"name"`
	Role       member.Role `json:"role"`
	DisabledAt *string     `json:"disabledAt"`
	JoinedAt   string      `json:"joinedAt"`
}

func toMemberRecord(m member.Member) memberRecord {
	return memberRecord{
		ID: m.UserID, Email: string(m.Email), Name: m.Name, Role: m.Role, DisabledAt: atJSON(m.DisabledAt),
		JoinedAt: event.FormatTime(m.JoinedAt),
	}
}

func toUserRecord(u user.User) userRecord {
	return userRecord{
		ID: u.ID, Email: string(u.Email), Name: u.Name, DisabledAt: atJSON(u.DisabledAt), CreatedAt: event.FormatTime(u.CreatedAt),
	}
}

func (a *app) users() *cobra.Command {
	return group("user", "Manage the users of the application",
		`A user signs in to the application with an email address and a password, and is a member of workspaces. In the application,
users decide which programs can act for them.`,
		a.userAdd(), a.userList(), a.userPassword(), a.userOperator(), a.userResetSecondFactor(), a.userRemove())
}

func (a *app) userAdd() *cobra.Command {
	var in operator.NewUser
	var file string
	cmd := &cobra.Command{
		Use: "add", Short: "Add a user to a workspace",
		Long: `add creates a user and adds the user to the workspace. Without --password-file it generates a password and prints it once: the
service stores only its hash. An existing user is added to the workspace and keeps name and password.`,
		Example: `  admin user add --workspace WORKSPACE_ID --email mara@example.com --name "Mara Lindqvist"

  pass show social/mara | admin user add --workspace WORKSPACE_ID --email mara@example.com --name Mara --password-file -`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			var err error
			if in.Password, err = a.secret(flagPassword, file); err != nil {
				return err
			}
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				u, created, err := op.AddUser(ctx, in)
				if err != nil {
					return err
				}
				record := toUserRecord(u)
				record.Password = created
				return a.show(record, func() error {
					if created == "" {
						return a.print("%s can sign in and is a member of the workspace.\n", u.Email)
					}
					return a.print(
						"%s can sign in and is a member of the workspace. The password, which is not shown again:\n\n  %s\n", u.Email,
						created)
				})
			})
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &in.Workspace)
	flags.StringVar(&in.Email, "email", "", "email `ADDRESS` of the user (required)")
	flags.StringVar(&in.Name, operator.MemberName, "", "`NAME` of the user (required for a new user)")
	flags.StringVar(&in.Role, operator.MemberRole, "owner",
		"`ROLE` of the user in the workspace: owner, admin, editor, contributor or viewer")
	flags.StringVar(&file, flagPassword, "",
		"`FILE` with the password; - reads standard input; without it a password is generated")
	return cmd
}

func (a *app) userList() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: "list", Short: "List the members of a workspace",
		Long:    "list prints the members of a workspace, by email address.",
		Example: "  admin user list --workspace WORKSPACE_ID", Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			members, err := op.Users(ctx, workspaceID)
			if err != nil {
				return err
			}
			return a.show(convert(members, toMemberRecord), func() error {
				rows := convert(members, func(m member.Member) []string {
					return []string{string(m.Email), m.Name, string(m.Role), at(m.DisabledAt, "no"), at(m.JoinedAt, "")}
				})
				return a.list([]string{"E-MAIL", "NAME", "ROLE", "DISABLED", "JOINED"}, rows,
					"The workspace has no members. Add one with: admin user add")
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}

func (a *app) userPassword() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "password EMAIL", Short: "Set the password of a user",
		Long: `password sets the password of a user and ends all their sessions. Without --password-file it generates a password and prints it
once.`,
		Example: "  admin user password mara@example.com", Args: exactly("EMAIL"),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			given, err := a.secret(flagPassword, file)
			if err != nil {
				return err
			}
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				created, err := op.SetPassword(ctx, args[0], given)
				if err != nil {
					return err
				}
				return a.show(map[string]string{"email": args[0], "password": created}, func() error {
					if created == "" {
						return a.print("The password of %s is changed.\n", args[0])
					}
					return a.print("The password of %s, which is not shown again:\n\n  %s\n", args[0], created)
				})
			})
		}),
	}
	ordered(cmd).StringVar(&file, flagPassword, "",
		"`FILE` with the password; - reads standard input; without it a password is generated")
	return cmd
}

func (a *app) userOperator() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use: "operator EMAIL", Short: "Make a user an operator of the installation",
		Long: `operator makes a user an operator of the installation. In the application, operators who connect channels also enter the ids and
secrets of the applications that are registered at networks. The first owner of an installation is an operator.`,
		Example: `  admin user operator mara@example.com

  admin user operator --remove mara@example.com`,
		Args: exactly("EMAIL"),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			changed, err := op.SetOperator(ctx, args[0], !remove)
			if err != nil {
				return err
			}
			return a.show(map[string]any{"email": args[0], "operator": !remove, "changed": changed}, func() error {
				if remove {
					return a.print("%s is not an operator of the installation.\n", args[0])
				}
				return a.print("%s is an operator of the installation.\n", args[0])
			})
		}),
	}
	ordered(cmd).BoolVar(&remove, "remove", false, "end the rights of an operator")
	return cmd
}

func (a *app) userRemove() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: "remove EMAIL", Short: "Remove a user from a workspace",
		Long:    "remove ends a membership and revokes the grants that the user made in the workspace.",
		Example: "  admin user remove --workspace WORKSPACE_ID mara@example.com", Args: exactly("EMAIL"),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			removed, err := op.RemoveUser(ctx, workspaceID, args[0])
			if err != nil {
				return err
			}
			return a.show(map[string]any{"email": args[0], "removed": removed}, func() error {
				if !removed {
					return a.print("%s was not a member of the workspace.\n", args[0])
				}
				return a.print("%s is no longer a member of the workspace.\n", args[0])
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}
