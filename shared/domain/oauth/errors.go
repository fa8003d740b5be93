package oauth

import (
	"errors"
	"fmt"
	"strings"
)

// ErrorCode is the error field of a response.
type ErrorCode string

// Errors of RFC 6749 (sections 4.1.2.1 and 5.2), RFC 7591 (section 3.2.2) and RFC 8707 (section 2).
const (
	InvalidRequest          ErrorCode = "invalid_request"
	InvalidClient           ErrorCode = "invalid_client"
	InvalidGrant            ErrorCode = "invalid_grant"
	UnauthorizedClient      ErrorCode = "unauthorized_client"
	UnsupportedGrantType    ErrorCode = "unsupported_grant_type"
	UnsupportedResponseType ErrorCode = "unsupported_response_type"
	InvalidScope            ErrorCode = "invalid_scope"
	InvalidTarget           ErrorCode = "invalid_target"
	AccessDenied            ErrorCode = "access_denied"
	ServerError             ErrorCode = "server_error"
	TemporarilyUnavailable  ErrorCode = "temporarily_unavailable"
	InvalidRedirectURI      ErrorCode = "invalid_redirect_uri"
	InvalidClientMetadata   ErrorCode = "invalid_client_metadata"
	AuthorizationPending    ErrorCode = "authorization_pending" // RFC 8628, section 3.5
	SlowDown                ErrorCode = "slow_down"
	ExpiredToken            ErrorCode = "expired_token"
)

// Error is an error response to a client, in the form of RFC 6749, section 5.2.
type Error struct {
	Code ErrorCode
	// for the client's developer: the problem and its solution; printable ASCII without quotes
	Description string
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Description }

// IsCode reports whether an error has the code.
func IsCode(err error, code ErrorCode) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Code == code
}

// Refuse returns an error. Characters that are not allowed in a description (RFC 6749, section 4.1.2.1) are replaced.
func Refuse(code ErrorCode, format string, args ...any) *Error {
	return &Error{Code: code, Description: strings.Map(func(r rune) rune {
		switch {
		case r == '"':
			return '\''
		case r < ' ' || r > '~' || r == '\\':
			return '?'
		default:
			return r
		}
	}, fmt.Sprintf(format, args...))}
}
