package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Sandbox is a client of the sandbox network's control API.
type Sandbox struct {
	t      testing.TB
	url    string
	client *http.Client
}

// Entry is one post that a network accepted.
type Entry struct {
	ID       string    `json:"id"`
	Platform string    `json:"platform"`
	Account  string    `json:"account"`
	Title    string    `json:"title"`
	Text     string    `json:"text"`
	URL      string    `json:"url"`
	Created  time.Time `json:"createdAt"`
	// Visibility is the network's own value, if it has visibilities.
	Visibility string `json:"visibility"`
	// Details are further properties of the post, by name.
	Details map[string]string `json:"details"`
	Media   []File            `json:"media"`
	Parent  string            `json:"parent"` // id of the post that it replies to
}

// File is one attachment of a post that a network accepted.
type File struct {
	Type        string `json:"type"`
	ContentType string `json:"contentType"`
	SHA256      string `json:"sha256"`
	Size        int64  `json:"size"`
	AltText     string `json:"altText"`
	URL         string `json:"url"`
}

// Bytes returns the bytes of an attachment as the network serves them.
func (s *Sandbox) Bytes(f File) []byte {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, f.URL, http.NoBody)
	require.NoError(s.t, err)
	response, err := s.client.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	raw, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return raw
}

// Fault is a fault for the network to inject.
type Fault struct {
	Platform string `json:"platform,omitempty"`
	Account  string `json:"account,omitempty"`
	Step     string `json:"step,omitempty"`
	Kind     string `json:"kind"`
	Times    int    `json:"times,omitempty"`
	DelayMs  int    `json:"delayMs,omitempty"`
}

// URL returns the address of the sandbox.
func (s *Sandbox) URL() string { return s.url }

// Inject adds a fault.
func (s *Sandbox) Inject(f Fault) {
	s.t.Helper()
	raw, err := json.Marshal(f)
	require.NoError(s.t, err)
	s.do(http.MethodPost, "/_sandbox/faults", raw, http.StatusCreated)
}

// Strict switches the networks' own rate limits on or off.
func (s *Sandbox) Strict(on bool) {
	s.t.Helper()
	raw, err := json.Marshal(map[string]bool{"strict": on})
	require.NoError(s.t, err)
	s.do(http.MethodPost, "/_sandbox/limits", raw, http.StatusOK)
}

// Heal deletes all faults.
func (s *Sandbox) Heal() {
	s.t.Helper()
	s.do(http.MethodDelete, "/_sandbox/faults", nil, http.StatusNoContent)
}

// Ledger returns all posts that the networks accepted.
func (s *Sandbox) Ledger() []Entry {
	s.t.Helper()
	var entries []Entry
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/posts?limit=100000", nil, http.StatusOK),
		&entries))
	return entries
}

// Calls returns the number of calls of a step that a network received.
func (s *Sandbox) Calls(platform, step string) int {
	s.t.Helper()
	var heard []struct {
		Platform string `json:"platform"`
		Step     string `json:"step"`
	}
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/calls", nil, http.StatusOK), &heard))
	n := 0
	for _, call := range heard {
		if call.Platform == platform && call.Step == step {
			n++
		}
	}
	return n
}

// ListedVideo is a video on the YouTube channel of an account, as its owner lists it.
type ListedVideo struct {
	Status struct {
		Privacy string `json:"privacyStatus"`
	} `json:"status"`
	Snippet struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"snippet"`
}

// Videos returns all videos of a YouTube channel, private ones too.
func (s *Sandbox) Videos(account string) []ListedVideo {
	s.t.Helper()
	address := s.url + "/youtube/playlistItems?part=snippet,status&maxResults=50&playlistId=UU-" + account
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer sandbox-youtube-"+account)
	response, err := s.client.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = response.Body.Close() }()
	var page struct {
		Items []ListedVideo `json:"items"`
	}
	require.NoError(s.t, json.NewDecoder(response.Body).Decode(&page))
	return page.Items
}

// Count returns how often a text was accepted.
func (s *Sandbox) Count(text string) int {
	s.t.Helper()
	return len(s.Accepted(text))
}

// Accepted returns the posts with a text.
func (s *Sandbox) Accepted(text string) []Entry {
	s.t.Helper()
	return slices.DeleteFunc(s.Ledger(), func(e Entry) bool { return e.Text != text })
}

func (s *Sandbox) do(method, path string, body []byte, want int) []byte {
	s.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.url+path, bytes.NewReader(body))
	require.NoError(s.t, err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := s.client.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, want, response.StatusCode, "%s %s: %s", method, path, raw)
	return raw
}
