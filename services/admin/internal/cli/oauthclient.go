package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/oauth"
)

// clientRecord is an OAuth client in JSON. Only the outputs of add and rotate-secret contain its secret.
type clientRecord struct {
	ClientID     string              `json:"clientId"`
	ClientSecret string              `json:"clientSecret,omitempty"`
	Name         string              `json:"name"`
	Kind         oauth.ClientKind    `json:"kind"`
	Type         operator.ClientType `json:"type"`
	AuthMethod   oauth.AuthMethod    `json:"authMethod"`
	RedirectURIs []string            `json:"redirectUris"`
	Scopes       []credential.Scope  `json:"scopes"` // the scopes that it may request
	Grants       *int                `json:"grants,omitempty"`
	CreatedAt    string              `json:"createdAt"`
	ExpiresAt    *string             `json:"expiresAt"`
}

func toClientRecord(c oauth.Client) clientRecord {
	return clientRecord{
		ClientID: c.ID, Name: c.Name, Kind: c.Kind, Type: operator.TypeOf(c), AuthMethod: c.AuthMethod,
		RedirectURIs: c.RedirectURIs, Scopes: mayAsk(c),
		CreatedAt: event.FormatTime(c.CreatedAt), ExpiresAt: atJSON(c.ExpiresAt),
	}
}

// mayAsk returns the scopes that a client may request.
func mayAsk(c oauth.Client) []credential.Scope {
	if c.Scopes == nil {
		return credential.Scopes()
	}
	return c.Scopes
}

func (a *app) oauthClients() *cobra.Command {
	return group("oauth-client", "Manage programs that act for users",
		`An OAuth client is a program that acts for users with their consent. Most clients register themselves. Create a client here if
the consent page should show it as a program of this service, or if it needs a secret and does not register itself.`,
		a.oauthClientAdd(), a.oauthClientList(), a.oauthClientShow(), a.oauthClientRotate(), a.oauthClientRemove())
}

const oauthClientAddLong = `add creates an OAuth client and prints its id and, for a confidential client, its secret. The secret is shown once: the service
stores only its hash.

A confidential client runs on a server and can keep a secret; a public client runs in a browser, on a phone or on a desktop.
Both use PKCE. Redirect URIs must match exactly, except for the port of a loopback URI.

The scopes that a client can request, all by default:
`

func (a *app) oauthClientAdd() *cobra.Command {
	var in operator.NewClient
	cmd := &cobra.Command{
		Use: "add", Short: "Create an OAuth client and print its secret, once",
		Long: oauthClientAddLong + indented(credential.Scopes()),
		Example: `  admin oauth-client add --name "Acme Planner" --redirect-uri https://planner.example.com/callback
  admin oauth-client add --name "Acme CLI" --type public --redirect-uri http://127.0.0.1/callback --redirect-uri "http://[::1]/callback"
  admin oauth-client add --name "Dashboard" --redirect-uri https://dash.example.com/cb --scopes channels:read,analytics:read

# write the secret to a file that only you can read
  (umask 077; admin oauth-client add --name "CI" --redirect-uri https://ci.example.com/cb --json > client.json)`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			c, secret, err := op.AddClient(ctx, in)
			if err != nil {
				return err
			}
			record := toClientRecord(c)
			record.ClientSecret = secret
			return a.show(record, func() error { return a.clientAdded(c, secret) })
		}),
	}
	flags := ordered(cmd)
	flags.StringVar(&in.Name, operator.MemberName, "", "`NAME` on the consent page, 1 to 80 characters (required)")
	flags.StringArrayVar(&in.RedirectURIs, operator.MemberRedirectURI, nil, "redirect `URI`; can be repeated (required)")
	flags.StringVar(&in.Type, operator.MemberType, string(operator.Confidential), "`TYPE`: "+join(operator.ClientTypes()))
	flags.StringVar(&in.AuthMethod, operator.MemberAuthMethod, "",
		"authentication `METHOD`: "+join(operator.SecretMethods())+" (default the first)")
	flags.StringVar(&in.Scopes, operator.MemberScopes, operator.ScopesAll,
		"`SCOPES` that it can request, separated by commas; or default, or all")
	complete(cmd, operator.MemberType, operator.ClientTypes())
	complete(cmd, operator.MemberAuthMethod, operator.SecretMethods())
	complete(cmd, operator.MemberScopes, append(credential.Scopes(), operator.ScopesDefault, operator.ScopesAll))
	return cmd
}

