package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
	"fencepost.internal/shared/platform/platformtest/live"
	"fencepost.internal/shared/platform/rules"
)

// TestLive runs the suite of make live against the sandbox network, checks that the fixtures contain nothing of the
// account, and that the connector gives each of them the class that it gave the original response.
func TestLive(t *testing.T) {
	t.Parallel()
	const name = "verysecretname"
	const appSecret = "a-secret-of-the-application"
	for typ, network := range identities() {
		if !typ.Capabilities().Publish || needsMedia(typ) {
			continue
		}
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			account := reader(typ, name)
			account.Username = name
			environment, err := config.Load[connectors.Environment](nil)
			require.NoError(t, err)
			folder, sandbox := t.TempDir(), start(t, t.TempDir())
			upstreams := make(map[string]string)
			for prefix := range live.Official() {
				upstreams[prefix] = sandbox.URL + prefix
			}
			var out bytes.Buffer
			err = live.Run(t.Context(), live.Config{
				Account: account, Environment: environment, Secrets: []string{appSecret}, Upstreams: upstreams, Folder: folder,
				Publish: true, Clock: clock.System(), Out: &out,
			})
			require.NoError(t, err, out.String())
			connector, publishes := linkOf(t, network, sandbox.URL).(platform.Connector)
			steps := []string{"identify", "identify-refused"}
			if publishes {
				steps = append(steps, "publish")
				if connector.Strength() == platform.ReconcileMatch {
					steps = append(steps, "reconcile")
				}
			}
			for _, step := range steps {
				text, err := os.ReadFile(filepath.Join(folder, "live-"+step+".json"))
				require.NoError(t, err, out.String())
				for _, secret := range []string{
					name, account.Credentials.AccessToken, "sandbox-", appSecret, "Test of the connector", sandbox.URL,
				} {
					require.NotContains(t, string(text), secret, step)
				}
			}
			replayed(t, network, account, folder)
		})
	}
}

// needsMedia reports whether no post of text exists on the network.
func needsMedia(typ channel.Type) bool {
	row, _ := connectors.Rules().Of(typ)
	return !slices.ContainsFunc(row.Forms, func(f rules.Form) bool { return f.Media.Min == 0 })
}

func linkOf(t *testing.T, network identified, url string) platform.Link {
	t.Helper()
	link, err := network.make(connectors.Config{BaseURL: url, Clock: clock.System()})
	require.NoError(t, err)
	return link
}

// replayed checks the fixtures with the connector, for the account with the replaced id.
func replayed(t *testing.T, network identified, account platform.Account, folder string) {
	t.Helper()
	account.Username = "acme"
	switch account.Type { //nolint:exhaustive // the id of the others is a name
	case channel.GoogleBusiness:
		account.ExternalID = "accounts/1/locations/42"
	case channel.Mastodon:
		account.ExternalID = "mastodon.sandbox.test/42"
	case channel.Bluesky:
		account.ExternalID = "did:plc:42"
	case channel.TelegramChannel:
		account.ExternalID, account.Credentials.AccessToken = "@42", "1:access-token" // the token is part of the paths
	default:
		account.ExternalID = "42"
	}
	platformtest.Contract{
		Link: func(t *testing.T, url string, clk clock.Clock) platform.Link {
			t.Helper()
			link, err := network.make(connectors.Config{BaseURL: url, Clock: clk})
			require.NoError(t, err)
			return link
		},
		Account: account, Handle: "17900000000000009",
	}.RunIn(t, folder)
}

// TestLiveRequiresAccount checks that an incomplete configuration makes no call.
func TestLiveRequiresAccount(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, live.Run(t.Context(), live.Config{}), "an account with its type")
	for name, want := range map[string]channel.Type{
		"threads": channel.Threads, "LINKEDIN_PAGE": channel.LinkedInPage, "x": channel.Twitter,
	} {
		got, err := live.TypeOf(name)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := live.TypeOf("linkedin")
	require.ErrorContains(t, err, "2 types")
}
