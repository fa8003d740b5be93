package oauth

import "net/url"

// Response is the result of an authorization request.
type Response struct {
	Code  string // set if access is granted
	Error *Error // set otherwise
}

// RedirectTo returns the URL that delivers the result to the client through the browser: the redirect URI with the code
// or the error, the client's state, and the issuer, by which a client of several servers distinguishes them (RFC 6749,
// section 4.1.2; RFC 9207). ReadRequest must have validated the redirect URI. Its existing query parameters are kept.
func (a Response) RedirectTo(request AuthorizationRequest, issuer string) (*url.URL, error) {
	u, err := url.Parse(request.RedirectURI)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	if a.Error != nil {
		query.Set("error", string(a.Error.Code))
		query.Set("error_description", a.Error.Description)
	} else {
		query.Set("code", a.Code)
	}
	if request.State != "" {
		query.Set("state", request.State)
	}
	query.Set("iss", issuer)
	u.RawQuery = query.Encode()
	return u, nil
}
