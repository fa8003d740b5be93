package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Post is the API's post, as far as tests look at it.
type Post struct {
	ID          string     `json:"id"`
	ChannelID   string     `json:"channelId"`
	Content     string     `json:"content"`
	Status      string     `json:"status"`
	ScheduledAt *time.Time `json:"scheduledAt"`
	PublishedAt *time.Time `json:"publishedAt"`
	PostURL     *string    `json:"postUrl"`
	Waiting     *struct {
		Reason string    `json:"reason"`
		Until  time.Time `json:"until"`
	} `json:"waiting"`
	Error *struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		Retryable bool   `json:"retryable"`
	} `json:"error"`
}

// Try calls the API once and returns the status and the body; an error means that it did not answer.
func (s *System) Try(ctx context.Context, method, path string, body any) (int, []byte, error) {
	var payload io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		payload = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.APIURL+path, payload)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.Key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.HTTP.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	return answer.StatusCode, raw, err
}

// Call calls the API and requires the status.
func (s *System) Call(method, path string, body any, want int, into any) {
	s.t.Helper()
	status, raw, err := s.Try(s.t.Context(), method, path, body)
	require.NoError(s.t, err)
	require.Equal(s.t, want, status, "%s %s: %s", method, path, raw)
	if into != nil {
		require.NoError(s.t, json.Unmarshal(raw, into), "%s", raw)
	}
}

// Create makes one post and returns it.
func (s *System) Create(channelID, content, schedule string) Post {
	s.t.Helper()
	var posts []Post
	s.Call(http.MethodPost, "/v1/posts", map[string]any{"channelIds": []string{channelID}, "content": content, "schedule": schedule}, http.StatusCreated, &posts)
	require.Len(s.t, posts, 1)
	return posts[0]
}

// Get reads a post.
func (s *System) Get(id string) Post {
	s.t.Helper()
	var p Post
	s.Call(http.MethodGet, "/v1/posts/"+id, nil, http.StatusOK, &p)
	return p
}

// At is a publish time as the API takes it.
func At(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// Sandbox is the control side of the sandbox network.
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
	Text     string    `json:"text"`
	URL      string    `json:"url"`
	Created  time.Time `json:"createdAt"`
}

// Fault is something the network is told to do wrong.
type Fault struct {
	Platform string `json:"platform,omitempty"`
	Account  string `json:"account,omitempty"`
	Step     string `json:"step,omitempty"`
	Kind     string `json:"kind"`
	Times    int    `json:"times,omitempty"`
	DelayMs  int    `json:"delayMs,omitempty"`
}

// URL is the address of the sandbox.
func (s *Sandbox) URL() string { return s.url }

// Inject tells the network to do something wrong.
func (s *Sandbox) Inject(f Fault) {
	s.t.Helper()
	raw, err := json.Marshal(f)
	require.NoError(s.t, err)
	s.do(http.MethodPost, "/_sandbox/faults", raw, http.StatusCreated)
}

// Heal takes every fault back.
func (s *Sandbox) Heal() {
	s.t.Helper()
	s.do(http.MethodDelete, "/_sandbox/faults", nil, http.StatusNoContent)
}

// Ledger is everything the networks accepted.
func (s *Sandbox) Ledger() []Entry {
	s.t.Helper()
	var entries []Entry
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/posts?limit=100000", nil, http.StatusOK), &entries))
	return entries
}

// Count is how often a text was accepted.
func (s *Sandbox) Count(text string) int {
	s.t.Helper()
	n := 0
	for _, e := range s.Ledger() {
		if e.Text == text {
			n++
		}
	}
	return n
}

func (s *Sandbox) do(method, path string, body []byte, want int) []byte {
	s.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.url+path, bytes.NewReader(body))
	require.NoError(s.t, err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.client.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, want, answer.StatusCode, "%s %s: %s", method, path, raw)
	return raw
}

// Infrastructure asks the development stack to do something to a server: "temporal/kill", "postgres/stop?mode=immediate", …
func Infrastructure(t testing.TB, what string) {
	t.Helper()
	base := os.Getenv("DEVSTACK_CONTROL")
	require.NotEmpty(t, base, "DEVSTACK_CONTROL is not set: run the tests with `make test`")
	address, err := url.Parse(base + "/" + what)
	require.NoError(t, err)
	// Not the test's context: what was stopped is started again in clean-ups, when that has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), http.NoBody)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request) //nolint:forbidigo // the stack's control address on this machine
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, _ := io.ReadAll(answer.Body)
	require.Less(t, answer.StatusCode, 300, "%s: %s", what, raw)
}
