package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	fencepost "fencepost.internal/sdk/go"
)

// documented is a transport that fails a request of an operation if docs/openapi.yaml does not describe its response:
// its status, its type and its body.
type documented struct{ next http.RoundTripper } // nil: the default one

// RoundTrip implements http.RoundTripper.
func (d documented) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := cmp.Or(d.next, http.DefaultTransport).RoundTrip(r) //nolint:forbidigo // to servers on this machine
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if response.StatusCode >= http.StatusInternalServerError {
		return response, nil // of the service or of a proxy before it
	}
	if err := check(r, response, body); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", r.Method, r.URL.Path, err, body)
	}
	return response, nil
}

// check compares a response with the document.
func check(r *http.Request, response *http.Response, body []byte) error {
	router, err := published()
	if err != nil {
		return err
	}
	route, parameters, err := router.FindRoute(r)
	if err != nil {
		return err
	}
	if route.Operation.Responses.Status(response.StatusCode) == nil {
		return fmt.Errorf("the status %d is not documented", response.StatusCode)
	}
	if err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route},
		Status:                 response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(body)),
	}); err != nil {
		return err
	}
	if response.StatusCode < http.StatusBadRequest {
		return nil
	}
	return checkProblem(r, body)
}

// checkProblem checks what the schema of a problem does not say.
func checkProblem(r *http.Request, body []byte) error {
	var problem fencepost.Problem
	if err := json.Unmarshal(body, &problem); err != nil {
		return err
	}
	switch {
	case !strings.HasSuffix(problem.Type, "/problems/"+strings.ReplaceAll(strings.ToLower(string(problem.Code)), "_", "-")):
		return errors.New("the problem has another type")
	case problem.Instance != r.URL.Path:
		return errors.New("the problem has another instance")
	case problem.Title == "" || problem.Detail == "" || problem.RequestID == "":
		return errors.New("the problem is not explained")
	default:
		return nil
	}
}

// published returns the router of the document's operations.
var published = sync.OnceValues(func() (routers.Router, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	const file = "docs/openapi.yaml"
	for !exists(filepath.Join(folder, file)) {
		if folder == filepath.Dir(folder) {
			return nil, errors.New("no folder above this one has " + file)
		}
		folder = filepath.Dir(folder)
	}
	document, err := openapi3.NewLoader().LoadFromFile(filepath.Join(folder, file))
	if err != nil {
		return nil, err
	}
	document.Servers = openapi3.Servers{{URL: "/"}}
	return gorillamux.NewRouter(document)
})

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
