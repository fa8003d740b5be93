package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/mastodon"
)

// connectsAt connects the account of ada at the server.
func (c *consenting) connectsAt(t *testing.T, server string) channel.Candidate {
	t.Helper()
	c.server = server
	code := c.code(t, decision{account: "ada"})
	credentials, err := c.link.Exchange(t.Context(), code)
	require.NoError(t, err)
	found, err := c.link.Accounts(t.Context(), credentials)
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

func accountOf(c channel.Candidate) platform.Account {
	return platform.Account{Type: channel.Mastodon, ExternalID: c.ExternalID, Username: c.Username, Credentials: c.Credentials}
}

// TestTwoMastodonServers connects accounts of one name at two servers, publishes at each, reads figures, and revokes one.
func TestTwoMastodonServers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.consenting(t, connecting{typ: channel.Mastodon})
	usual, other := c.connectsAt(t, ""), c.connectsAt(t, "https://fosstodon.org")
	require.Equal(t, "mastodon.sandbox.test/ada", usual.ExternalID)
	require.Equal(t, "fosstodon.org/ada", other.ExternalID)
	require.Equal(t, "ada@fosstodon.org", other.Username)
	require.Equal(t, "https://fosstodon.org", other.Credentials.Server)
	require.NotEqual(t, usual.Credentials.ClientID, other.Credentials.ClientID, "an application at each server")

	connector, ok := c.link.(*mastodon.Connector)
	require.True(t, ok)
	ids := make(map[string]string)
	for _, one := range []channel.Candidate{usual, other} {
		account := accountOf(one)
		identity, err := connector.Identify(t.Context(), account)
		require.NoError(t, err)
		require.Equal(t, one.ExternalID, identity.ID)
		created, err := connector.Commit(t.Context(), account, platform.Content{
			PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello from " + one.ExternalID,
		}, "")
		require.NoError(t, err)
		ids[one.ExternalID] = created.ExternalID
		listed := b.call(t.Context(), t, http.MethodGet, "/_sandbox/posts?platform=mastodon&account="+url.QueryEscape(one.ExternalID), "", "", "")
		require.Equal(t, 1, strings.Count(listed.body, "Hello from "), listed.body)
		require.Contains(t, listed.body, "Hello from "+one.ExternalID)
		figures, err := connector.PostInsights(t.Context(), account, []string{created.ExternalID})
		require.NoError(t, err)
		require.Contains(t, figures, created.ExternalID)
	}
	figures, err := connector.PostInsights(t.Context(), accountOf(usual), []string{ids[other.ExternalID]})
	require.NoError(t, err)
	require.Empty(t, figures, "a server has its own posts")

	require.NoError(t, connector.Revoke(t.Context(), accountOf(other)))
	_, err = connector.Identify(t.Context(), accountOf(other))
	require.Equal(t, platform.ClassReconnect, platform.FailureOf(err).Class)
	_, err = connector.Identify(t.Context(), accountOf(usual))
	require.NoError(t, err, "the other server's account is untouched")
}

// TestMastodonServerRefusesForeignCredentials checks that a server refuses the tokens, codes and applications of another one.
func TestMastodonServerRefusesForeignCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const usual, other = "/mastodon", "/mastodon-at/fosstodon.org"
	for at, tokens := range map[string][2]string{
		usual: {"sandbox-mastodon-ada", "sandbox-mastodon-ada@fosstodon.org"},
		other: {"sandbox-mastodon-ada@fosstodon.org", "sandbox-mastodon-ada"},
	} {
		require.Equal(t, http.StatusOK, b.get(t, at+"/api/v1/accounts/verify_credentials", tokens[0]).status, at)
		require.Equal(t, http.StatusUnauthorized, b.get(t, at+"/api/v1/accounts/verify_credentials", tokens[1]).status, at)
		require.Equal(t, http.StatusUnauthorized, b.call(t.Context(), t, http.MethodPost, at+"/api/v1/statuses", tokens[1],
			"application/json", `{"status":"Hello"}`).status, at)
	}
	require.Contains(t, b.get(t, other+"/api/v2/instance", "sandbox-mastodon-ada@fosstodon.org").body, `"domain":"fosstodon.org"`)

	send := func(path string, form url.Values) reply {
		return b.call(t.Context(), t, http.MethodPost, path, "", "application/x-www-form-urlencoded", form.Encode())
	}
	var app struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	registered := send(other+"/api/v1/apps", url.Values{
		"client_name": {"test"}, "redirect_uris": {callback}, "scopes": {"profile"},
	})
	require.NoError(t, json.Unmarshal([]byte(registered.body), &app))
	page := func(at, redirect string) int {
		return b.get(t, at+"/oauth/authorize?"+url.Values{
			"client_id": {app.ID}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"s"}, "scope": {"profile"},
		}.Encode(), "").status
	}
	require.Equal(t, http.StatusOK, page(other, callback))
	require.Equal(t, http.StatusBadRequest, page(usual, callback), "of another server")
	require.Equal(t, http.StatusBadRequest, page(other, callback+"/other"), "not the registered address")
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {"invented"}, "client_id": {app.ID}, "client_secret": {app.Secret},
		"redirect_uri": {callback}, "token": {"sandbox-mastodon-ada@fosstodon.org"},
	}
	require.Contains(t, send(other+"/oauth/token", form).body, "invalid_grant")
	require.Contains(t, send(usual+"/oauth/token", form).body, "invalid_client")
	require.Equal(t, http.StatusForbidden, send(usual+"/oauth/revoke", form).status)
	require.Equal(t, http.StatusOK, send(other+"/oauth/revoke", form).status)
}

// TestHostsWithoutMastodon checks the failures at hosts on which no Mastodon runs.
func TestHostsWithoutMastodon(t *testing.T) {
	t.Parallel()
	c := setup(t).consenting(t, connecting{typ: channel.Mastodon})
	for server, code := range map[string]string{
		"https://www.fosstodon.org": mastodon.CodeServerOther, "https://down.fosstodon.org": mastodon.CodeServerDown,
	} {
		_, err := c.link.AuthorizeURL(t.Context(), platform.Consent{State: "s", Redirect: callback, Server: server})
		require.Equal(t, code, platform.FailureOf(err).Code, server)
	}
}
