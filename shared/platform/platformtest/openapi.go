package platformtest

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"
)

// host is the host of the requests; descriptions name several.
const host = "http://network.test"

// OpenAPI is an OpenAPI description.
type OpenAPI struct{ router routers.Router }

// LoadOpenAPI reads the description in the file, or the one that the environment variable names instead: the network's whole
// description, which is not part of the repository. The prefix is the path of the API's server, such as /v5.
func LoadOpenAPI(t *testing.T, file, variable, prefix string) OpenAPI {
	t.Helper()
	if other := os.Getenv(variable); other != "" {
		file = other
	}
	document, err := openapi3.NewLoader().LoadFromFile(file)
	require.NoError(t, err)
	document.Servers = openapi3.Servers{{URL: host + prefix}}
	router, err := gorillamux.NewRouter(document)
	require.NoError(t, err)
	return OpenAPI{router: router}
}

// Check fails the test if a request differs from the description.
func (d OpenAPI) Check(t *testing.T, requests []Recorded) {
	t.Helper()
	require.NotEmpty(t, requests)
	for _, r := range requests {
		require.NoError(t, d.Fault(t, r), "%s %s?%s", r.Method, r.Path, r.RawQuery)
	}
}

// Fault returns the difference between the request and the description.
func (d OpenAPI) Fault(t *testing.T, r Recorded) error {
	t.Helper()
	url := host + r.Path
	if r.RawQuery != "" {
		url += "?" + r.RawQuery
	}
	request, err := http.NewRequestWithContext(t.Context(), r.Method, url, strings.NewReader(r.Body))
	require.NoError(t, err)
	request.Header = r.Header
	route, parameters, err := d.router.FindRoute(request)
	if err != nil {
		return err
	}
	for name := range r.Query {
		if !declared(route, name) {
			return &unknownParameter{name: name}
		}
	}
	return openapi3filter.ValidateRequest(t.Context(), &openapi3filter.RequestValidationInput{
		Request: request, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: signedIn},
	})
}

// signedIn accepts every request, because tests of the connectors check their credentials.
func signedIn(context.Context, *openapi3filter.AuthenticationInput) error { return nil }

func declared(route *routers.Route, name string) bool {
	return route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) != nil ||
		route.PathItem.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) != nil
}

// unknownParameter is a query parameter that the description does not have.
type unknownParameter struct{ name string }

// Error returns the text of the fault.
func (u *unknownParameter) Error() string { return "the description has no query parameter " + u.name }
