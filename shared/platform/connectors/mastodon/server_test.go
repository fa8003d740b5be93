package mastodon_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/mastodon"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/platformtest"
)

// reached returns a connector with the rules for servers that the service uses.
func reached(t *testing.T) *mastodon.Connector {
	t.Helper()
	policy, err := egress.NewPolicy(egress.PolicyConfig{})
	require.NoError(t, err)
	connector, err := mastodon.New(mastodon.Config{
		Wire: httpcall.Config{Clock: clocktest.New(now())}, Reach: network.Servers{
			Check: func(url string) error { _, err := policy.ParseGate(egress.Webhook, url); return err },
			Dial:  policy.Dialer(egress.Webhook, nil),
		},
	})
	require.NoError(t, err)
	return connector
}

// TestServerNames checks the ways to name a server, and that the rules for outgoing requests apply to each.
func TestServerNames(t *testing.T) {
	t.Parallel()

	connector := reached(t)
	for named, want := range map[string]string{
		"": mastodon.OfficialServer, "mastodon.social": mastodon.OfficialServer, "Fosstodon.org": "https://fosstodon.org",
		"https://fosstodon.org": "https://fosstodon.org", "HTTPS://fosstodon.org/@ada": "https://fosstodon.org",
		"fosstodon.org/home": "https://fosstodon.org", "fosstodon.org.": "https://fosstodon.org",
		"@ada@fosstodon.org": "https://fosstodon.org", "ada@fosstodon.org": "https://fosstodon.org",
		"@ada@mastodon.social": mastodon.OfficialServer, "müller.social": "https://xn--mller-kva.social",
		"fosstodon.org\n": "https://fosstodon.org",
	} {
		server, err := connector.Server(named)
		require.NoError(t, err, named)
		require.Equal(t, want, server, named)
	}
	for _, named := range []string{
		"ada", "@ada", "localhost", "https://localhost/", "127.0.0.1", "ada@127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1",
		"2130706433", "0x7f.1", "server.internal", "printer.local", "fosstodon.org:8443", "http://fosstodon.org", "ftp://a.com",
		"https://ada@fosstodon.org", "https://", "a b.com", "a..com", "a.com?b", "a.com#b", "a.com\\b", "-a.com",
		strings.Repeat("a", 260) + ".com",
	} {
		_, err := connector.Server(named)
		failure := platformtest.Failure(t, err)
		require.Equal(t, platform.ClassUser, failure.Class, named)
		require.Equal(t, mastodon.CodeServerName, failure.Code, named)
	}
}

func TestSuggestedServers(t *testing.T) {
	t.Parallel()

	field := reached(t).ServerField()
	require.Equal(t, "mastodon.social", field.Usual)
	require.Equal(t, []string{"mastodon.social", "mastodon.online", "mstdn.social", "fosstodon.org", "hachyderm.io"}, field.Choices)
	field = setup(t, nil).connector.ServerField()
	require.Equal(t, "mastodon.sandbox.test", field.Usual)
	require.Len(t, field.Choices, 6)
}

// TestChannelKeepsServer checks that a channel keeps its server, whether its credentials name it or not.
func TestChannelKeepsServer(t *testing.T) {
	t.Parallel()

	connector := reached(t)
	for id, want := range map[string]string{
		"fosstodon.org/1": "https://fosstodon.org", "109302436954721982": mastodon.OfficialServer, "": mastodon.OfficialServer,
	} {
		require.Equal(t, want, connector.ServerOf(platform.Account{ExternalID: id}), id)
	}
}

// TestServerWithoutRegistration checks the failures of servers at which this service cannot register.
func TestServerWithoutRegistration(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		response platformtest.Response
		code     string
	}{
		"a web page":    {ok("<html>"), mastodon.CodeServerOther},
		"not found":     {platformtest.Response{Status: 404, Body: "<html>"}, mastodon.CodeServerOther},
		"a redirect":    {platformtest.Response{Status: 301, Body: ""}, mastodon.CodeServerOther},
		"other JSON":    {ok(`{"client_id":"a b","client_secret":""}`), mastodon.CodeServerOther},
		"down":          {platformtest.Response{Status: 503}, mastodon.CodeServerDown},
		"too many apps": {platformtest.Response{Status: 429}, mastodon.CodeServerDown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{
				"GET /.well-known/oauth-authorization-server": {{Status: 404, Body: "<html>"}}, "POST /api/v1/apps": {c.response},
			})
			_, err := b.connector.AuthorizeURL(t.Context(), platform.Consent{State: "s", Redirect: "https://app.example.com/c"})
			failure := platformtest.Failure(t, err)
			require.Equal(t, c.code, failure.Code)
			require.Error(t, failure.Cause, "the response is kept")
		})
	}
}

