package oauth

import (
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/credential"
)

// maxState is the maximum length of the state parameter.
const maxState = 2048

// Rules holds the settings of the server.
type Rules struct {
	// Resources lists the resources for which access can be requested (RFC 8707); the first is the default.
	Resources []string
}

// AuthorizationRequest is a client's request for access.
type AuthorizationRequest struct {
	ClientID    string
	RedirectURI string
	State       string // returned unchanged
	Scopes      []credential.Scope
	Resource    string
	Challenge   string // S256
}

// ReadClientID returns the client ID of a request. Its *Error must not be sent by redirect, because the redirect URI is
// not validated yet.
func ReadClientID(sent url.Values) (string, error) {
	id, err := one(sent, "client_id")
	switch {
	case err != nil:
		return "", err
	case id == "":
		return "", Refuse(InvalidRequest, "The parameter client_id is missing.")
	case !IsClientID(id):
		return "", Refuse(InvalidRequest, "The client_id has more than %d characters, or characters that are not "+
			"printable ASCII.", maxURI)
	default:
		return id, nil
	}
}

// IsClientID reports whether a text is a syntactically valid client ID (RFC 6749, appendix A.1).
func IsClientID(id string) bool { return id != "" && len(id) <= maxURI && visible(id) }

// Host returns the host of the redirect URI for display. It matters for clients with redirect URIs on several hosts.
func (r AuthorizationRequest) Host() string {
	u, err := url.Parse(r.RedirectURI)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Local reports whether the redirect goes to the user's own machine, where any program can impersonate the client
// (Client ID Metadata Documents, section 6).
func (r AuthorizationRequest) Local() bool {
	u, err := url.Parse(r.RedirectURI)
	return err == nil && isLocal(u)
}

// ReadRequest parses the client's request. If redirect is true, the error may be sent to RedirectURI with State;
// otherwise it may only be shown to the user, because no redirect URI is known to belong to the client (RFC 6749,
// section 4.1.2.1). The error is an *Error.
func (r Rules) ReadRequest(c Client, sent url.Values) (request AuthorizationRequest, redirect bool, err error) {
	read := reader{sent: sent}
	request = AuthorizationRequest{ClientID: c.ID, RedirectURI: read.one("redirect_uri")}
	switch {
	case read.err != nil:
		return request, false, read.err
	case request.RedirectURI == "":
		return request, false, Refuse(InvalidRequest, "The parameter redirect_uri is missing.")
	case !c.Redirects(request.RedirectURI):
		return request, false, Refuse(InvalidRequest, "The redirect_uri is not registered for the client. It must be "+
			"identical to a registered one.")
	}
	state := read.one("state")
	if read.err == nil && len(state) <= maxState && visible(state) {
		request.State = state
	} else if read.err == nil {
		read.err = Refuse(InvalidRequest,
			"The state has more than %d characters, or characters that are not printable ASCII.", maxState)
	}
	responseType, responseMode := read.one("response_type"), read.one("response_mode")
	request.Challenge = read.one("code_challenge")
	method := read.one("code_challenge_method")
	scope := read.one("scope")
	switch {
	case read.err != nil:
		return request, true, read.err
	case responseType == "":
		return request, true, Refuse(InvalidRequest, "The parameter response_type is missing; send code.")
	case responseType != ResponseTypeCode:
		return request, true, Refuse(UnsupportedResponseType, "The response_type must be code.")
	case responseMode != "" && responseMode != "query":
		return request, true, Refuse(InvalidRequest, "The response_mode must be query.")
	case request.Challenge == "":
		return request, true, Refuse(InvalidRequest, "The parameter code_challenge is missing: PKCE is required (RFC 7636).")
	case method != ChallengeS256:
		return request, true, Refuse(InvalidRequest, "The code_challenge_method must be S256.")
	case !isChallenge(request.Challenge):
		return request, true, Refuse(InvalidRequest, "The code_challenge is not a S256 challenge of 43 characters in "+
			"base64url.")
	}
	if request.Scopes, err = ReadScope(scope, c); err != nil {
		return request, true, err
	}
	request.Resource, err = r.Resource(sent["resource"])
	return request, true, err
}

// ReadScope parses a list of scopes; an empty list means the default scopes (RFC 6749, section 3.3). Every scope must
// exist and be allowed for the client. The error is an *Error.
func ReadScope(scope string, c Client) ([]credential.Scope, error) {
	allowed := c.Scopes
	if allowed == nil {
		allowed = credential.Scopes()
	}
	var scopes []credential.Scope
	for name := range strings.FieldsSeq(scope) {
		wanted := credential.Scope(name)
		if !slices.Contains(allowed, wanted) {
			return nil, Refuse(InvalidScope, "The scope %s does not exist or is not available to this client.", short(name))
		}
		if !slices.Contains(scopes, wanted) {
			scopes = append(scopes, wanted)
		}
	}
	if scopes == nil {
		scopes = slices.DeleteFunc(credential.DefaultScopes(),
			func(s credential.Scope) bool { return !slices.Contains(allowed, s) })
	}
	if len(scopes) == 0 {
		return nil, Refuse(InvalidScope, "Send at least one scope.")
	}
	return scopes, nil
}

// Resource returns the requested resource, which must be one of the server's. They are compared as in RFC 3986, section
// 6.2.2: scheme and host ignoring case, the rest exactly. The error is an *Error.
func (r Rules) Resource(sent []string) (string, error) {
	switch {
	case len(sent) == 0 || len(sent) == 1 && sent[0] == "":
		return r.Resources[0], nil
	case len(sent) > 1:
		return "", Refuse(InvalidTarget, "A token is valid for one resource, but the request names %d.", len(sent))
	}
	u, err := url.Parse(sent[0])
	if err == nil && u.Fragment == "" && !strings.Contains(sent[0], "#") && u.IsAbs() {
		for _, known := range r.Resources {
			if sameResource(known, u) {
				return known, nil
			}
		}
	}
	return "", Refuse(InvalidTarget, "The resource does not belong to this server. Available resources: %s.",
		strings.Join(r.Resources, ", "))
}

func sameResource(known string, requested *url.URL) bool {
	k, err := url.Parse(known)
	if err != nil {
		return false
	}
	root := func(path string) string { // an empty path means the root
		if path == "" {
			return "/"
		}
		return path
	}
	return strings.EqualFold(k.Scheme, requested.Scheme) && strings.EqualFold(k.Host, requested.Host) &&
		root(k.EscapedPath()) == root(requested.EscapedPath()) && k.RawQuery == requested.RawQuery && requested.User == nil
}
