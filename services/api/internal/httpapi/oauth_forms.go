package httpapi

import "fencepost.internal/shared/domain/oauth"

// oauthError is the error response of RFC 6749, section 5.2.
type oauthError struct {
	Code        oauth.ErrorCode `json:"error"`
	Description string          `json:"error_description"`
}

// tokenResponse is the token response of RFC 6749, section 5.1.
type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// deviceResponse is the response of RFC 8628, section 3.2. It has no address with the code in it: a person who types the
// code looks at the device, and one who opens a link that an attacker sent does not.
type deviceResponse struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURI string `json:"verification_uri"`
	ExpiresIn       int    `json:"expires_in"` // seconds
	Interval        int    `json:"interval"`   // seconds between two polls
}

// introspection is the response of RFC 7662, section 2.2. For an inactive token it has no other fields.
type introspection struct {
	Active      bool   `json:"active"`
	Scope       string `json:"scope,omitempty"`
	ClientID    string `json:"client_id,omitempty"`
	TokenType   string `json:"token_type,omitempty"`
	Expires     int64  `json:"exp,omitempty"`
	IssuedAt    int64  `json:"iat,omitempty"`
	Subject     string `json:"sub,omitempty"`
	Audience    string `json:"aud,omitempty"`
	Issuer      string `json:"iss,omitempty"`
	WorkspaceID string `json:"workspace_id,omitempty"`
}

// registration is the response of RFC 7591, section 3.2.1.
type registration struct {
	ClientID      string           `json:"client_id"`
	IssuedAt      int64            `json:"client_id_issued_at"`
	ClientSecret  string           `json:"client_secret,omitempty"`
	SecretExpires *int64           `json:"client_secret_expires_at,omitempty"`
	ClientName    string           `json:"client_name,omitempty"`
	ClientURI     string           `json:"client_uri,omitempty"`
	RedirectURIs  []string         `json:"redirect_uris"`
	AuthMethod    oauth.AuthMethod `json:"token_endpoint_auth_method"`
	GrantTypes    []string         `json:"grant_types"`
	ResponseTypes []string         `json:"response_types"`
	Scope         string           `json:"scope,omitempty"`
}