func (a *app) clientAdded(c oauth.Client, secret string) error {
	var err error
	if secret == "" {
		err = a.print("OAuth client created. It is public and needs only its id.\n\n    %s\n\n", c.ID)
	} else {
		err = a.print("OAuth client created. Store the secret now: it cannot be shown again.\n\n    %s\n    %s\n\n", c.ID,
			secret)
	}
	if err != nil {
		return err
	}
	return a.clientTable(c)
}

func (a *app) clientTable(c oauth.Client, more ...[]string) error {
	rows := [][]string{
		{"Client id", c.ID}, {"Name", c.Name}, {"Type", string(operator.TypeOf(c))}, {"Auth method", string(c.AuthMethod)},
	}
	for _, uri := range c.RedirectURIs {
		rows = append(rows, []string{"Redirect URI", uri})
	}
	return a.table(append(append(rows, []string{"May ask for", join(mayAsk(c))}), more...))
}

func (a *app) oauthClientList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the OAuth clients that operators created, oldest first",
		Long:    "list prints the clients that operators created. It omits clients that registered themselves.",
		Example: "  admin oauth-client list", Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			found, err := op.Clients(ctx)
			if err != nil {
				return err
			}
			return a.show(convert(found, toClientRecord), func() error {
				rows := convert(found, func(c oauth.Client) []string {
					return []string{c.ID, c.Name, string(operator.TypeOf(c)), c.Host(), at(c.CreatedAt, "")}
				})
				return a.list([]string{"CLIENT ID", "NAME", "TYPE", "LEADS TO", "CREATED"}, rows,
					"There are no OAuth clients. Create one with: admin oauth-client add")
			})
		}),
	}
}

func (a *app) oauthClientShow() *cobra.Command {
	return &cobra.Command{
		Use: "show CLIENT_ID", Short: "Show an OAuth client and the number of its grants",
		Long: `show prints a client of any origin: created here (FIRST_PARTY), registered by itself (REGISTERED), or described by a document at
the URL that is its id (PUBLISHED).`,
		Example: "  admin oauth-client show CLIENT_ID\n  admin oauth-client show https://agent.example.com/client.json",
		Args:    exactly(operator.MemberClientID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			c, grants, err := op.Client(ctx, args[0])
			if err != nil {
				return err
			}
			record := toClientRecord(c)
			record.Grants = &grants
			return a.show(record, func() error {
				return a.clientTable(c, []string{"Kind", string(c.Kind)}, []string{"Grants in use", strconv.Itoa(grants)},
					[]string{"Created", at(c.CreatedAt, "")}, []string{"Expires", at(c.ExpiresAt, operator.Never)})
			})
		}),
	}
}

func (a *app) oauthClientRotate() *cobra.Command {
	return &cobra.Command{
		Use: "rotate-secret CLIENT_ID", Short: "Replace the secret of a confidential OAuth client and print it, once",
		Long: "rotate-secret replaces the secret of a client. The previous secret is rejected at once; grants " +
			"remain valid.",
		Example: "  admin oauth-client rotate-secret CLIENT_ID", Args: exactly(operator.MemberClientID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			c, secret, err := op.RotateClientSecret(ctx, args[0])
			if err != nil {
				return err
			}
			record := toClientRecord(c)
			record.ClientSecret = secret
			return a.show(record, func() error {
				return a.print(
					"The secret of %s (%s), which is not shown again:\n\n    %s\n\nThe previous secret is no longer accepted.\n",
					c.ID, c.Name, secret)
			})
		}),
	}
}

func (a *app) oauthClientRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove CLIENT_ID", Short: "Delete an OAuth client and revoke its grants",
		Long: `remove deletes a client of any origin and revokes its grants permanently. Its tokens are rejected within a second. A client that
registers itself can register again, and needs the consent of each user again.`,
		Example: "  admin oauth-client remove CLIENT_ID", Args: exactly(operator.MemberClientID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			c, grants, err := op.RemoveClient(ctx, args[0])
			if err != nil {
				return err
			}
			record := toClientRecord(c)
			record.Grants = &grants
			return a.show(record, func() error {
				return a.print("OAuth client %s (%s) is deleted. Grants revoked: %d.\n", c.ID, c.Title(), grants)
			})
		}),
	}
}
