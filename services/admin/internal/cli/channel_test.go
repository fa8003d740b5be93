package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

func TestChannelCreate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	b.network.belongs("sandbox-x-acme", "2244994945")
	got := b.runWith(t, "  sandbox-x-acme\n", "channel", "create", "--workspace", workspace, "--type", "twitter", "--name",
		"Acme on X",
		"--username", "acme", "--external-id", "2244994945", "--access-token-file", "-", "--refresh-token-file",
		secretFile(t, "sandbox-refresh-acme"),
		"--expires-at", "2026-03-01T11:00:00Z", "--timezone", "Asia/Tokyo", "--json")
	require.Zero(t, got.code, got.err)
	require.Empty(t, got.err)
	created := decode[record](t, got.out)
	id := text(t, created, "id")
	require.Equal(t, record{
		"id": id, "workspaceId": workspace, "type": "TWITTER", "name": "Acme on X", "username": "acme",
		"externalId": "2244994945",
		"timezone":   "Asia/Tokyo", "isConnected": true, "tokenStatus": "HEALTHY", "publish": true,
		"createdAt": "2026-03-01T09:00:00.000Z",
	}, created)
	credentials := b.credentials(t, id)
	require.Equal(t, "sandbox-x-acme", credentials.AccessToken)
	require.Equal(t, "sandbox-refresh-acme", credentials.RefreshToken)
	require.Equal(t, "2026-03-01T11:00:00Z", credentials.ExpiresAt.Format("2006-01-02T15:04:05Z07:00"))
	require.Equal(t, []emitted{{
		Type: "channel.connected", WorkspaceID: workspace, CreatedAt: "2026-03-01T09:00:00.000Z",
		Data: record{"channelId": id, "type": "TWITTER", "name": "Acme on X"},
	}}, b.events(t))
}

func TestChannelUsesTimezoneOfWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	b.telegram(t, workspace)
	require.Equal(t, "Europe/Berlin", b.many(t, "channel", "list", "--workspace", workspace)[0]["timezone"])
}

func TestChannelTypesWithoutPublishingNeedNoToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	for _, typ := range []string{"WHATSAPP_BUSINESS", "TELEGRAM_BUSINESS", "FACEBOOK_GROUP", "INSTAGRAM_PERSONAL"} {
		created := b.one(t, "channel", "create", "--workspace", workspace, "--type", typ, "--name", typ, "--username", "acme",
			"--external-id", "acme")
		require.Equal(t, false, created["publish"])
		require.Equal(t, channel.Credentials{}, b.credentials(t, text(t, created, "id")))
	}
}

func TestNonRenewableChannelStartsExpiring(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	got := b.run(t, "channel", "create", "--workspace", workspace, "--type", "TWITTER", "--name", "X", "--username",
		"acme",
		"--external-id", "1", "--access-token-file", secretFile(t, "token"), "--expires-at", "2026-03-01T11:00:00Z")
	require.Zero(t, got.code)
	require.Regexp(t, `^Channel [0-9a-f-]{36} created and connected: TWITTER, X\.\n$`, got.out)
	require.Contains(t, got.err, "warning: without a refresh token")
	b.ok(t, "channel", "create", "--workspace", workspace, "--type", "THREADS", "--name", "Threads", "--username", "acme",
		"--external-id", "1", "--access-token-file", secretFile(t, "token"), "--expires-at", "2026-03-01T11:00:00Z")
	channels := b.many(t, "channel", "list", "--workspace", workspace)
	require.Equal(t, "EXPIRING", channels[0]["tokenStatus"])
	require.Equal(t, "HEALTHY", channels[1]["tokenStatus"], "Threads renews its token by itself")
}

func TestChannelListNeverShowsSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	require.Equal(t, "[]\n", b.ok(t, "channel", "list", "--workspace", workspace, "--json"))
	require.Contains(t, b.ok(t, "channel", "list", "--workspace", workspace), "Create one with: admin channel create")
	b.telegram(t, workspace)
	b.telegram(t, b.workspace(t))
	table := b.ok(t, "channel", "list", "--workspace", workspace)
	require.Regexp(t, `TELEGRAM_CHANNEL +News +news +@news +yes +HEALTHY +yes +Europe/Berlin\n`, table)
	list := b.ok(t, "channel", "list", "--workspace", workspace, "--json")
	require.Len(t, decode[[]record](t, list), 1)
	for _, out := range []string{table, list} {
		require.NotContains(t, out, botToken)
		require.NotContains(t, strings.ToLower(out), "accesstoken")
	}
}

func TestChannelCreateRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	token, empty := secretFile(t, "sandbox-token"), secretFile(t, " ")
	for name, test := range map[string]struct {
		args  []string
		parts []string
	}{
		"unknown type": {
			[]string{"--type", "MYSPACE"},
			[]string{
				`--type "MYSPACE" is not a channel type; the known types are FACEBOOK_PAGE, `,
				"WHATSAPP_BUSINESS, BLUESKY and MASTODON",
			},
		},
		"no type": {nil, []string{"--type is required; choose FACEBOOK_PAGE, "}},
		"no token": {
			[]string{"--type", "THREADS"}, []string{"--access-token-file is required to publish to a THREADS channel"},
		},
		"only a refresh": {
			[]string{"--type", "TWITTER", "--refresh-token-file", token},
			[]string{"--access-token-file is required with the other credentials"},
		},
		"no such file": {
			[]string{"--type", "THREADS", "--access-token-file", "/nonexistent/token"},
			[]string{"--access-token-file cannot be read: open /nonexistent/token"},
		},
		"empty file": {
			[]string{"--type", "THREADS", "--access-token-file", empty},
			[]string{"--access-token-file names " + empty + ", which is empty"},
		},
		"empty input": {
			[]string{"--type", "THREADS", "--access-token-file", "-"}, []string{"names standard input, which is empty"},
		},
		"input twice": {
			[]string{"--type", "TWITTER", "--access-token-file", "-", "--refresh-token-file", "-"},
			[]string{"--refresh-token-file cannot also read standard input"},
		},
		"huge file": {
			[]string{"--type", "THREADS", "--access-token-file", "/dev/zero"}, []string{"longer than 65536 bytes"},
		},
		"several lines": {
			[]string{"--type", "THREADS", "--access-token-file", secretFile(t, "one\ntwo")},
			[]string{"--access-token-file has spaces, line breaks or control characters"},
		},
		"long token": {
			[]string{"--type", "THREADS", "--access-token-file", secretFile(t, strings.Repeat("x", 9000))},
			[]string{"--access-token-file has 9000 bytes"},
		},
		"no bot token": {
			[]string{"--type", "TELEGRAM_CHANNEL", "--access-token-file", token, "--external-id", "@acme"},
			[]string{"--access-token-file is not a bot token", "@BotFather"},
		},
		"no chat": {
			[]string{"--type", "TELEGRAM_CHANNEL", "--access-token-file", secretFile(t, botToken), "--external-id", "acme"},
			[]string{`--external-id "acme" is not a Telegram chat`},
		},
		"refresh of Telegram": {
			[]string{
				"--type", "TELEGRAM_CHANNEL", "--access-token-file", secretFile(t, botToken), "--refresh-token-file", token,
			},
			[]string{"--refresh-token-file is not used by Telegram"},
		},
		"refresh of Facebook": {
			[]string{"--type", "FACEBOOK_PAGE", "--access-token-file", token, "--refresh-token-file", token},
			[]string{"--refresh-token-file is not used by Facebook"},
		},
		"no token of YouTube": {[]string{"--type", "YOUTUBE"}, []string{"--access-token-file is required"}},
		"refresh of Threads": {
			[]string{"--type", "THREADS", "--access-token-file", token, "--refresh-token-file", token},
			[]string{"--refresh-token-file is not used by Threads"},
		},
		"name as id": {
			[]string{"--type", "TWITTER", "--access-token-file", token, "--external-id", "@acme"},
			[]string{`--external-id "@acme" is a user name`, "--username"},
		},
		"handle as id": {
			[]string{"--type", "BLUESKY", "--access-token-file", token, "--external-id", "acme.bsky.social"},
			[]string{`--external-id "acme.bsky.social" is not a DID`},
		},
		"server of X": {
			[]string{"--type", "TWITTER", "--access-token-file", token, "--server", "https://x.example.com"},
			[]string{"--server is not used for TWITTER channels"},
		},
		"server without TLS": {
			[]string{
				"--type", "BLUESKY", "--access-token-file", token, "--external-id", "did:plc:a", "--server", "http://a.example.com",
			},
			[]string{`--server "http://a.example.com" is not the https URL of a server`},
		},
		"server with a path": {
			[]string{
				"--type", "BLUESKY", "--access-token-file", token, "--external-id", "did:plc:a", "--server", "https://a.com/xrpc",
			},
			[]string{`--server "https://a.com/xrpc" is not the https URL of a server`},
		},
		"expired": {
			[]string{"--type", "TWITTER", "--access-token-file", token, "--expires-at", "2025-01-01T00:00:00Z"},
			[]string{"--expires-at 2025-01-01T00:00:00Z is in the past"},
		},
		"bad zone": {
			[]string{"--type", "FACEBOOK_GROUP", "--timezone", "Berlin"}, []string{`--timezone "Berlin" is not`},
		},
		"nothing": {
			[]string{"--name", "", "--username", "", "--external-id", "", "--workspace", ""},
			[]string{
				"5 problems", "--workspace is required", "--type is required", "--name is required", "--username is required",
				"--external-id is required",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{
				"channel", "create", "--workspace", workspace, "--name", "A", "--username", "a", "--external-id", "1",
			}
			got := b.run(t, append(args, test.args...)...)
			refused(t, got, test.parts...)
			require.NotContains(t, got.err, "sandbox-token")
			require.NotContains(t, got.err, botToken)
		})
	}
}

func TestChannelCreateRefusesSameAccountTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	b.telegram(t, workspace)
	failed(t, b.runWith(t, botToken, "channel", "create", "--workspace", workspace, "--type", "TELEGRAM_CHANNEL", "--name",
		"Again",
		"--username", "news", "--external-id", "@news", "--access-token-file", "-"),
		"already has the TELEGRAM_CHANNEL account @news", "admin channel list --workspace "+workspace)
	require.Len(t, b.events(t), 1)
}

func TestChannelCreateWarnsOfOpenFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte(botToken), 0o600))
	require.NoError(t, os.Chmod(path, 0o644))
	got := b.run(t, "channel", "create", "--workspace", b.workspace(t), "--type", "TELEGRAM_CHANNEL", "--name", "News",
		"--username", "news", "--external-id", "-1001234567890", "--access-token-file", path)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.err, "other users may read "+path+" (mode 0644); protect it with: chmod 600")
}

// TestChannelOnOwnServer checks that the server is stored with the tokens of a session, and kept by a reconnection
// that names none.
func TestChannelOnOwnServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	session := func(access string) string {
		return secretFile(t, `{"did":"did:plc:acme","accessJwt":"`+access+`","refreshJwt":"refresh-of-`+access+`"}`)
	}
	created := b.one(t, "channel", "create", "--workspace", workspace, "--type", "bluesky", "--name", "Acme", "--username",
		"acme.example.com", "--external-id", "did:plc:acme", "--server", "https://PDS.example.com/", "--access-token-file",
		session("first"), "--skip-check")
	id := text(t, created, "id")
	stored := b.credentials(t, id)
	require.Equal(t, "https://pds.example.com", stored.Server)
	require.Equal(t, "first", stored.AccessToken)
	require.Equal(t, "refresh-of-first", stored.RefreshToken)

	b.ok(t, "channel", "connect", "--workspace", workspace, id, "--access-token-file", session("second"), "--skip-check")
	stored = b.credentials(t, id)
	require.Equal(t, "https://pds.example.com", stored.Server)
	require.Equal(t, "refresh-of-second", stored.RefreshToken)
}

// TestMastodonServerMatchesAccountID checks that the server of a Mastodon account cannot contradict its id.
func TestMastodonServerMatchesAccountID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.run(t, "channel", "create", "--workspace", b.workspace(t), "--type", "mastodon", "--name", "Acme", "--username",
		"acme", "--external-id", "fosstodon.org/1", "--server", "https://hachyderm.io", "--access-token-file",
		secretFile(t, "a-token"), "--skip-check")
	require.NotZero(t, got.code)
	require.Contains(t, got.err, "is not used for MASTODON channels, whose external id names the server")
}
