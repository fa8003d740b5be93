package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/credential"
)

// ClientKind is the way in which a client became known.
type ClientKind string

const (
	// FirstParty is a client created by the operator.
	FirstParty ClientKind = "FIRST_PARTY"
	// Registered is a client that registered itself (RFC 7591). Its name is unverified.
	Registered ClientKind = "REGISTERED"
	// Published is a client described by the document at the https URL that is its ID (Client ID Metadata Documents).
	// Its host is verified, its name is not.
	Published ClientKind = "PUBLISHED"
)

// AuthMethod is the way in which a client authenticates at the token endpoint.
type AuthMethod string

// Supported methods of RFC 7591, section 2.
const (
	AuthNone  AuthMethod = "none" // a public client: only PKCE binds the code to it
	AuthBasic AuthMethod = "client_secret_basic"
	AuthPost  AuthMethod = "client_secret_post"
)

// AuthMethods lists every method.
func AuthMethods() []AuthMethod { return []AuthMethod{AuthNone, AuthBasic, AuthPost} }

// Client is a program that requests access on behalf of a user.
type Client struct {
	ID           string
	Kind         ClientKind
	Name         string // as given by the client, cleaned; may be empty
	URI          string // its home page, https; may be empty
	RedirectURIs []string
	Scopes       []credential.Scope // scopes that it may request; nil: all
	AuthMethod   AuthMethod
	SecretHash   []byte // of a confidential client
	CreatedAt    time.Time
	ExpiresAt    time.Time // zero: does not expire
}

// Title returns a short display name: the client's name, or else its hosts.
func (c Client) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return cleanName(c.Host())
}

// Host returns the only reliable information about the client: the host of a published client's document, or the hosts
// of all redirect URIs of any other client.
func (c Client) Host() string {
	addresses := c.RedirectURIs
	if c.Kind == Published {
		addresses = []string{c.ID}
	}
	var hosts []string
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil && u.Hostname() != "" && !slices.Contains(hosts, u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	if hosts == nil {
		return c.ID
	}
	return strings.Join(hosts, ", ")
}

// Redirects reports whether uri is one of the client's redirect URIs.
func (c Client) Redirects(uri string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool { return matches(registered, uri) })
}

// Expired reports whether the client has expired.
func (c Client) Expired(now time.Time) bool { return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt) }

// Proven reports whether the secret is the client's. A public client has no secret and is authenticated only by its
// code.
func (c Client) Proven(secret string) bool {
	if c.AuthMethod == AuthNone {
		return secret == ""
	}
	sum, err := credential.ClientSecret.Hash(secret)
	return err == nil && len(c.SecretHash) == sha256.Size && subtle.ConstantTimeCompare(sum[:], c.SecretHash) == 1
}
