package app_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
)

// hosted is a scripted network of independent servers. The ids of accounts name the server.
type hosted struct{ *network }

func (hosted) ServerField() platform.Field {
	return platform.Field{Name: "server", Usual: "usual.test"}
}

func (hosted) Server(named string) (string, error) {
	switch named {
	case "":
		return "https://usual.test", nil
	case "localhost":
		return "", &platform.Failure{Class: platform.ClassUser, Code: "SERVER_INVALID", Message: "Not a server."}
	default:
		return "https://" + strings.TrimPrefix(named, "https://"), nil
	}
}

func (hosted) ServerOf(account platform.Account) string {
	host, _, _ := strings.Cut(account.ExternalID, "/")
	return "https://" + host
}

func setupHosted(t *testing.T) *connecting {
	t.Helper()
	c := setupConnecting(t)
	c.net.accounts = []channel.Candidate{{ExternalID: "one.test/1", Name: "Acme"}}
	links, err := platform.NewRegistry(hosted{c.net})
	require.NoError(t, err)
	c.Connections, err = app.NewConnections(app.ConnectionsDeps{
		DB: c.db, Keyring: c.keyring, Links: links, Clock: c.clock, Logger: slog.New(slog.DiscardHandler), AppURL: "https://app.test",
	})
	require.NoError(t, err)
	return c
}

// TestAttemptKeepsChosenServer checks that an attempt keeps the server that the person named, and that every server has a
// redirect address of its own.
func TestAttemptKeepsChosenServer(t *testing.T) {
	t.Parallel()
	c := setupHosted(t)
	for named, host := range map[string]string{"": "usual.test", "one.test": "one.test", "https://two.test": "two.test"} {
		_, state := c.begin(t, app.BeginConnect{Server: named})
		require.Equal(t, "https://"+host, c.net.consent.Server)
		require.Equal(t, "https://app.test/connect/facebook/callback/"+host, c.net.consent.Redirect)
		c.finish(t, state)
		require.Equal(t, "https://"+host, c.net.code.Server)
		require.Equal(t, c.net.consent.Redirect, c.net.code.Redirect)
	}
	_, _, err := c.Begin(t.Context(), c.p, app.BeginConnect{Session: browser, Type: channel.FacebookPage, Server: "localhost"})
	require.Equal(t, []apperr.Field{{Pointer: "/server", Message: "Not a server."}}, apperr.FieldsOf(err))
}

// TestCodeOfAnotherServerIsRefused checks that a server cannot make a person bring back the code of another server, for
// which the attempt has a secret (RFC 9700 §4.4).
func TestCodeOfAnotherServerIsRefused(t *testing.T) {
	t.Parallel()
	c := setupHosted(t)
	for _, server := range []string{"honest.test", ""} {
		_, state := c.begin(t, app.BeginConnect{Server: "evil.test"})
		a, err := c.Finish(t.Context(), c.p, browser, app.Returned{
			Network: channel.NetworkFacebook, Server: server, State: state, Code: "a-code",
		})
		require.NoError(t, err)
		require.Equal(t, channel.AttemptFailed, a.Outcome)
		require.Equal(t, app.CodeOtherServer, a.Steps[len(a.Steps)-1].Code)
		require.Zero(t, c.net.code, "the code is not sent")
	}
	_, state := c.begin(t, app.BeginConnect{Server: "evil.test"})
	a, err := c.Finish(t.Context(), c.p, browser, app.Returned{
		Network: channel.NetworkFacebook, Server: "evil.test", State: state, Code: "a-code",
	})
	require.NoError(t, err)
	require.Equal(t, channel.AttemptPicking, a.Outcome)
}

// TestChannelIsReconnectedAtItsServer checks a channel whose credentials name no server, as older ones.
func TestChannelIsReconnectedAtItsServer(t *testing.T) {
	t.Parallel()
	c := setupHosted(t)
	created := c.connected(t, "one.test/1")[0]
	require.Empty(t, c.held(t, created.ID).Server)
	_, server, err := c.Held(t.Context(), c.p, created.ID)
	require.NoError(t, err)
	require.Equal(t, "https://one.test", server)
	_, state := c.begin(t, app.BeginConnect{Channel: created.ID})
	require.Equal(t, "https://one.test", c.net.consent.Server)
	require.Equal(t, channel.AttemptConnected, c.finish(t, state).Outcome)
}
