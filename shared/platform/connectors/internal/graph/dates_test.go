package graph_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	validDates = `{"data":{"app_id":"app","is_valid":true,"issued_at":1772355600,"expires_at":0,` +
		`"data_access_expires_at":1780131600,"scopes":["pages_show_list","pages_manage_posts"]}}`
	refusedToken = `{"error":{"message":"Invalid OAuth access token","type":"OAuthException","code":190}}`
)

func TestTokenDates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		app      string // empty: the token reads itself
		response platformtest.Response
		says     platform.Class // class that the network's connector gives the refusal
		class    platform.Class // class of the failure; empty: the dates are read
	}{
		"by the application":         {"app|secret", platformtest.Response{Body: validDates}, "", ""},
		"by the token":               {"", platformtest.Response{Body: validDates}, "", ""},
		"an invalid token":           {"app|secret", platformtest.Response{Body: `{"data":{"is_valid":false}}`}, "", platform.ClassReconnect},
		"no dates":                   {"app|secret", platformtest.Response{Body: `{"data":{}}`}, "", platform.ClassTransient},
		"a page":                     {"app|secret", platformtest.Response{Body: `<html>`}, "", platform.ClassTransient},
		"the application is refused": {"app|secret", platformtest.Response{Status: 400, Body: refusedToken}, platform.ClassReconnect, platform.ClassOperator},
		"the token is refused":       {"", platformtest.Response{Status: 400, Body: refusedToken}, platform.ClassReconnect, platform.ClassReconnect},
		"the token may not read":     {"", platformtest.Response{Status: 400, Body: `{"error":{"code":100}}`}, platform.ClassRejected, platform.ClassOperator},
		"limited":                    {"", platformtest.Response{Status: 400}, platform.ClassRateLimited, platform.ClassRateLimited},
		"down":                       {"", platformtest.Response{Status: 503}, platform.ClassTransient, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := platformtest.NewScript(t, map[string][]platformtest.Response{"GET /v26.0/debug_token": {c.response}})
			client, err := httpcall.New(httpcall.Config{
				Network: channel.NetworkFacebook, Name: "Facebook", BaseURL: script.URL, Clock: clocktest.New(now()),
			})
			require.NoError(t, err)
			held := channel.Credentials{AccessToken: "token-1", Variant: channel.FacebookLogin}
			fresh, err := graph.Dates{
				Client: client, Version: "v26.0", AppToken: c.app,
				Class: func(r httpcall.Response) *platform.Failure {
					return client.Fail(c.says, "CODE", r.Cause("refused"), "Refused.")
				},
			}.Read(t.Context(), held)
			sent := script.Requests()[0]
			require.Equal(t, "token-1", sent.Query.Get("input_token"))
			reader := c.app
			if reader == "" {
				reader = "token-1"
			}
			require.Equal(t, "Bearer "+reader, sent.Header.Get("Authorization"))
			if c.class != "" {
				failure := platformtest.Failure(t, err)
				require.Equal(t, c.class, failure.Class)
				require.NotContains(t, err.Error(), "secret")
				require.NotContains(t, err.Error(), "token-1")
				require.Equal(t, c.class == platform.ClassOperator, failure.Code == graph.CodeAppAccess)
				return
			}
			require.NoError(t, err)
			require.Equal(t, channel.Credentials{
				AccessToken: "token-1", Variant: channel.FacebookLogin, ClientID: "app",
				Scope: "pages_show_list pages_manage_posts", IssuedAt: time.Unix(1772355600, 0).UTC(),
				DataAccessEndsAt: time.Unix(1780131600, 0).UTC(),
			}, fresh)
		})
	}
}

// TestPageTerm checks that the dates of a Page's token are read at once and then every week, and that the earlier of its
// ends counts.
func TestPageTerm(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	at := now()
	for name, c := range map[string]struct {
		held channel.Credentials
		want platform.Term
	}{
		"new": {channel.Credentials{StoredAt: at}, platform.Term{RenewBefore: at.Add(time.Minute)}},
		"read": {
			channel.Credentials{StoredAt: at, IssuedAt: at.Add(-day), DataAccessEndsAt: at.Add(90 * day)},
			platform.Term{RenewBefore: at.Add(7 * day), EndsAt: at.Add(90 * day)},
		},
		"of a short life": {
			channel.Credentials{StoredAt: at, IssuedAt: at, ExpiresAt: at.Add(60 * day), DataAccessEndsAt: at.Add(90 * day)},
			platform.Term{RenewBefore: at.Add(7 * day), EndsAt: at.Add(60 * day)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, graph.PageTerm(c.held))
		})
	}
}

func TestAppToken(t *testing.T) {
	t.Parallel()
	require.Equal(t, "app|secret", graph.AppToken("app", "secret"))
	require.Empty(t, graph.AppToken("app", ""))
	require.Empty(t, graph.AppToken("", "secret"))
}
