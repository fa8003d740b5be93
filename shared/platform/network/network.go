// Package network defines the declaration of a network: everything that the rest of the service derives from the
// package of its connector. Package connectors lists the declarations.
package network

import (
	"cmp"
	"context"
	"net"
	"slices"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// Declaration declares one network. Its name and its channel types are in package channel, because the domain does not
// know connectors.
type Declaration struct {
	Network channel.Network
	// Rules returns the row of each channel type that can be published to.
	Rules []func() rules.Row
	// Accounts describes the channel types that the links serve.
	Accounts []Account
	// Applications with which people connect accounts; empty if the network needs none.
	Applications []Application
	// Codes are those of failures that the links report, beside those of every connector.
	Codes []string
	// Tokens describes the credentials of all accounts on the network.
	Tokens Tokens
	// Versions are the API versions in use, of networks that end old ones.
	Versions []Version
	// UseSandbox replaces the addresses in the settings by those of the sandbox network at the base address, which has
	// no trailing slash. It sets placeholders for missing application credentials, because the sandbox accepts any.
	UseSandbox func(base string)
	// Receiver reads what the network reports of conversations; nil if this build has no inbox of the network.
	Receiver platform.Receiver
	// Keep is the time for which the network lets others keep what people write in public; zero: any.
	Keep time.Duration
	// Reader reads what polls return, on networks that have no Receiver.
	Reader platform.Reader
	// ReplyFiles describes the files that answers in conversations can have.
	ReplyFiles inbox.ReplyFiles
	// Links returns the connections to the network, as the settings configure them.
	Links func(Wiring) ([]platform.Link, error)
}

// Application names the variables of an application that the operator registers at a network.
type Application struct {
	ID, Secret string
	Types      []channel.Type  // connected with it
	Variant    channel.Variant // of those types; empty: the usual one
	// Renews means that tokens of the types cannot be renewed without the application.
	Renews bool
	// Instead is the ID of the application that replaces this one if it is not set.
	Instead string
}

// Wiring is the configuration that all connectors share.
type Wiring struct {
	Clock         clock.Clock
	CommitTimeout time.Duration // timeout of the irrevocable call; zero: the connector's default
	Servers       Servers
	// Registrations stores applications. If it is nil, a connector keeps them in memory.
	Registrations platform.Registrations
	// OnTest returns the link of test channels in place of a live one. If it is nil, test channels have no links.
	OnTest func(live platform.Link) platform.Link
	// Sealer encrypts secrets in handles. Nil means that they are not encrypted, for a service that stores no handles.
	Sealer platform.Sealer
}

// Servers reaches servers that users chose, on networks of independent servers.
type Servers struct {
	// Check returns the reason why the server's URL may not be called.
	Check func(url string) error
	// Dial connects to a server that passed Check. It refuses addresses that only this service can reach.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Account describes the accounts of one channel type to the operator who connects them.
type Account struct {
	Type channel.Type
	// Title names the accounts where people connect them, in the plural if one sign-in yields several.
	Title string
	// About describes the accounts in one sentence.
	About string
	// Needs lists the external id and the tokens that a channel needs, in lines of up to 110 characters.
	Needs string
	// IDFault returns the fault of an external id, phrased to follow the id, or an empty string. If it is nil, every id
	// is accepted.
	IDFault func(id string) string
	// IsNumbered reports that the external id is a number on the real network, so that a user name is a mistake.
	IsNumbered bool
	// Figures describes what the network reports about accounts and their posts (docs/analytics.md).
	Figures analytics.Coverage
	// Variants lists the ways in which accounts of the type are connected, the usual one first. It is empty if there is
	// only one.
	Variants []Variant
	// HasServers reports that accounts live on independent servers, whose URLs are part of the credentials.
	HasServers bool
	// IDHasServer reports that accounts live on independent servers, whose hosts are part of the external ids.
	IDHasServer bool
	// SandboxRole follows the account's name in its tokens on the sandbox network, after an @. It is empty for the usual
	// kind of account.
	SandboxRole string
	// Sandbox returns the account of the name on the sandbox network. If it is nil, Tokens describes it.
	Sandbox func(name string) SandboxAccount
}

// Variant is a way in which accounts of a type are connected. An empty Title or About is that of the account.
type Variant struct {
	ID    channel.Variant
	Title string
	About string
}

// VariantIDs returns the IDs of Variants.
func (a Account) VariantIDs() []channel.Variant {
	ids := make([]channel.Variant, len(a.Variants))
	for i, v := range a.Variants {
		ids[i] = v.ID
	}
	return ids
}

// Describe returns the title and the sentence for accounts that are connected in this way. An unknown way is the usual
// one.
func (a Account) Describe(id channel.Variant) (title, about string) {
	at := max(0, slices.IndexFunc(a.Variants, func(v Variant) bool { return v.ID == id }))
	if at >= len(a.Variants) {
		return a.Title, a.About
	}
	return cmp.Or(a.Variants[at].Title, a.Title), cmp.Or(a.Variants[at].About, a.About)
}

// Tokens describes the credentials of a network's accounts.
type Tokens struct {
	// Fault returns the fault of an access token, phrased to follow the name of its file, or an empty string. It never
	// repeats the token. If it is nil, every token is accepted.
	Fault func(token string) string
	// NoRefreshToken says why the network accepts no refresh token, phrased to follow the name of its file. If it is
	// empty, an account may have one.
	NoRefreshToken string
	// Lifetime is the lifetime of an access token that is too short to work without a refresh token, such as "two
	// hours". It is empty for longer ones.
	Lifetime string
	// SandboxForm is the form of an access token on the sandbox network, if it is not sandbox-NETWORK-ACCOUNT.
	SandboxForm string
	// Sandbox returns the account of the name on the sandbox network. If it is nil, the name is the account's id, and
	// it has an access and a refresh token, with the role of its channel type.
	Sandbox func(name string) SandboxAccount
}

// SandboxAccount is an account on the sandbox network.
type SandboxAccount struct {
	ID          string // also its name in the sandbox's control API
	Credentials channel.Credentials
}

// Account returns the description of the channel type's accounts. It is zero for a type without a link.
func (d Declaration) Account(t channel.Type) Account {
	for _, account := range d.Accounts {
		if account.Type == t {
			return account
		}
	}
	return Account{Type: t}
}

// SandboxAccount returns the account of the channel type and the name on the sandbox network, where every account
// exists.
func (d Declaration) SandboxAccount(t channel.Type, name string) SandboxAccount {
	if own := d.Account(t).Sandbox; own != nil {
		return own(name)
	}
	if d.Tokens.Sandbox != nil {
		return d.Tokens.Sandbox(name)
	}
	holder := name
	if role := d.Account(t).SandboxRole; role != "" {
		holder += "@" + role
	}
	account := PlainAccount(d.Network, holder)
	account.ID = name
	return account
}

// PlainAccount returns an account whose id is its name, with an access and a refresh token.
func PlainAccount(n channel.Network, name string) SandboxAccount {
	return SandboxAccount{ID: name, Credentials: channel.Credentials{
		AccessToken: sandboxToken(n, name), RefreshToken: "sandbox-refresh-" + name,
	}}
}

// WithoutRefreshToken returns Tokens.Sandbox of a network whose accounts have an access token alone.
func WithoutRefreshToken(n channel.Network) func(name string) SandboxAccount {
	return func(name string) SandboxAccount {
		return SandboxAccount{ID: name, Credentials: channel.Credentials{AccessToken: sandboxToken(n, name)}}
	}
}

func sandboxToken(n channel.Network, name string) string { return "sandbox-" + string(n) + "-" + name }

// Placeholder sets application credentials that are missing.
func Placeholder(id *string, secret *config.Secret) {
	if *id == "" {
		*id = "sandbox-client"
	}
	if !secret.IsSet() {
		*secret = config.NewSecret("sandbox-secret")
	}
}
