package oauth

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"fencepost.internal/shared/domain/credential"
)

const (
	// MaxMetadata is the maximum size of a client's metadata, in bytes.
	MaxMetadata = 64 << 10
	maxName     = 80
)

// ClientMetadata is a client's description of itself: at registration (RFC 7591, section 2), or in the document at its
// ID (Client ID Metadata Documents, section 4). Other fields are ignored, as both specifications require. In
// particular, no field can make a client a first-party client.
type ClientMetadata struct {
	ClientID                string     `json:"client_id,omitempty"`
	ClientName              string     `json:"client_name,omitempty"`
	ClientURI               string     `json:"client_uri,omitempty"`
	RedirectURIs            []string   `json:"redirect_uris"`
	GrantTypes              []string   `json:"grant_types,omitempty"`
	ResponseTypes           []string   `json:"response_types,omitempty"`
	TokenEndpointAuthMethod AuthMethod `json:"token_endpoint_auth_method,omitempty"`
	Scope                   string     `json:"scope,omitempty"`
}

// ReadMetadata parses a client's metadata. The error is an *Error.
func ReadMetadata(body []byte) (ClientMetadata, error) {
	var m ClientMetadata
	if len(body) > MaxMetadata {
		return m, Refuse(InvalidClientMetadata, "The client metadata is longer than %d bytes.", MaxMetadata)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, Refuse(InvalidClientMetadata, "The client metadata is not valid: %s.", short(err.Error()))
	}
	return m, nil
}

// Client validates the metadata and returns the client; the caller sets the ID and the secret. Unsupported grant types
// are ignored (RFC 7591, section 2). The scopes of clients that describe themselves are ignored too: their initial
// scopes do not limit later requests, and users decide on each scope. The error is an *Error.
func (m ClientMetadata) Client(kind ClientKind) (Client, error) {
	c := Client{
		Kind: kind, ID: m.ClientID, Name: cleanName(m.ClientName), RedirectURIs: m.RedirectURIs,
		AuthMethod: m.TokenEndpointAuthMethod,
	}
	if err := m.checkRedirects(); err != nil {
		return Client{}, err
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, GrantAuthorizationCode) {
		return Client{}, Refuse(InvalidClientMetadata, "The grant type %s is not supported without authorization_code.",
			short(m.GrantTypes[0]))
	}
	if refused := beyond(m.ResponseTypes, ResponseTypeCode); refused != "" {
		return Client{}, Refuse(InvalidClientMetadata, "The response type %s is not supported; use code.", short(refused))
	}
	switch {
	case c.AuthMethod == "" && kind == Published:
		c.AuthMethod = AuthNone
	case c.AuthMethod == "":
		c.AuthMethod = AuthBasic // RFC 7591, section 2
	case kind == Published && c.AuthMethod != AuthNone:
		return Client{}, Refuse(InvalidClientMetadata, "A client with a metadata document has no secret: its "+
			"token_endpoint_auth_method must be none.")
	case !slices.Contains(AuthMethods(), c.AuthMethod):
		return Client{}, Refuse(InvalidClientMetadata, "The token_endpoint_auth_method %s is not supported.",
			short(string(c.AuthMethod)))
	}
	if u, err := url.Parse(m.ClientURI); err == nil && u.Scheme == "https" && len(m.ClientURI) <= maxURI &&
		visible(m.ClientURI) {
		c.URI = m.ClientURI
	}
	for name := range strings.FieldsSeq(m.Scope) {
		if scope := credential.Scope(name); scope.Known() && !slices.Contains(c.Scopes, scope) {
			c.Scopes = append(c.Scopes, scope)
		}
	}
	if m.Scope != "" && len(c.Scopes) == 0 {
		return Client{}, Refuse(InvalidClientMetadata, "None of the scopes exists.")
	}
	if kind != FirstParty {
		c.Scopes = nil
	}
	return c, nil
}

func (m ClientMetadata) checkRedirects() error {
	switch n := len(m.RedirectURIs); {
	case n == 0:
		return Refuse(InvalidRedirectURI, "redirect_uris is missing.")
	case n > maxRedirectURIs:
		return Refuse(InvalidRedirectURI, "There are %d redirect_uris; at most %d are allowed.", n, maxRedirectURIs)
	}
	for _, uri := range m.RedirectURIs {
		if err := CheckRedirectURI(uri); err != nil {
			return err
		}
	}
	return nil
}

// beyond returns the first value that is not allowed.
func beyond(values []string, allowed ...string) string {
	for _, value := range values {
		if !slices.Contains(allowed, value) {
			return value
		}
	}
	return ""
}

// cleanName returns a name that is safe to display: one line, without characters that hide or reorder others.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(name, ""))
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName])) + "…"
	}
	return name
}

// IsMetadataURL reports whether a client ID is the URL of a metadata document rather than a name, judging by its
// scheme. CheckMetadataURL applies the other rules (Client ID Metadata Documents, section 3).
func IsMetadataURL(id string) bool { return strings.HasPrefix(id, "https://") }

// CheckMetadataURL validates the URL of a metadata document: a DNS host name, a path, and no part that could disguise
// another address. It does not check whether the address may be contacted; that is checked when it is fetched.
func CheckMetadataURL(id string) error {
	u, err := url.Parse(id)
	switch {
	case err != nil || !IsClientID(id) || strings.ContainsAny(id, " \\") || !isHost(u):
		return Refuse(InvalidClient, "The client_id is not a valid https URL.")
	case isAddress(u) || !strings.Contains(u.Hostname(), "."):
		return Refuse(InvalidClient, "The host of the client_id is not a public name.")
	case u.User != nil || strings.Contains(id, "#"):
		return Refuse(InvalidClient, "The client_id has a user name or a fragment.")
	case u.Path == "" || u.Path == "/":
		return Refuse(InvalidClient, "The client_id has no path; the URL of a metadata document has one.")
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(s string) bool { return s == "." || s == ".." }):
		return Refuse(InvalidClient, "The client_id has . or .. in its path.")
	default:
		return nil
	}
}
