package stage

import (
	"net/http"
	"net/url"
	"strings"
)

// Parameters are those of a call to one of Meta's networks: of its address, and of its form, which comes first.
func Parameters(r *http.Request, body []byte) url.Values {
	values := r.URL.Query()
	if form, err := url.ParseQuery(string(body)); err == nil {
		for name, list := range form {
			values[name] = list
		}
	}
	return values
}

// AccessToken is the token of such a call: a parameter or, without one, a bearer token; empty when there is neither.
func AccessToken(r *http.Request, parameters url.Values) string {
	if sent := parameters.Get("access_token"); sent != "" {
		return sent
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer
}
