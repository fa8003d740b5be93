package e2e_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
)

// TestAgentIsAuthorizedByPerson starts with only the address of the tools and ends with a tool call: the client
// discovers the authorization server from the error response and registers itself, and a person signs in and grants
// access. The token is valid at every replica and nowhere else, until it is revoked. The test does not run in parallel,
// because it measures the time of the revocation.
func TestAgentIsAuthorizedByPerson(t *testing.T) {
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	s.Start("console", "").Ready()
	tools := s.StartTools(2)
	person := s.NewPerson("mara@example.com")
	var client string
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Planner", RedirectURIs: []string{"http://127.0.0.1:4711/callback"}, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}},
		AuthorizationCodeFetcher: func(ctx context.Context, requested *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			address, err := url.Parse(requested.URL)
			if err != nil {
				return nil, err
			}
			client = address.Query().Get("client_id")
			return person.Allow(ctx, requested)
		},
		Client: s.HTTP,
	})
	require.NoError(t, err)
	agent, err := harness.NewAgent(t.Context(), harness.AgentConfig{Endpoint: s.MCPURL, OAuth: handler})
	require.NoError(t, err)
	t.Cleanup(func() { _ = agent.Close() })
	found, err := call[channelsFound](t.Context(), agent, "list_channels", nil)
	require.NoError(t, err)
	require.Len(t, found.Data, len(s.Channels))

	source, err := handler.TokenSource(t.Context())
	require.NoError(t, err)
	given, err := source.Token()
	require.NoError(t, err)
	for _, endpoint := range tools.Endpoints {
		there, err := harness.NewAgent(t.Context(), harness.AgentConfig{Endpoint: endpoint, Token: given.AccessToken})
		require.NoError(t, err)
		_, err = call[channelsFound](t.Context(), there, "list_channels", nil)
		require.NoError(t, err)
		require.NoError(t, there.Close())
		require.Equal(t, http.StatusOK, pinged(t, s, endpoint, given.AccessToken))
	}
	otherInstallation := harness.Failure(harness.All(s.Client(given.AccessToken).Posts.List(t.Context(), fencepost.ListPostsParams{})))
	require.Equal(t, http.StatusUnauthorized, harness.Status(otherInstallation, http.StatusOK), "the token is for the tools alone")

	begin := time.Now()
	revoke(t, s, client, given.AccessToken)
	for _, endpoint := range tools.Endpoints {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Equal(c, http.StatusUnauthorized, pinged(c, s, endpoint, given.AccessToken))
		}, time.Second-time.Since(begin), 10*time.Millisecond)
	}
}

// pinged sends a minimal request and returns the response's status.
func pinged(t require.TestingT, s *harness.System, endpoint, token string) int {
	request, err := http.NewRequest(http.MethodPost, endpoint, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)) //nolint:noctx // a short request
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25",
	} {
		request.Header.Set(name, value)
	}
	response, err := s.HTTP.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// revoke revokes a token as a public client does (RFC 7009).
func revoke(t *testing.T, s *harness.System, client, token string) {
	t.Helper()
	form := url.Values{"client_id": {client}, "token": {token}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.APIURL+"/oauth/revoke",
		strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := s.HTTP.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", body)
}
