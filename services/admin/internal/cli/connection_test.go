package cli_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

func TestChannelDisconnectAndConnect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)

	b.clock.Advance(time.Minute)
	require.Equal(t, "Channel "+id+" (News) is disconnected.\n",
		b.ok(t, "channel", "disconnect", "--workspace", workspace, id))
	require.Equal(t, "Channel "+id+" (News) was already disconnected; nothing changed.\n",
		b.ok(t, "channel", "disconnect", "--workspace", workspace, id))
	require.Equal(t, false, b.many(t, "channel", "list", "--workspace", workspace)[0]["isConnected"])

	require.Equal(t, true, b.one(t, "channel", "connect", "--workspace", workspace, id)["isConnected"])
	require.Equal(t, "Channel "+id+" (News) was already connected; nothing changed.\n",
		b.ok(t, "channel", "connect", "--workspace", workspace, id))
	require.Equal(t, botToken, b.credentials(t, id).AccessToken)

	events, data := b.events(t), record{"channelId": id, "type": "TELEGRAM_CHANNEL", "name": "News"}
	require.Equal(t, []emitted{
		{Type: "channel.connected", WorkspaceID: workspace, CreatedAt: "2026-03-01T09:00:00.000Z", Data: data},
		{Type: "channel.disconnected", WorkspaceID: workspace, CreatedAt: "2026-03-01T09:01:00.000Z", Data: data},
		{Type: "channel.connected", WorkspaceID: workspace, CreatedAt: "2026-03-01T09:01:00.000Z", Data: data},
	}, events)
}

func TestChannelConnectWithFreshCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)
	connect := []string{"channel", "connect", "--workspace", workspace, id}

	got := b.runWith(t, "123456:fresh", append(connect, "--access-token-file", "-")...)
	require.Equal(t, "Channel "+id+" (News) has new credentials; it was already connected.\n", got.out)
	require.Equal(t, "123456:fresh", b.credentials(t, id).AccessToken)
	require.Len(t, b.events(t), 1, "a working channel emits no event")

	postgrestest.Exec(t, b.url, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	failed(t, b.run(t, connect...), "lost its access (NEEDS_RECONNECT) and needs new credentials", "--access-token-file")

	got = b.runWith(t, "123456:fresher", append(connect, "--access-token-file", "-", "--json")...)
	require.Zero(t, got.code, got.err)
	require.Equal(t, "HEALTHY", decode[record](t, got.out)["tokenStatus"])
	require.Equal(t, "HEALTHY", b.many(t, "channel", "list", "--workspace", workspace)[0]["tokenStatus"])
	require.Equal(t, "123456:fresher", b.credentials(t, id).AccessToken)
	events := b.events(t)
	require.Len(t, events, 3)
	require.Equal(t, "channel.connected", events[1].Type)
	require.Equal(t, "channel.access_restored", events[2].Type)
}

// TestChannelConnectMovesCredentialsRevision checks that a running refresh does not overwrite credentials that an
// operator entered in the meantime.
func TestChannelConnectMovesCredentialsRevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)
	revision := func() []string { return postgrestest.Column(t, b.url, `SELECT credentials_rev FROM channel`) }
	require.Equal(t, []string{"0"}, revision())
	got := b.runWith(t, "123456:fresh", "channel", "connect", "--workspace", workspace, id, "--access-token-file", "-")
	require.Zero(t, got.code, got.err)
	require.Equal(t, []string{"1"}, revision())
}

func TestChannelConnectRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace, other := b.workspace(t), b.workspace(t)
	id := b.telegram(t, workspace)
	for _, command := range []string{"connect", "disconnect"} {
		failed(t, b.run(t, "channel", command, "--workspace", other, id),
			"Workspace "+other+" has no channel "+id, "See: admin channel list --workspace "+other)
		refused(t, b.run(t, "channel", command, "--workspace", workspace), "want one CHANNEL_ID, got 0 arguments")
		refused(t, b.run(t, "channel", command, "--workspace", workspace, "news"), `CHANNEL_ID "news" is not an id`)
		refused(t, b.run(t, "channel", command, id), "--workspace is required")
	}
	refused(t, b.runWith(t, "no bot", "channel", "connect", "--workspace", workspace, id, "--access-token-file", "-"),
		"--access-token-file")
	require.Equal(t, botToken, b.credentials(t, id).AccessToken)
	require.Len(t, b.events(t), 1)
}

func TestChannelTimeline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)
	timeline := []string{"channel", "timeline", "--workspace", workspace, id}
	require.Equal(t, []record{
		{"at": "2026-03-01T09:00:00.000Z", "kind": "connected", "detail": "By the operator."},
	}, b.many(t, timeline...))
	b.clock.Advance(time.Minute)
	b.ok(t, "channel", "disconnect", "--workspace", workspace, id)
	require.Equal(t, []record{
		{"at": "2026-03-01T09:00:00.000Z", "kind": "connected", "detail": "By the operator."},
		{"at": "2026-03-01T09:01:00.000Z", "kind": "disconnected", "detail": "By the operator."},
	}, b.many(t, timeline...))
	out := b.ok(t, timeline...)
	require.Contains(t, out, "KIND")
	require.Contains(t, out, "disconnected")

	postgrestest.Exec(t, b.url, `DELETE FROM channel_timeline`)
	require.Equal(t, "Nothing is recorded about the channel's connection.\n", b.ok(t, timeline...))
	other := b.workspace(t)
	failed(t, b.run(t, "channel", "timeline", "--workspace", other, id), "no channel")
}

// TestConnectionVariantFlags checks the flags for accounts that can be connected in several ways, and for tokens of
// another application.
func TestConnectionVariantFlags(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(typ string, more ...string) result {
		return b.run(t, append([]string{
			"channel", "create", "--workspace", b.workspace(t), "--type", typ, "--name", "News", "--username", "news",
			"--skip-check", "--external-id", "17841400000000001", "--access-token-file", secretFile(t, "123456:token"),
		}, more...)...)
	}
	created := create("INSTAGRAM_PROFESSIONAL", "--variant", "facebook_login", "--client-id", "app-2", "--json")
	require.Zero(t, created.code, created.err)
	kept := b.credentials(t, text(t, decode[record](t, created.out), "id"))
	require.Equal(t, channel.FacebookLogin, kept.Variant)
	require.Equal(t, "app-2", kept.ClientID)
	refused(t, create("INSTAGRAM_PROFESSIONAL", "--variant", "phone"), "--variant", "phone", "facebook_login")
	refused(t, create("THREADS", "--variant", "facebook_login"), "--variant", "connected in one way")
}
