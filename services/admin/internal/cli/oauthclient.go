package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"socialpub.internal/services/admin/internal/operator"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/oauth"
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
		ClientID: c.ID, Name: c.Name, Kind: c.Kind, Type: operator.TypeOf(c), AuthMethod: c.AuthMethod, RedirectURIs: c.RedirectURIs, Scopes: mayAsk(c),
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
	return group("oauth-client", "Make programs known that act for people",
		`An OAuth client is a program that acts for people who have allowed it to. Most make themselves known; here are made those that
people are told of as programs of this service, or that need a secret without registering themselves.`,
		a.oauthClientAdd(), a.oauthClientList(), a.oauthClientShow(), a.oauthClientRotate(), a.oauthClientRemove())
}

const oauthClientAddLong = `add makes an OAuth client and prints its id and, of a confidential one, its secret. That is the only time the secret is shown:
the service keeps a hash.

A confidential client runs on a server, where it can keep its secret; a public one runs in a browser, on a telephone or on a
desk. Both use PKCE. Redirect URIs are compared character by character; only the port of one on the person's own machine is free.

The scopes that it may ask for, all unless said otherwise:
`

func (a *app) oauthClientAdd() *cobra.Command {
	var in operator.NewClient
	cmd := &cobra.Command{
		Use: "add", Short: "Make an OAuth client and show its secret, once", Long: oauthClientAddLong + indented(credential.Scopes()),
		Example: `  admin oauth-client add --name "Acme Planner" --redirect-uri https://planner.example.com/callback
  admin oauth-client add --name "Acme CLI" --type public --redirect-uri http://127.0.0.1/callback --redirect-uri "http://[::1]/callback"
  admin oauth-client add --name "Dashboard" --redirect-uri https://dash.example.com/cb --scopes channels:read,analytics:read

  # the secret straight into a file that only you can read
  (umask 077; admin oauth-client add --name "CI" --redirect-uri https://ci.example.com/cb --json > client.json)`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				c, secret, err := op.AddClient(ctx, in)
				if err != nil {
					return err
				}
				record := toClientRecord(c)
				record.ClientSecret = secret
				return a.show(record, func() error { return a.clientAdded(c, secret) })
			})
		}),
	}
	flags := ordered(cmd)
	flags.StringVar(&in.Name, operator.MemberName, "", "`NAME` that people are shown when they are asked, 1 to 80 characters (required)")
	flags.StringArrayVar(&in.RedirectURIs, operator.MemberRedirectURI, nil, "`URI` to which people come back; can be given again (required)")
	flags.StringVar(&in.Type, operator.MemberType, string(operator.Confidential), "`TYPE`: "+join(operator.ClientTypes()))
	flags.StringVar(&in.AuthMethod, operator.MemberAuthMethod, "", "`METHOD` of sending the secret: "+join(operator.SecretMethods())+" (default the first)")
	flags.StringVar(&in.Scopes, operator.MemberScopes, operator.ScopesAll, "`SCOPES` that it may ask for, separated by commas; or default, or all")
	complete(cmd, operator.MemberType, operator.ClientTypes())
	complete(cmd, operator.MemberAuthMethod, operator.SecretMethods())
	complete(cmd, operator.MemberScopes, append(credential.Scopes(), operator.ScopesDefault, operator.ScopesAll))
	return cmd
}

func (a *app) clientAdded(c oauth.Client, secret string) error {
	var err error
	if secret == "" {
		err = a.print("OAuth client created. It is public: its id is all that it needs.\n\n    %s\n\n", c.ID)
	} else {
		err = a.print("OAuth client created. Store the secret now: it is shown this once and cannot be shown again.\n\n    %s\n    %s\n\n", c.ID, secret)
	}
	if err != nil {
		return err
	}
	return a.clientTable(c)
}

func (a *app) clientTable(c oauth.Client, more ...[]string) error {
	rows := [][]string{{"Client id", c.ID}, {"Name", c.Name}, {"Type", string(operator.TypeOf(c))}, {"Auth method", string(c.AuthMethod)}}
	for _, uri := range c.RedirectURIs {
		rows = append(rows, []string{"Redirect URI", uri})
	}
	return a.table(append(append(rows, []string{"May ask for", join(mayAsk(c))}), more...))
}

func (a *app) oauthClientList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the OAuth clients that were made here, oldest first",
		Long:    "list shows the clients that operators made, not those that made themselves known.",
		Example: "  admin oauth-client list", Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				found, err := op.Clients(ctx)
				if err != nil {
					return err
				}
				return a.show(convert(found, toClientRecord), func() error {
					rows := convert(found, func(c oauth.Client) []string {
						return []string{c.ID, c.Name, string(operator.TypeOf(c)), c.Host(), at(c.CreatedAt, "")}
					})
					return a.list([]string{"CLIENT ID", "NAME", "TYPE", "LEADS TO", "CREATED"}, rows, "No OAuth client was made yet. Make one with: admin oauth-client add")
				})
			})
		}),
	}
}

func (a *app) oauthClientShow() *cobra.Command {
	return &cobra.Command{
		Use: "show CLIENT_ID", Short: "Show an OAuth client, and how many people's access it has",
		Long: `show prints a client, however it became known: made here (FIRST_PARTY), registered by itself (REGISTERED), or described at the
address which is its id (PUBLISHED).`,
		Example: "  admin oauth-client show CLIENT_ID\n  admin oauth-client show https://agent.example.com/client.json", Args: exactly(operator.MemberClientID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
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
			})
		}),
	}
}

func (a *app) oauthClientRotate() *cobra.Command {
	return &cobra.Command{
		Use: "rotate-secret CLIENT_ID", Short: "Give a confidential OAuth client another secret, and show it, once",
		Long:    "rotate-secret gives a client another secret. The one before is refused at once; what people have allowed the client stays.",
		Example: "  admin oauth-client rotate-secret CLIENT_ID", Args: exactly(operator.MemberClientID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				c, secret, err := op.RotateClientSecret(ctx, args[0])
				if err != nil {
					return err
				}
				record := toClientRecord(c)
				record.ClientSecret = secret
				return a.show(record, func() error {
					return a.print("The secret of %s (%s), which is not shown again:\n\n    %s\n\nThe one before is refused from now on.\n", c.ID, c.Name, secret)
				})
			})
		}),
	}
}

func (a *app) oauthClientRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove CLIENT_ID", Short: "Forget an OAuth client and take all its access back",
		Long: `remove forgets a client, however it became known. Its tokens are refused within a second, and what people have allowed it is gone
for good. One that makes itself known can come back, and has to ask everybody again.`,
		Example: "  admin oauth-client remove CLIENT_ID", Args: exactly(operator.MemberClientID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				c, grants, err := op.RemoveClient(ctx, args[0])
				if err != nil {
					return err
				}
				record := toClientRecord(c)
				record.Grants = &grants
				return a.show(record, func() error {
					return a.print("OAuth client %s (%s) is forgotten. Access taken back: %d.\n", c.ID, c.Title(), grants)
				})
			})
		}),
	}
}
