package platform

import (
	"context"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
)

// CodeConsentRefused is the code of a network's refusal of an authorization code.
const CodeConsentRefused = "CONSENT_REFUSED"

// CodeAppMissing is the code of a connection that cannot begin, because the operator has configured no application for
// the network.
const CodeAppMissing = "APP_NOT_CONFIGURED"

// Scopes are the permissions that an application asks a person for.
type Scopes struct {
	Needed []string // without one of them, the account cannot be connected
	Useful []string // without one of them, figures or other parts are missing
}

// All returns every scope, in the order in which they are asked for.
func (s Scopes) All() []string { return slices.Concat(s.Needed, s.Useful) }

// Missing returns the scopes that are not among the granted ones, which are separated by spaces. Granted scopes that are
// unknown miss none.
func (s Scopes) Missing(granted string) (needed, useful []string) {
	if granted == "" {
		return nil, nil
	}
	given := strings.Fields(granted)
	absent := func(scopes []string) []string {
		return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return slices.Contains(given, scope) })
	}
	return absent(s.Needed), absent(s.Useful)
}

// Consent describes the request that a person decides on at the network.
type Consent struct {
	State     string // returned unchanged with the code
	Redirect  string // the registered address that receives the code
	Challenge string // S256 of the verifier (RFC 7636)
	Variant   channel.Variant
	Server    string // URL of the account's server, on a network of independent servers; empty: the usual one
}

// Authorization leads a person to the network.
type Authorization struct {
	URL string
	// Kept is a secret that Exchange needs again: the credentials of an application that the connector registered at the
	// server. It is empty on most networks.
	Kept string
}

// Code is the network's response to a consent.
type Code struct {
	Code     string
	Redirect string // as in the Consent
	Verifier string // of the challenge in the Consent
	Variant  channel.Variant
	Server   string
	Kept     string // as returned in the Authorization
}

// Connecter is a link whose accounts a person connects on the network's own page. No method stores anything. Their
// failures are those of Link; the Cause of a Failure holds the network's response without secrets.
type Connecter interface {
	Link
	// Scopes returns the permissions that the variant asks for.
	Scopes(v channel.Variant) Scopes
	// Configured reports whether the operator has configured the application that the variant needs.
	Configured(v channel.Variant) bool
	// AuthorizeURL returns the page at which a person decides. It returns a Failure of ClassOperator if the operator has
	// configured no application.
	AuthorizeURL(ctx context.Context, consent Consent) (Authorization, error)
	// Exchange exchanges the code for credentials of the person, which may differ from those of an account. A code works
	// once; a refused one is a Failure of ClassUser.
	Exchange(ctx context.Context, code Code) (channel.Credentials, error)
	// Accounts lists the accounts that the credentials give access to, with the credentials to store for each.
	Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error)
}

// Field is a value that a person enters to connect an account.
type Field struct {
	Name     string // of the form's member
	Label    string
	Hint     string
	Secret   bool
	Optional bool
	Codes    []string // of the failures that are a fault of this value
	Usual    string   // value of a new form
	Choices  []string // values to suggest; others may be entered
}

// Hosted is a Connecter whose accounts live on independent servers.
type Hosted interface {
	Connecter
	// ServerField returns the field in which a person names the server.
	ServerField() Field
	// Server returns the URL of the server that a person named by its host, its address or a handle; empty: the usual one.
	// A text that names none, and a server that may not be called, is a Failure of ClassUser with a code of ServerField.
	Server(named string) (string, error)
	// ServerOf returns the URL of a connected account's server.
	ServerOf(account Account) string
}

// Registrations stores the applications that connectors register at independent servers, one for each server and
// redirect address, for all workspaces. The text of an application contains its secret.
type Registrations interface {
	// Registered returns the stored application; empty if there is none.
	Registered(ctx context.Context, server, redirect string) (string, error)
	// Register stores an application instead of the former one.
	Register(ctx context.Context, server, redirect, application string) error
}

// Enterer is a link whose accounts are connected with values that a person enters.
type Enterer interface {
	Link
	// Fields returns the values to enter.
	Fields() []Field
	// Enter returns the accounts that the values give access to.
	Enter(ctx context.Context, values map[string]string) ([]channel.Candidate, error)
}

// Revoker is a link that can end an account's access at its network.
type Revoker interface {
	Link
	// Revoke invalidates the account's tokens.
	Revoke(ctx context.Context, account Account) error
	// RevokesConsent reports that Revoke ends everything that the person allowed the application, also for other
	// accounts and other networks of the same application.
	RevokesConsent() bool
}

// Remover is a link whose network lets a person end the access of an application. Without a Revoker, nothing else does.
type Remover interface {
	Link
	// Removal returns what the person does at the network, as a sentence.
	Removal() string
}

// Redirecter is a Connecter whose network accepts redirect addresses of a certain form only.
type Redirecter interface {
	Connecter
	// Redirect returns the address in the form that the network accepts.
	Redirect(address string) string
}
