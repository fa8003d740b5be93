package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// create returns the arguments that create an X channel of account 1 with a token.
func create(t *testing.T, workspace, token string, more ...string) []string {
	t.Helper()
	return append([]string{
		"channel", "create", "--workspace", workspace, "--type", "TWITTER", "--name", "Acme on X", "--username", "acme",
		"--external-id", "1",
		"--access-token-file", secretFile(t, token), "--refresh-token-file", secretFile(t, "refresh"),
	}, more...)
}

func TestChannelCreateShowsNetworkRefusal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	b.network.refuse("revoked-token")
	got := b.run(t, create(t, workspace, "revoked-token")...)
	failed(t, got, "The network refuses the access token of the TWITTER account 1. Nothing was stored.",
		"Response: refused: status 401", "Unauthorized", "--skip-check")
	require.NotContains(t, got.err, "revoked-token")
	require.Empty(t, b.many(t, "channel", "list", "--workspace", workspace))
	require.Empty(t, b.events(t))
}

func TestChannelCreateRefusesTokenOfAnotherAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	b.network.belongs("token-of-two", "2")
	failed(t, b.run(t, create(t, workspace, "token-of-two")...),
		`The access token works for the TWITTER account "2" ("user2"), not for 1. Nothing was stored.`, "--external-id")
	require.Empty(t, b.many(t, "channel", "list", "--workspace", workspace))
}

func TestChannelCreateRequiresNetworkCheckUnlessSkipped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	b.network.Close()
	failed(t, b.run(t, create(t, workspace, "token")...),
		"The network could not check the access token of the TWITTER account 1. Nothing was stored.",
		"Try again later, or store it unchecked with --skip-check")
	require.Empty(t, b.many(t, "channel", "list", "--workspace", workspace))

	b.ok(t, create(t, workspace, "token", "--skip-check")...)
	require.Len(t, b.many(t, "channel", "list", "--workspace", workspace), 1)
}

func TestChannelsWithoutCredentialsAreNotChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ok(t, "channel", "create", "--workspace", b.workspace(t), "--type", "WHATSAPP_BUSINESS", "--name", "Support",
		"--username", "acme", "--external-id", "1")
	require.Zero(t, b.network.calls())
}

func TestChannelConnectShowsNetworkRefusal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := text(t, b.one(t, create(t, workspace, "good-token")...), "id")
	connect := []string{"channel", "connect", "--workspace", workspace, id}

	b.network.refuse("revoked-token")
	got := b.runWith(t, "revoked-token", append(connect, "--access-token-file", "-")...)
	failed(t, got, "The network refuses the access token of the TWITTER account 1. Nothing was stored.", "status 401")
	require.Equal(t, "good-token", b.credentials(t, id).AccessToken)

	b.network.belongs("token-of-two", "2")
	failed(t, b.runWith(t, "token-of-two", append(connect, "--access-token-file", "-")...),
		`works for the TWITTER account "2"`)
	require.Equal(t, "good-token", b.credentials(t, id).AccessToken)

	got = b.runWith(t, "revoked-token", append(connect, "--access-token-file", "-", "--skip-check")...)
	require.Zero(t, got.code, got.err)
	require.Equal(t, "revoked-token", b.credentials(t, id).AccessToken)
}

func TestChannelConnectChecksStoredCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)
	connect := []string{"channel", "connect", "--workspace", workspace, id}
	b.ok(t, "channel", "disconnect", "--workspace", workspace, id)
	b.network.refuse(botToken)
	failed(t, b.run(t, connect...), "The network refuses the access token of the TELEGRAM_CHANNEL account @news.",
		"status 401")
	require.Equal(t, false, b.many(t, "channel", "list", "--workspace", workspace)[0]["isConnected"])
}

// TestChannelConnectAllowsRenewableExpiredToken: an access token of X is valid for two hours; the worker
// renews it.
func TestChannelConnectAllowsRenewableExpiredToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := text(t, b.one(t, create(t, workspace, "old-token")...), "id")
	b.ok(t, "channel", "disconnect", "--workspace", workspace, id)
	b.network.refuse("old-token")
	require.Equal(t, true, b.one(t, "channel", "connect", "--workspace", workspace, id)["isConnected"])
}

func TestSeedCallsNoNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ok(t, "seed")
	require.Zero(t, b.network.calls())
	require.Equal(t, []string{"19"}, postgrestest.Column(t, b.url, `SELECT count(*) FROM channel`))
}
