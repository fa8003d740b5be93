package stage

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Parameters returns the parameters of a call, from the query and from the body, which has precedence: a form, or a JSON
// object, whose members stay as they were written.
func Parameters(r *http.Request, body []byte) url.Values {
	values := r.URL.Query()
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		form, _ := url.ParseQuery(string(body))
		maps.Copy(values, form)
		return values
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members)
	for name, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		values.Set(name, text)
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
