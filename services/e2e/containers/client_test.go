package containers_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const timeout = 30 * time.Second

// client sends requests to the published ports, each once: it never repeats one.
type client struct {
	http *http.Client
	tls  *tls.Config
}

// newClient returns a client that resolves names below localhost to this machine, as browsers do.
func newClient() *client {
	dialer, settings := &net.Dialer{Timeout: timeout}, &tls.Config{MinVersion: tls.VersionTLS12}
	return &client{tls: settings, http: &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 64, ForceAttemptHTTP2: true, TLSClientConfig: settings,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				host, port, err := net.SplitHostPort(address)
				if err != nil {
					return nil, err
				}
				if strings.HasSuffix(host, ".localhost") {
					host = "127.0.0.1"
				}
				return dialer.DialContext(ctx, network, net.JoinHostPort(host, port))
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// trust makes the client trust a certificate authority.
func (c *client) trust(t *testing.T, authority string) {
	t.Helper()
	c.tls.RootCAs = x509.NewCertPool()
	require.True(t, c.tls.RootCAs.AppendCertsFromPEM([]byte(authority)), authority)
}

// call is a request.
type call struct {
	method, url, key string
	body             any // JSON, or bytes
	headers          map[string]string
}

// send sends a request once. It returns an error unless the status is below 400.
func (c *client) send(ctx context.Context, to call, result any) error {
	var body io.Reader = http.NoBody
	switch content := to.body.(type) {
	case nil:
	case []byte:
		body = bytes.NewReader(content)
	default:
		raw, err := json.Marshal(content)
		if err != nil {
			return err
		}
		body = io.NopCloser(bytes.NewReader(raw)) // without GetBody, so that the transport cannot send it again
	}
	request, err := http.NewRequestWithContext(ctx, to.method, to.url, body)
	if err != nil {
		return err
	}
	if to.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if to.key != "" {
		request.Header.Set("Authorization", "Bearer "+to.key)
	}
	for name, value := range to.headers {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: the response broke off: %w", to.method, to.url, err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", to.method, to.url, response.Status, raw) //nolint:err113 // for the report
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(raw, result)
}

// post is the part of a post that the checks read.
type post struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	PostURL string `json:"postUrl"`
	Error   any    `json:"error"`
}

// create creates a post that is published now.
func (s *stack) create(ctx context.Context, base, key, channel, text string, media ...string) (post, error) {
	var created []post
	fields := map[string]any{"channelIds": []string{channel}, "content": text, "schedule": "now"}
	if len(media) > 0 {
		fields["mediaIds"] = media
	}
	err := s.client.send(ctx, call{method: http.MethodPost, url: base + "/v1/posts", key: key, body: fields}, &created)
	if err != nil {
		return post{}, err
	}
	if len(created) != 1 {
		return post{}, fmt.Errorf("%d posts were created", len(created)) //nolint:err113 // for the report
	}
	return created[0], nil
}

// read reads a post.
func (s *stack) read(base, key, id string) post {
	s.t.Helper()
	var found post
	require.NoError(s.t, s.client.send(s.t.Context(), call{
		method: http.MethodGet, url: base + "/v1/posts/" + id, key: key,
	}, &found))
	return found
}

// publish creates a post and waits until it is published.
func (s *stack) publish(base, channel, text string, media ...string) post {
	s.t.Helper()
	created, err := s.create(s.t.Context(), base, s.key, channel, text, media...)
	require.NoError(s.t, err)
	s.published(base, s.key, created.ID)
	return created
}

// published waits until a post is published.
func (s *stack) published(base, key, id string) {
	s.t.Helper()
	var last post
	s.eventually(func() bool {
		last = s.read(base, key, id)
		return last.Status == "PUBLISHED"
	}, "the post %s is published", id)
}

// entry is a post that a sandbox network accepted.
type entry struct {
	Text  string `json:"text"`
	Media []struct {
		SHA256 string `json:"sha256"`
		Size   int64  `json:"size"`
	} `json:"media"`
}

// ledger returns the posts that the sandbox networks accepted, by text.
func (s *stack) ledger() map[string][]entry {
	s.t.Helper()
	var found []entry
	require.NoError(s.t, s.client.send(s.t.Context(), call{
		method: http.MethodGet, url: "http://127.0.0.1:" + s.get("SANDBOX_PORT") + "/_sandbox/posts?limit=100000",
	}, &found))
	byText := make(map[string][]entry)
	for _, e := range found {
		byText[e.Text] = append(byText[e.Text], e)
	}
	return byText
}

// eventually waits until a condition holds.
func (s *stack) eventually(condition func() bool, what string, args ...any) {
	s.t.Helper()
	limit, pause := time.After(2*time.Minute), time.NewTicker(200*time.Millisecond)
	defer pause.Stop()
	for !condition() {
		select {
		case <-limit:
			require.FailNowf(s.t, "not within two minutes", what, args...)
		case <-pause.C:
		}
	}
}
