package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Revisions returns the protocol revisions of the tool server, newest first.
func Revisions() []string { return []string{"2026-07-28", "2025-11-25", "2025-06-18"} }

// Agent is a client of the tool server that uses the protocol's official library.
type Agent struct {
	session   *mcp.ClientSession
	transport *http.Transport
}

// AgentConfig holds the settings of an agent.
type AgentConfig struct {
	Endpoint string
	Token    string            // an API key or an access token; empty: none
	OAuth    auth.OAuthHandler // gets a token from a person; nil: none
	Revision string            // of the protocol; empty: the newest
}

// NewAgent connects with the configured revision. It fails if the server selects another one.
func NewAgent(ctx context.Context, c AgentConfig) (*Agent, error) {
	const timeout = 30 * time.Second
	if c.Revision == "" {
		c.Revision = Revisions()[0]
	}
	a := &Agent{transport: &http.Transport{}}
	transport := &mcp.StreamableClientTransport{
		Endpoint: c.Endpoint, OAuthHandler: c.OAuth,
		HTTPClient: &http.Client{Timeout: timeout, Transport: bearer{token: c.Token, to: a.transport}},
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1.0.0"}, nil)
	var err error
	if a.session, err = client.Connect(ctx, transport,
		&mcp.ClientSessionOptions{ProtocolVersion: c.Revision}); err != nil {
		return nil, err
	}
	if got := a.session.InitializeResult().ProtocolVersion; got != c.Revision {
		return nil, errors.Join(fmt.Errorf("the server speaks revision %s in place of %s", got, c.Revision), a.Close())
	}
	return a, nil
}

// Close ends the session and closes its connections.
func (a *Agent) Close() error {
	err := a.session.Close()
	a.transport.CloseIdleConnections()
	return err
}

// Tools returns the names of the available tools.
func (a *Agent) Tools(ctx context.Context) ([]string, error) {
	listed, err := a.session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(listed.Tools))
	for i, tool := range listed.Tools {
		names[i] = tool.Name
	}
	return names, nil
}

// Refused is the error result of a tool.
type Refused struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Next   string `json:"next"`
}

// Error returns the whole message that the agent gets.
func (r *Refused) Error() string { return r.Code + ": " + r.Detail + " " + r.Next }

// Call calls a tool and decodes its result. It returns a *Refused if the tool reports an error. The response contains
// the result as data and as text, which must be equal.
func (a *Agent) Call(ctx context.Context, tool string, arguments map[string]any, into any) error {
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if len(result.Content) != 1 {
		return fmt.Errorf("%s: %d texts", tool, len(result.Content))
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return fmt.Errorf("%s: no text but %T", tool, result.Content[0])
	}
	if result.IsError {
		refused := new(Refused)
		return errors.Join(json.Unmarshal([]byte(text.Text), refused), refused)
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	if !sameJSON(data, []byte(text.Text)) {
		return fmt.Errorf("%s: the text differs from the data: %s", tool, text.Text)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w: %s", tool, err, data)
	}
	return nil
}

// sameJSON compares two documents regardless of the order of their members.
func sameJSON(a, b []byte) bool {
	var one, other any
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil {
		return false
	}
	left, _ := json.Marshal(one)
	right, _ := json.Marshal(other)
	return bytes.Equal(left, right)
}

// bearer adds a token to each request without an Authorization header.
type bearer struct {
	token string
	to    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" && r.Header.Get("Authorization") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.to.RoundTrip(r)
}
