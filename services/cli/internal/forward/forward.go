// Package forward sends events to a program on this machine as the service sends webhooks, and remembers how far it came.
package forward

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/session"
)

const (
	secretBytes = 32
	retryPause  = time.Second
	// timeout is that of the service (docs/webhooks.md, Acknowledge).
	timeout  = 15 * time.Second
	mostRead = 1 << 16
)

// State is the position in a workspace's events, and the secret that signs them.
type State struct {
	Secret string `json:"secret"`
	Target string `json:"target"`
	// From and Cursor are the position in the log; a cursor belongs to its From.
	Begun  bool      `json:"begun"`
	From   time.Time `json:"from,omitzero"`
	Cursor string    `json:"cursor,omitempty"`
	// Sequence is that of the last event forwarded.
	Sequence int64 `json:"sequence"`

	path string
}

// Load reads the state of a workspace, or returns a new one with a secret.
func Load(folder, workspace string) (*State, error) {
	s := &State{path: filepath.Join(folder, "listen-"+url.PathEscape(workspace)+".json")}
	raw, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		secret := make([]byte, secretBytes)
		_, _ = rand.Read(secret) // never fails
		s.Secret = "whsec_" + base64.StdEncoding.EncodeToString(secret)
		return s, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("%s is not the state of listen: delete it: %w", s.path, err)
	}
	return s, nil
}

// Begin begins after the events up to a sequence, at events of a time.
func (s *State) Begin(from time.Time, sequence int64) {
	s.Begun, s.From, s.Cursor, s.Sequence = true, from, "", sequence
}

// Save writes the state.
func (s *State) Save() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return session.Replace(s.path, append(raw, '\n'))
}

// Target returns the address of a program: a port, a host with a port, or a URL.
func Target(text string) (string, error) {
	if text != "" && strings.Trim(text, "0123456789") == "" {
		text = "localhost:" + text
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	address, err := url.Parse(text)
	if err != nil || address.Hostname() == "" || address.Scheme != "http" && address.Scheme != "https" {
		return "", fmt.Errorf("%q is not an address, such as localhost:3000 or http://localhost:3000/webhooks", text)
	}
	if address.Path == "" {
		address.Path = "/"
	}
	return address.String(), nil
}

// Sender sends events to a program.
type Sender struct {
	Target, Secret string
	HTTP           *http.Client
	Now            func() time.Time
	// Unreachable is called once when the program cannot be reached.
	Unreachable func(err error)
}

// Client returns a client for a program on this machine: it follows no redirects, as the service does not.
func Client() *http.Client {
	return &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Send signs and sends an event, and returns the status and the time of the response. It waits for a program that cannot
// be reached, so that its restart loses no event.
func (s *Sender) Send(ctx context.Context, event fencepost.Event, body []byte) (status int, after time.Duration, err error) {
	for waited := false; ; waited = true {
		if status, after, err = s.Once(ctx, event, body); err == nil || ctx.Err() != nil {
			return status, after, err
		}
		if !waited && s.Unreachable != nil {
			s.Unreachable(err)
		}
		select {
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		case <-time.After(retryPause):
		}
	}
}

// Once is Send without waiting for a program that cannot be reached.
func (s *Sender) Once(ctx context.Context, event fencepost.Event, body []byte) (status int, after time.Duration, err error) {
	begun := s.Now()
	status, err = s.attempt(ctx, event, body)
	return status, s.Now().Sub(begun), err
}

func (s *Sender) attempt(ctx context.Context, event fencepost.Event, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Target, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("User-Agent", "Fencepost-Webhooks/1")
	if err := fencepost.SignWebhook(request.Header, event, body, s.Secret, s.Now()); err != nil {
		return 0, err
	}
	response, err := s.HTTP.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostRead)) // the connection is used again
	return response.StatusCode, nil
}
