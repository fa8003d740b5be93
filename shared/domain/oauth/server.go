package oauth

import "fencepost.internal/shared/domain/credential"

// ServerMetadata is the metadata of the authorization server (RFC 8414, section 2; RFC 9207; Client ID Metadata
// Documents, section 5).
type ServerMetadata struct {
	Issuer                     string             `json:"issuer"`
	AuthorizationEndpoint      string             `json:"authorization_endpoint"`
	TokenEndpoint              string             `json:"token_endpoint"`
	RevocationEndpoint         string             `json:"revocation_endpoint"`
	IntrospectionEndpoint      string             `json:"introspection_endpoint"`
	RegistrationEndpoint       string             `json:"registration_endpoint"`
	DeviceEndpoint             string             `json:"device_authorization_endpoint"` // RFC 8628, section 4
	ScopesSupported            []credential.Scope `json:"scopes_supported"`
	ResponseTypesSupported     []string           `json:"response_types_supported"`
	ResponseModesSupported     []string           `json:"response_modes_supported"`
	GrantTypesSupported        []string           `json:"grant_types_supported"`
	ChallengeMethods           []string           `json:"code_challenge_methods_supported"`
	TokenAuthMethods           []AuthMethod       `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods      []AuthMethod       `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionAuthMethods   []AuthMethod       `json:"introspection_endpoint_auth_methods_supported"`
	IssuerInResponses          bool               `json:"authorization_response_iss_parameter_supported"`
	MetadataDocumentsSupported bool               `json:"client_id_metadata_document_supported"`
	ServiceDocumentation       string             `json:"service_documentation,omitempty"`
	ProtectedResources         []string           `json:"protected_resources,omitempty"` // RFC 9728, section 4
}

// Metadata returns the metadata of the server with this issuer, a URL without a trailing slash, and of the resources for
// which it issues tokens.
func Metadata(issuer, documentation string, resources []string) ServerMetadata {
	return ServerMetadata{
		Issuer: issuer, AuthorizationEndpoint: issuer + PathAuthorize, TokenEndpoint: issuer + PathToken,
		RevocationEndpoint: issuer + PathRevoke, IntrospectionEndpoint: issuer + PathIntrospect,
		RegistrationEndpoint: issuer + PathRegister, DeviceEndpoint: issuer + PathDevice, ProtectedResources: resources,
		ScopesSupported: credential.Scopes(), ResponseTypesSupported: []string{ResponseTypeCode},
		ResponseModesSupported: []string{"query"},
		GrantTypesSupported:    []string{GrantAuthorizationCode, GrantRefreshToken, GrantDevice},
		ChallengeMethods:       []string{ChallengeS256},
		TokenAuthMethods:       AuthMethods(), RevocationAuthMethods: AuthMethods(),
		IntrospectionAuthMethods: []AuthMethod{AuthBasic, AuthPost},
		IssuerInResponses:        true, MetadataDocumentsSupported: true, ServiceDocumentation: documentation,
	}
}

// ResourceMetadata is the metadata of a protected resource (RFC 9728, section 2).
type ResourceMetadata struct {
	Resource             string             `json:"resource"`
	AuthorizationServers []string           `json:"authorization_servers"`
	ScopesSupported      []credential.Scope `json:"scopes_supported"`
	BearerMethods        []string           `json:"bearer_methods_supported"`
	ResourceName         string             `json:"resource_name,omitempty"`
	Documentation        string             `json:"resource_documentation,omitempty"`
}

// ProtectedResource returns the metadata of a resource whose tokens this issuer issues; scopes are those that a client
// should request initially.
func ProtectedResource(resource, name, issuer string, scopes []credential.Scope) ResourceMetadata {
	return ResourceMetadata{
		Resource: resource, AuthorizationServers: []string{issuer}, ScopesSupported: scopes,
		BearerMethods: []string{"header"}, ResourceName: name,
	}
}
