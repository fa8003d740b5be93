package operator

import (
	"context"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/apperr"
)

// longestClientName is the maximum length, in characters, of a client name on the consent page.
const longestClientName = 80

// ClientType reports whether a client can keep a secret (OAuth 2.1, section 2.1).
type ClientType string

// Client types.
const (
	Confidential ClientType = "confidential" // runs on a server
	Public       ClientType = "public"       // runs on the user's device: in a browser, on a telephone, on a desktop
)

// ClientTypes lists the types.
func ClientTypes() []ClientType { return []ClientType{Confidential, Public} }

// TypeOf returns the type of a client.
func TypeOf(c oauth.Client) ClientType {
	if c.AuthMethod == oauth.AuthNone {
		return Public
	}
	return Confidential
}

// SecretMethods lists the authentication methods of confidential clients.
func SecretMethods() []oauth.AuthMethod { return []oauth.AuthMethod{oauth.AuthBasic, oauth.AuthPost} }

// NewClient holds the input for an OAuth client. Empty fields mean confidential, client_secret_basic and every scope.
type NewClient struct {
	Name         string
	RedirectURIs []string
	Type         string
	AuthMethod   string
	Scopes       string // the scopes that it may request: scopes, all or default, separated by commas
}

func (n NewClient) check() (oauth.ClientMetadata, error) {
	var f faults
	m := oauth.ClientMetadata{
		ClientName: f.text(MemberName, n.Name), RedirectURIs: n.RedirectURIs,
		TokenEndpointAuthMethod: f.authMethod(n.Type, n.AuthMethod),
	}
	if runes := []rune(m.ClientName); len(runes) > longestClientName {
		f.add(MemberName, "has %d characters; at most %d are allowed", len(runes), longestClientName)
	}
	if len(n.RedirectURIs) == 0 {
		f.add(MemberRedirectURI, "is required: the consent page redirects to it")
	}
	for _, uri := range n.RedirectURIs {
		if err := oauth.CheckRedirectURI(uri); err != nil {
			f.add(MemberRedirectURI,
				"%q is not allowed: give https, or http on loopback (127.0.0.1, [::1], localhost), without fragment, user name "+
					"or wildcards", uri)
		}
	}
	// no restriction, including scopes added later
	if given := strings.TrimSpace(n.Scopes); given != "" && given != ScopesAll {
		m.Scope = joinScopes(f.scopes(given))
	}
	return m, f.err()
}

func (f *faults) authMethod(typ, method string) oauth.AuthMethod {
	switch ClientType(typ) {
	case Public:
		if method != "" {
			f.add(MemberAuthMethod, "is valid only for confidential clients: a public client has no secret")
		}
		return oauth.AuthNone
	case Confidential, "":
	default:
		f.add(MemberType, "%q is not a type; choose %s", typ, oneOf(ClientTypes()))
	}
	if method == "" {
		return oauth.AuthBasic
	}
	if !slices.Contains(SecretMethods(), oauth.AuthMethod(method)) {
		f.add(MemberAuthMethod, "%q is not supported; choose %s", method, oneOf(SecretMethods()))
	}
	return oauth.AuthMethod(method)
}

func joinScopes(scopes []credential.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, " ")
}

// AddClient creates a first-party OAuth client and returns its secret, if it has one. The secret cannot be read again
// later.
func (o *Operator) AddClient(ctx context.Context, in NewClient) (oauth.Client, string, error) {
	m, err := in.check()
	if err != nil {
		return oauth.Client{}, "", err
	}
	created, err := o.clients.Add(ctx, m)
	return created.Client, created.Secret, err
}

// Clients lists the OAuth clients that operators created, oldest first.
func (o *Operator) Clients(ctx context.Context) ([]oauth.Client, error) { return o.clients.List(ctx) }

// Client returns an OAuth client of any kind, and the number of its grants that are still valid.
func (o *Operator) Client(ctx context.Context, id string) (oauth.Client, int, error) {
	if !oauth.IsClientID(id) {
		return oauth.Client{}, 0, noClient(id)
	}
	c, grants, err := o.clients.Get(ctx, id)
	if apperr.Is(err, apperr.NotFound) {
		err = noClient(id)
	}
	return c, grants, err
}

func noClient(id string) error {
	return apperr.New(apperr.NotFound, "There is no OAuth client %q. See: admin oauth-client list", id)
}

// RotateClientSecret replaces the secret of a confidential client and returns the new one. The previous secret is
// invalid from then on.
func (o *Operator) RotateClientSecret(ctx context.Context, id string) (oauth.Client, string, error) {
	c, _, err := o.Client(ctx, id)
	switch {
	case err != nil:
		return oauth.Client{}, "", err
	case c.Kind != oauth.FirstParty:
		return oauth.Client{}, "", apperr.New(apperr.InvalidState,
			"OAuth client %s was not created by an operator; only its owner can change it.", id)
	case TypeOf(c) == Public:
		return oauth.Client{}, "", apperr.New(apperr.InvalidState, "OAuth client %s is public and has no secret.", id)
	}
	secret, err := o.clients.RotateSecret(ctx, id)
	if apperr.Is(err, apperr.NotFound) {
		err = noClient(id)
	}
	return c, secret, err
}

// RemoveClient deletes an OAuth client and revokes all its grants. It returns the number of grants.
func (o *Operator) RemoveClient(ctx context.Context, id string) (c oauth.Client, grants int, err error) {
	err = o.Together(ctx, func(ctx context.Context) error {
		if c, grants, err = o.Client(ctx, id); err != nil {
			return err
		}
		return o.clients.Remove(ctx, id)
	})
	return c, grants, err
}
