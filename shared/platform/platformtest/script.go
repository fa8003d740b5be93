// Package platformtest tests connectors. It has a script of canned responses for tests of single cases, and a
// conformance suite that every connector passes against a sandbox network that stores the posts it accepts.
// An OpenAPI checks requests against a network's description: an unknown path, query parameter or body field fails.
package platformtest

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// ScriptURL in the body or a header of a Response is replaced by the URL of the script.
const ScriptURL = "https://script.invalid"

// Response is one canned response.
type Response struct {
	Status int // 200 if zero
	Header map[string]string
	Body   string
}

// Recorded is a request that a Script received.
type Recorded struct {
	Method string
	Path   string // as sent, escaped
	Query  url.Values
	Header http.Header
	Body   string

	RawQuery string // as sent, escaped
}

// Form parses the body as a form.
func (r Recorded) Form(t *testing.T) url.Values {
	t.Helper()
	form, err := url.ParseQuery(r.Body)
	require.NoError(t, err)
	return form
}

// Script is a network that returns canned responses and records its requests.
type Script struct {
	URL       string
	mu        sync.Mutex
	responses map[string][]Response
	fallback  Response // to requests without a key
	seen      []Recorded
}

// NewScript starts a network. The keys are "METHOD /path". The responses of one key are returned in turn, and the last
// one is repeated. Any other request gets a 404 without a body.
func NewScript(t *testing.T, responses map[string][]Response) *Script {
	t.Helper()
	s := &Script{responses: make(map[string][]Response, len(responses)), fallback: Response{Status: http.StatusNotFound}}
	for key, list := range responses {
		s.responses[key] = append([]Response(nil), list...)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// ServeHTTP writes the next canned response of the request's key.
func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	response := s.next(r, string(body))
	for name, value := range response.Header {
		w.Header().Set(name, strings.ReplaceAll(value, ScriptURL, s.URL))
	}
	response.Status = cmp.Or(response.Status, http.StatusOK)
	w.WriteHeader(response.Status)
	_, _ = io.WriteString(w, strings.ReplaceAll(response.Body, ScriptURL, s.URL))
}

func (s *Script) next(r *http.Request, body string) Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, Recorded{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header.Clone(), Body: body,
		RawQuery: r.URL.RawQuery,
	})
	key := r.Method + " " + r.URL.Path
	list := s.responses[key]
	if len(list) == 0 {
		return s.fallback
	}
	if len(list) > 1 {
		s.responses[key] = list[1:]
	}
	return list[0]
}

// Set replaces the responses of a key.
func (s *Script) Set(key string, responses ...Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.responses[key] = append([]Response(nil), responses...)
}

// Requests returns all requests so far, oldest first.
func (s *Script) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Recorded(nil), s.seen...)
}
