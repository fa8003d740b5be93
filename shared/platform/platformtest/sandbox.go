package platformtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sandbox calls the control API of a sandbox network (docs/contract.md, Sandbox control).
type Sandbox struct {
	URL string // without a trailing slash
}

// Fault is a failure to inject.
type Fault struct {
	Platform string `json:"platform,omitempty"`
	Account  string `json:"account,omitempty"`
	Step     string `json:"step,omitempty"`
	Kind     string `json:"kind"`
	Times    int    `json:"times,omitempty"`
	DelayMs  int64  `json:"delayMs,omitempty"`
}

// Entry is one published post.
type Entry struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
	Account  string `json:"account"`
	Text     string `json:"text"`
	Parent   string `json:"parent"` // id of the post that it replies to; empty: none
	Media    []File `json:"media"`  // in order
	// Details are further properties of the post, by name.
	Details   map[string]string `json:"details"`
	CreatedAt string            `json:"createdAt"`
	URL       string            `json:"url"`
}

// File is one media file of a published post.
type File struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	ContentType string `json:"contentType"`
	SHA256      string `json:"sha256"`
	Size        int64  `json:"size"`
	AltText     string `json:"altText"`
	URL         string `json:"url"` // of the bytes
}

// Inject arms a fault.
func (s Sandbox) Inject(t *testing.T, fault Fault) {
	t.Helper()
	body, err := json.Marshal(fault)
	require.NoError(t, err)
	s.do(t, http.MethodPost, "/_sandbox/faults", body, http.StatusCreated, nil)
}

// Posts returns the posts of an account, newest first. An empty platform or account matches any.
func (s Sandbox) Posts(t *testing.T, platform, account string) []Entry {
	t.Helper()
	var entries []Entry
	query := url.Values{"platform": {platform}, "account": {account}}
	s.do(t, http.MethodGet, "/_sandbox/posts?"+query.Encode(), nil, http.StatusOK, &entries)
	return entries
}

// Delete deletes a post, as its account does on the network.
func (s Sandbox) Delete(t *testing.T, platform, id string) {
	t.Helper()
	query := url.Values{"platform": {platform}, "id": {id}}
	s.do(t, http.MethodDelete, "/_sandbox/posts?"+query.Encode(), nil, http.StatusNoContent, nil)
}

// DeleteFaults disarms every fault.
func (s Sandbox) DeleteFaults(t *testing.T) {
	t.Helper()
	s.do(t, http.MethodDelete, "/_sandbox/faults", nil, http.StatusNoContent, nil)
}

// Reset disarms every fault and deletes every post.
func (s Sandbox) Reset(t *testing.T) {
	t.Helper()
	s.do(t, http.MethodDelete, "/_sandbox/faults", nil, http.StatusNoContent, nil)
	s.do(t, http.MethodDelete, "/_sandbox/posts", nil, http.StatusNoContent, nil)
}

func (s Sandbox) do(t *testing.T, method, path string, body []byte, status int, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, status, response.StatusCode, "%s %s", method, path)
	if into != nil {
		require.NoError(t, json.NewDecoder(response.Body).Decode(into))
	}
}
