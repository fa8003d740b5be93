package stage

import (
	"net/http"
	"net/url"
)

// Parameters returns the parameters of a call to one of Meta's networks, from the query and the form. The form has
// precedence.
func Parameters(r *http.Request, body []byte) url.Values {
	values := r.URL.Query()
	if form, err := url.ParseQuery(string(body)); err == nil {
		for name, list := range form {
			values[name] = list
		}
	}
	return values
}

// AccessToken returns the token of such a call: a parameter or, without one, a bearer token. It is empty if there is
// neither.
func AccessToken(r *http.Request, parameters url.Values) string {
	if sent := parameters.Get("access_token"); sent != "" {
		return sent
	}
	return Bearer(r)
}