// TestUnresponsiveServer names a server to which no connection is made.
func TestUnresponsiveServer(t *testing.T) {
	t.Parallel()

	connector, err := mastodon.New(mastodon.Config{
		Wire: httpcall.Config{Clock: clocktest.New(now())}, Reach: network.Servers{
			Check: func(string) error { return nil },
			Dial:  func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no such host") },
		},
	})
	require.NoError(t, err)
	_, err = connector.AuthorizeURL(t.Context(), platform.Consent{Server: "https://server.invalid", Redirect: "https://app.example.com/c"})
	failure := platformtest.Failure(t, err)
	require.Equal(t, mastodon.CodeServerDown, failure.Code)
	require.Contains(t, failure.Message, "server.invalid does not respond.")
}

// store is a store of applications that two processes share.
type store map[[2]string]string

func (s store) Registered(_ context.Context, server, redirect string) (string, error) {
	return s[[2]string{server, redirect}], nil
}

func (s store) Register(_ context.Context, server, redirect, application string) error {
	s[[2]string{server, redirect}] = application
	return nil
}

// TestApplicationIsRegisteredOncePerServer checks that processes share an application, that it is checked before it is used again after
// half a day or a refused code, and that another one is registered if the server has deleted it.
func TestApplicationIsRegisteredOncePerServer(t *testing.T) {
	t.Parallel()

	const (
		register = "POST /api/v1/apps"
		check    = "POST /oauth/token"
		describe = "GET /.well-known/oauth-authorization-server"
	)
	known := platformtest.Response{Status: 400, Body: `{"error":"invalid_grant"}`}
	deleted := platformtest.Response{Status: 401, Body: `{"error":"invalid_client"}`}
	script, clk := platformtest.NewScript(t, map[string][]platformtest.Response{
		describe: {{Status: 404}},
		register: {ok(`{"client_id":"app-1","client_secret":"secret-1"}`), ok(`{"client_id":"app-2","client_secret":"secret-2"}`)},
		check:    {known, {Status: 503}, deleted, deleted, known},
	}), clocktest.New(now())
	shared := make(store)
	process := func() *mastodon.Connector {
		connector, err := mastodon.New(mastodon.Config{
			Wire: httpcall.Config{BaseURL: script.URL, Clock: clk}, OneServer: true, Registrations: shared,
		})
		require.NoError(t, err)
		return connector
	}
	first, second := process(), process()
	asks := func(c *mastodon.Connector, calls ...string) (client, kept string) {
		before := len(script.Requests())
		page, err := c.AuthorizeURL(t.Context(), platform.Consent{State: "s", Redirect: "https://app.example.com/c"})
		var created []string
		for _, one := range script.Requests()[before:] {
			created = append(created, one.Method+" "+one.Path)
		}
		require.Equal(t, calls, created)
		if err != nil {
			return platformtest.Failure(t, err).Code, ""
		}
		at, err := url.Parse(page.URL)
		require.NoError(t, err)
		return at.Query().Get("client_id"), page.Kept
	}
	client := func(c *mastodon.Connector, calls ...string) string { id, _ := asks(c, calls...); return id }

	require.Equal(t, "app-1", client(first, describe, register))
	require.Equal(t, "app-1", client(second))
	clk.Advance(13 * time.Hour)
	require.Equal(t, "app-1", client(second, check))
	require.Equal(t, "app-1", client(first), "just checked")
	clk.Advance(13 * time.Hour)
	require.Equal(t, mastodon.CodeServerDown, client(first, check), "nothing is registered meanwhile")
	require.Equal(t, "app-2", client(first, check, describe, register))

	_, kept := asks(first)
	_, err := second.Exchange(t.Context(), platform.Code{Code: "code", Redirect: "https://app.example.com/c", Kept: kept})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret-2")
	require.Equal(t, "app-2", client(first, check), "a refused code may mean that the server has deleted it")
	require.Len(t, shared, 1)
	for key := range shared {
		require.Equal(t, [2]string{"https://mastodon.sandbox.test", "https://app.example.com/c"}, key)
	}
	require.Equal(t, []channel.Type{channel.Mastodon}, first.Types())
}
