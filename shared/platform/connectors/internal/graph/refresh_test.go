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

func TestRefresh(t *testing.T) {
	t.Parallel()
	const life = 60 * 24 * time.Hour
	for name, c := range map[string]struct {
		response platformtest.Response
		says     platform.Class // class that the network's connector gives the refusal
		life     time.Duration  // lifetime of the fresh token
		class    platform.Class // class of the failure
	}{
		"fresh":          {platformtest.Response{Body: `{"access_token":"token-2","expires_in":3600}`}, "", time.Hour, ""},
		"without a life": {platformtest.Response{Body: `{"access_token":"token-2"}`}, "", life, ""},
		"with an absurd life": {
			platformtest.Response{Body: `{"access_token":"token-2","expires_in":99999999999}`}, "", life, "",
		},
		"no token":        {platformtest.Response{Body: `{}`}, "", 0, platform.ClassTransient},
		"a hostile token": {platformtest.Response{Body: `{"access_token":"a\r\nb"}`}, "", 0, platform.ClassTransient},
		"a page":          {platformtest.Response{Body: `<html>token/1 token%2F1`}, "", 0, platform.ClassTransient},
		"expired":         {platformtest.Response{Status: 401}, platform.ClassRefresh, 0, platform.ClassReconnect},
		"too young":       {platformtest.Response{Status: 400}, platform.ClassRejected, 0, platform.ClassReconnect},
		"limited":         {platformtest.Response{Status: 400}, platform.ClassRateLimited, 0, platform.ClassRateLimited},
		"down":            {platformtest.Response{Status: 503}, platform.ClassTransient, 0, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := platformtest.NewScript(t, map[string][]platformtest.Response{"GET /refresh_access_token": {c.response}})
			client, err := httpcall.New(httpcall.Config{
				Network: channel.NetworkThreads, Name: "Threads", BaseURL: script.URL, Clock: clocktest.New(now()),
			})
			require.NoError(t, err)
			class := func(response httpcall.Response) *platform.Failure {
				return client.Fail(c.says, "CODE", response.Cause("refused"), "Refused.")
			}
			fresh, err := graph.Refresh(t.Context(), client, "grant", "token/1", class)
			require.Equal(t, "grant", script.Requests()[0].Query.Get("grant_type"))
			require.Equal(t, "token/1", script.Requests()[0].Query.Get("access_token"))
			if c.class != "" {
				require.Equal(t, c.class, platformtest.Failure(t, err).Class)
				require.NotContains(t, err.Error(), "token/1")
				require.NotContains(t, err.Error(), "token%2F1")
				return
			}
			require.NoError(t, err)
			require.Equal(t, channel.Credentials{AccessToken: "token-2", IssuedAt: now(), ExpiresAt: now().Add(c.life)}, fresh)
		})
	}
}

// TestLongLivedTerm checks that a token is renewed every week, never before it is a day old, and never after its end.
func TestLongLivedTerm(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	at := now()
	for name, c := range map[string]struct {
		held channel.Credentials
		want time.Time
	}{
		"issued now":          {channel.Credentials{IssuedAt: at, StoredAt: at, ExpiresAt: at.Add(60 * day)}, at.Add(7 * day)},
		"its age unknown":     {channel.Credentials{StoredAt: at}, at.Add(25 * time.Hour)},
		"its age by its end":  {channel.Credentials{StoredAt: at, ExpiresAt: at.Add(58 * day)}, at.Add(5 * day)},
		"old when connected":  {channel.Credentials{StoredAt: at, ExpiresAt: at.Add(20 * day)}, at},
		"with a shorter life": {channel.Credentials{IssuedAt: at, StoredAt: at, ExpiresAt: at.Add(3 * day)}, at.Add(47 * time.Hour)},
	} {
		require.Equal(t, c.want, graph.LongLivedTerm(c.held).RenewBefore, name)
	}
}
