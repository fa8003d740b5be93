package oauth

import "net/url"

// Answer is what an authorization request comes to.
type Answer struct {
	Code  string // when access is granted
	Error *Error // when it is not
}

// RedirectTo is where the person's browser takes the answer to the client: with the code or the error, the client's state, and
// the issuer, by which a client of many servers tells them apart (RFC 6749, section 4.1.2; RFC 9207). The address must have
// been checked by ReadRequest; what it had in its query stays.
func (a Answer) RedirectTo(request AuthorizationRequest, issuer string) (*url.URL, error) {
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
