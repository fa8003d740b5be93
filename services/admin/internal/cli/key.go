package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

// keyRecord is a key in JSON. Only the output of create contains the key's text.
type keyRecord struct {
	ID          ident.Credential   `json:"id"`
	WorkspaceID ident.Workspace    `json:"workspaceId"`
	Name        string             `json:"name"`
	Display     string             `json:"display"`
	APIKey      string             `json:"apiKey,omitempty"`
	Status      string             `json:"status"`
	Scopes      []credential.Scope `json:"scopes"`
	ExpiresAt   *string            `json:"expiresAt"`
	RevokedAt   *string            `json:"revokedAt"`
	LastUsedAt  *string            `json:"lastUsedAt"`
	CreatedAt   string             `json:"createdAt"`
}

func (a *app) toKeyRecord(k credential.Key) keyRecord {
	return keyRecord{
		ID: k.ID, WorkspaceID: k.WorkspaceID, Name: k.Name, Display: k.Display, Status: keyStatus(k, a.process.Clock.Now()),
		Scopes: k.Scopes, ExpiresAt: atJSON(k.ExpiresAt), RevokedAt: atJSON(k.RevokedAt), LastUsedAt: atJSON(k.LastUsedAt),
		CreatedAt: event.FormatTime(k.CreatedAt),
	}
}

// keyStatus returns ACTIVE, REVOKED or EXPIRED.
func keyStatus(k credential.Key, now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "REVOKED"
	case !k.Valid(now):
		return "EXPIRED"
	default:
		return "ACTIVE"
	}
}

func (a *app) keys() *cobra.Command {
	return group("key", "Create, list and revoke API keys",
		"An API key authenticates a program to the API. It belongs to one workspace and has scopes.",
		a.keyCreate(), a.keyList(), a.keyRevoke())
}

const keyCreateLong = `create creates an API key and prints it. The key is shown once: the service stores only its hash.

The word "default" means every scope except links:* and ideas:*, "all" means every scope; both can be used in a list.
The scopes:
`

func (a *app) keyCreate() *cobra.Command {
	var in operator.NewKey
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an API key and print it, once",
		Long:  keyCreateLong + indented(credential.Scopes()),
		Example: `  admin key create --workspace WORKSPACE_ID --name "Website" --expires 90d
  admin key create --workspace WORKSPACE_ID --name "Dashboard" --scopes channels:read,analytics:read
  admin key create --workspace WORKSPACE_ID --name "Link pages" --scopes default,links:read,links:write --expires 2027-06-30T00:00:00Z

# write the key to a file that only you can read
  (umask 077; admin key create --workspace WORKSPACE_ID --name "CI" --json | jq -r .apiKey > key.txt)`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			key, secret, err := op.CreateKey(ctx, in)
			if err != nil {
				return err
			}
			record := a.toKeyRecord(key)
			record.APIKey = secret
			return a.show(record, func() error { return a.keyCreated(key, secret) })
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &in.Workspace)
	flags.StringVar(&in.Name, operator.MemberName, "",
		"`NAME` that describes the purpose of the key, 1 to 200 characters (required)")
	flags.StringVar(&in.Scopes, operator.MemberScopes, operator.ScopesDefault,
		"`SCOPES`, separated by commas; or default, or all")
	flags.BoolVar(&in.Test, "test", false, "a key of the workspace's test workspace, whose channels reach no network")
	flags.StringVar(&in.Expires, operator.MemberExpires, operator.Never,
		"`WHEN`: 90d, a time such as 2027-06-30T00:00:00Z, or never")
	complete(cmd, operator.MemberScopes, append(credential.Scopes(), operator.ScopesDefault, operator.ScopesAll))
	return cmd
}

func (a *app) keyCreated(key credential.Key, secret string) error {
	if err := a.print("API key created. Store it now: it cannot be shown again.\n\n    %s\n\n", secret); err != nil {
		return err
	}
	return a.table([][]string{
		{"ID", key.ID.String()},
		{"Workspace", key.WorkspaceID.String()},
		{"Name", key.Name},
		{"Scopes", join(key.Scopes)},
		{"Expires", at(key.ExpiresAt, operator.Never)},
	})
}

func (a *app) keyList() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List a workspace's API keys, oldest first",
		Long:  "list prints the active, expired and revoked keys of a workspace, each with its first characters.",
		Example: `  admin key list --workspace WORKSPACE_ID

# keys that were never used
  admin key list --workspace WORKSPACE_ID --json | jq '.[] | select(.lastUsedAt == null)'`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			found, err := op.Keys(ctx, workspaceID)
			if err != nil {
				return err
			}
			return a.show(convert(found, a.toKeyRecord), func() error { return a.keyTable(found) })
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}

func (a *app) keyTable(keys []credential.Key) error {
	now := a.process.Clock.Now()
	rows := convert(keys, func(k credential.Key) []string {
		return []string{
			k.ID.String(), k.Name, k.Display + "…", keyStatus(k, now), at(k.ExpiresAt, operator.Never),
			at(k.LastUsedAt, operator.Never),
			strings.Join(convert(k.Scopes, func(s credential.Scope) string { return string(s) }), ","),
		}
	})
	return a.list([]string{"ID", "NAME", "KEY", "STATUS", "EXPIRES", "LAST USED", "SCOPES"}, rows,
		"The workspace has no keys. Create one with: admin key create")
}

func (a *app) keyRevoke() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use:   "revoke KEY_ID",
		Short: "Revoke an API key permanently",
		Long: "revoke revokes a key at once: the API rejects requests with it. This cannot be undone; create a new key " +
			"instead.",
		Example: `  admin key revoke --workspace WORKSPACE_ID KEY_ID`,
		Args:    exactly(operator.MemberKeyID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			key, changed, err := op.RevokeKey(ctx, workspaceID, args[0])
			if err != nil {
				return err
			}
			return a.show(a.toKeyRecord(key), func() error {
				if !changed {
					return a.print("Key %s (%s) was already revoked, at %s.\n", key.ID, key.Name, at(key.RevokedAt, ""))
				}
				return a.print("Key %s (%s) is revoked.\n", key.ID, key.Name)
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}
