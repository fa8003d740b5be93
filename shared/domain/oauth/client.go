package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/url"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/domain/credential"
)

// ClientKind is how a client became known.
type ClientKind string

const (
	// FirstParty was made by the operator.
	FirstParty ClientKind = "FIRST_PARTY"
	// Registered registered itself (RFC 7591). Nobody has checked its name.
	Registered ClientKind = "REGISTERED"
	// Published is known by the document at the https address which is its id (Client ID Metadata Documents). Its host is
	// checked, its name is not.
	Published ClientKind = "PUBLISHED"
)

// AuthMethod is how a client proves at the token endpoint who it is.
type AuthMethod string

// The methods of RFC 7591, section 2, that are supported.
const (
	AuthNone  AuthMethod = "none" // a public client: PKCE alone binds the code to it
	AuthBasic AuthMethod = "client_secret_basic"
	AuthPost  AuthMethod = "client_secret_post"
)

// AuthMethods lists every method.
func AuthMethods() []AuthMethod { return []AuthMethod{AuthNone, AuthBasic, AuthPost} }

// Client is a program that asks for access in a person's name.
type Client struct {
	ID           string
	Kind         ClientKind
	Name         string // as it calls itself, cleaned; may be empty
	URI          string // its home page, https; may be empty
	RedirectURIs []string
	Scopes       []credential.Scope // the most it may ask for; nil: all there are
	AuthMethod   AuthMethod
	SecretHash   []byte // of a confidential client
	CreatedAt    time.Time
	ExpiresAt    time.Time // zero: does not expire
}

// Title is what people are shown, in few characters: the name, or what is known for sure.
func (c Client) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return cleanName(c.Host())
}

// Host is what is known of the client for sure: the host of a published client's document, else those of all its redirects.
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

// Redirects reports whether an answer may go there: whether it is one of the client's redirect URIs.
func (c Client) Redirects(uri string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool { return matches(registered, uri) })
}

// Expired reports whether the client may not be used any more.
func (c Client) Expired(now time.Time) bool { return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt) }

// Proven reports whether the secret is the client's. A public client has none, and is proven by nothing but its code.
func (c Client) Proven(secret string) bool {
	if c.AuthMethod == AuthNone {
		return secret == ""
	}
	sum, err := credential.ClientSecret.Hash(secret)
	return err == nil && len(c.SecretHash) == sha256.Size && subtle.ConstantTimeCompare(sum[:], c.SecretHash) == 1
}
