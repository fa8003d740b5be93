// Package platformtest tests connectors. It has a script of canned responses for tests of single cases, and a
// conformance suite that every connector passes against a sandbox network that stores the posts it accepts.
package platformtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// ScriptURL in the body or a header of an Answer is replaced by the URL of the script.
const ScriptURL = "https://script.invalid"

// Answer is one canned response.
type Answer struct {
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
	URL      string
	mu       sync.Mutex
	answers  map[string][]Answer
	fallback Answer // to requests without a key
	seen     []Recorded
}

// NewScript starts a network. The keys are "METHOD /path". The responses of one key are returned in turn, and the last
// one is repeated. Any other request gets a 404 without a body.
func NewScript(t *testing.T, answers map[string][]Answer) *Script {
	t.Helper()
	s := &Script{answers: make(map[string][]Answer, len(answers)), fallback: Answer{Status: http.StatusNotFound}}
	for key, list := range answers {
		s.answers[key] = append([]Answer(nil), list...)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// ServeHTTP writes the next canned response of the request's key.
func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	answer := s.next(r, string(body))
	for name, value := range answer.Header {
		w.Header().Set(name, strings.ReplaceAll(value, ScriptURL, s.URL))
	}
	if answer.Status == 0 {
		answer.Status = http.StatusOK
	}
	w.WriteHeader(answer.Status)
	_, _ = io.WriteString(w, strings.ReplaceAll(answer.Body, ScriptURL, s.URL))
}

func (s *Script) next(r *http.Request, body string) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, Recorded{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header.Clone(), Body: body,
		RawQuery: r.URL.RawQuery,
	})
	key := r.Method + " " + r.URL.Path
	list := s.answers[key]
	if len(list) == 0 {
		return s.fallback
	}
	if len(list) > 1 {
		s.answers[key] = list[1:]
	}
	return list[0]
}

// Set replaces the responses of a key.
func (s *Script) Set(key string, answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[key] = append([]Answer(nil), answers...)
}

// Requests returns all requests so far, oldest first.
func (s *Script) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Recorded(nil), s.seen...)
}
