package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/email"
)

// seeded has exactly the documented form (docs/contract.md, Stack file).
type seeded struct {
	User       seededUser        `json:"user"`
	Workspaces []seededWorkspace `json:"workspaces"`
}

type seededUser struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

type seededWorkspace struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	Plan           string          `json:"plan"`
	APIKey         string          `json:"apiKey"`
	ReadOnlyAPIKey string          `json:"readOnlyApiKey"`
	Channels       []seededChannel `json:"channels"`
}

type seededChannel struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
}

func (b *bundle) scopes(t *testing.T, workspace, secret string) []credential.Scope {
	t.Helper()
	hash, err := credential.APIKey.Hash(secret)
	require.NoError(t, err)
	key, _, _, err := postgres.NewKeys(b.db).ByHash(t.Context(), hash)
	require.NoError(t, err)
	require.Equal(t, workspace, key.WorkspaceID.String())
	return key.Scopes
}

func TestSeed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.ok(t, "seed", "--json")
	created := decode[seeded](t, out)
	requireMembers(t, out)
	require.True(t, b.signsIn(t, email.Address(created.User.Email), created.User.Password))
	require.Len(t, created.Workspaces, 2)
	first, second := created.Workspaces[0], created.Workspaces[1]
	require.Equal(t, "GROWTH", first.Plan)
	require.Equal(t, "FREE", second.Plan)
	var every []string
	for _, typ := range channel.Types() {
		every = append(every, string(typ))
	}
	require.ElementsMatch(t, every, types(first), "one channel of every type")
	require.Equal(t, []string{"TELEGRAM_CHANNEL"}, types(second))
	for _, w := range created.Workspaces {
		require.Equal(t, credential.Scopes(), b.scopes(t, w.ID, w.APIKey))
		require.Equal(t, []credential.Scope{credential.ChannelsRead}, b.scopes(t, w.ID, w.ReadOnlyAPIKey))
		for _, c := range b.many(t, "channel", "list", "--workspace", w.ID) {
			require.Equal(t, true, c["isConnected"])
			require.Equal(t, "HEALTHY", c["tokenStatus"])
			schedule := b.one(t, "channel", "schedule", "--workspace", w.ID, text(t, c, "id"))
			slots, ok := schedule["slots"].([]any)
			require.True(t, ok)
			require.Equal(t, c["publish"], len(slots) > 0, "what can be published to has a schedule")
		}
	}
	require.Len(t, b.events(t), len(channel.Types())+1, "channel.connected of each channel of both workspaces")
	require.Equal(t, []string{"Ideas 5 5", "In progress 3 5", "Ready 2 2", "Done 2 2"}, postgrestest.Column(t, b.url,
		`SELECT concat_ws(' ', c.name, count(DISTINCT d.id), count(l.card_id)) FROM idea_board b JOIN idea_column c ON c.board_id = b.id
		LEFT JOIN idea_card d ON d.column_id = c.id LEFT JOIN idea_card_label l ON l.card_id = d.id
		WHERE b.workspace_id = $1 GROUP BY c.id, c.name, c.position ORDER BY c.position`, first.ID), "the first board is in use")
	require.Empty(t, postgrestest.Column(t, b.url, `SELECT d.title FROM idea_board b JOIN idea_card d ON d.board_id = b.id
		WHERE b.workspace_id = $1`, second.ID))
}

func requireMembers(t *testing.T, out string) {
	t.Helper()
	created := decode[struct {
		User       record
		Workspaces []record
	}](t, out)
	require.ElementsMatch(t, []string{"email", "password"}, keysOf(created.User))
	for _, w := range created.Workspaces {
		require.ElementsMatch(t, []string{"id", "name", "plan", "apiKey", "readOnlyApiKey", "channels"}, keysOf(w))
		channels, ok := w["channels"].([]any)
		require.True(t, ok)
		for _, c := range channels {
			require.ElementsMatch(t, []string{"id", "type", "name"},
				keysOf(c.(record))) //nolint:errcheck,forcetypeassert // a test
		}
	}
}

func keysOf(r record) []string {
	keys := make([]string, 0, len(r))
	for k := range r {
		keys = append(keys, k)
	}
	return keys
}

func types(w seededWorkspace) []string {
	names := make([]string, len(w.Channels))
	for i, c := range w.Channels {
		names[i] = c.Type
	}
	return names
}

// TestSeedUsesSandboxAccounts checks that the seeded channels publish to the sandbox network: their credentials have
// the forms that it accepts, and the account in them is the channel's user name and external id, by which the control
// API finds it.
func TestSeedUsesSandboxAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, w := range decode[seeded](t, b.ok(t, "seed", "--json")).Workspaces {
		taken := make(map[string]bool)
		for _, c := range b.many(t, "channel", "list", "--workspace", w.ID) {
			account := text(t, c, "username")
			require.Equal(t, account, c["externalId"])
			credentials := b.credentials(t, text(t, c, "id"))
			typ := channel.Type(text(t, c, "type"))
			switch network := typ.Network(); {
			case !typ.Capabilities().Publish:
				require.Empty(t, credentials.AccessToken)
				continue
			case typ == channel.TelegramChannel:
				require.Regexp(t, `^@[a-z0-9]+$`, account)
				require.Regexp(t, `^[0-9]+:sandbox-`+account[1:]+`$`, credentials.AccessToken)
			default:
				holder := account + map[channel.Type]string{
					channel.LinkedInPage: "@organization", channel.TikTokBusiness: "@business",
				}[typ]
				for _, prefix := range []string{"accounts/1/locations/", "did:plc:", "mastodon.sandbox.test/"} {
					holder = strings.TrimPrefix(holder, prefix)
				}
				require.Equal(t, "sandbox-"+string(network)+"-"+holder, credentials.AccessToken)
				require.Contains(t, []string{"", "sandbox-refresh-" + holder}, credentials.RefreshToken)
			}
			at := string(typ.Network()) + " " + account
			require.False(t, taken[at], "two channels share %s, and with it its refresh token", at)
			taken[at] = true
		}
	}
}

func TestSeedWithoutStateCreatesNewData(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.ok(t, "seed", "--json"), b.ok(t, "seed", "--json")
	require.NotEqual(t, first, second)
	require.Len(t, b.many(t, "workspace", "list"), 4)
	accounts := make(map[any]bool)
	for _, w := range b.many(t, "workspace", "list") {
		for _, c := range b.many(t, "channel", "list", "--workspace", text(t, w, "id")) {
			if c["type"] == "TELEGRAM_CHANNEL" {
				accounts[c["externalId"]] = true
			}
		}
	}
	require.Len(t, accounts, 4, "no two workspaces share an account of the sandbox")
}

func TestSeedWithStateIsCreatedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	state := filepath.Join(t.TempDir(), "run", "seed.json")
	seed := []string{"seed", "--state", state, "--json"}
	created := b.ok(t, seed...)
	info, err := os.Stat(state)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	files, err := os.ReadDir(filepath.Dir(state))
	require.NoError(t, err)
	require.Len(t, files, 1, "no draft is left")

	require.Equal(t, created, b.ok(t, seed...))
	require.Len(t, b.many(t, "workspace", "list"), 2)
	b.ok(t, "channel", "disconnect", "--workspace", decode[seeded](t, created).Workspaces[0].ID,
		decode[seeded](t, created).Workspaces[0].Channels[0].ID)
	require.Equal(t, created, b.ok(t, seed...), "a changed channel is still the same channel")
}

func TestSeedIsCreatedAgainWhenIncomplete(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"reset":           `TRUNCATE workspace CASCADE`,
		"workspace gone":  `DELETE FROM workspace WHERE plan = 'FREE'`,
		"channel gone":    `DELETE FROM channel WHERE type = 'THREADS'`,
		"key gone":        `DELETE FROM api_key WHERE name LIKE '%read only'`,
		"key revoked":     `UPDATE api_key SET revoked_at = now() WHERE name LIKE '%every scope'`,
		"key given away":  `UPDATE api_key SET workspace_id = (SELECT min(id::text)::uuid FROM workspace)`,
		"channel's owner": `UPDATE channel SET workspace_id = (SELECT min(id::text)::uuid FROM workspace WHERE plan = 'GROWTH') WHERE name LIKE 'Corner%'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			seed := []string{"seed", "--state", filepath.Join(t.TempDir(), "seed.json"), "--json"}
			created := decode[seeded](t, b.ok(t, seed...))
			postgrestest.Exec(t, b.url, spoil)
			again := decode[seeded](t, b.ok(t, seed...))
			require.NotEqual(t, created, again)
			require.NotEqual(t, created.Workspaces[0].ID, again.Workspaces[0].ID)
			require.Equal(t, types(created.Workspaces[0]), types(again.Workspaces[0]))
			require.Equal(t, again, decode[seeded](t, b.ok(t, seed...)))
		})
	}
}

func TestSeedStateFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	folder := t.TempDir()
	damaged := filepath.Join(folder, "damaged.json")
	require.NoError(t, os.WriteFile(damaged, []byte(`{"workspaces": [`), 0o600))
	failed(t, b.run(t, "seed", "--state", damaged), "the state file "+damaged+" is damaged",
		"delete it to run the seed again")
	failed(t, b.run(t, "seed", "--state", folder), "the state file cannot be read")
	failed(t, b.run(t, "seed", "--state", filepath.Join(damaged, "below")), "the state file cannot be")
	require.Empty(t, b.many(t, "workspace", "list"))

	edited := filepath.Join(folder, "edited.json")
	require.NoError(t, os.WriteFile(edited, []byte(`{"workspaces": [{"id": "x"}, {"id": "y"}]}`), 0o600))
	b.ok(t, "seed", "--state", edited)
	require.Len(t, b.many(t, "workspace", "list"), 2)
}

// TestSeedIsAllOrNothing checks that no records remain if the state file cannot be written.
func TestSeedIsAllOrNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	failed(t, b.run(t, "seed", "--state", "/proc/nowhere/seed.json"),
		"the state file cannot be written; nothing was created")
	require.Empty(t, b.many(t, "workspace", "list"))
	require.Empty(t, b.events(t))
}

func TestSeedTextOutput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Contains(t, b.ok(t, "seed"), "Their keys are shown once.")
	state := filepath.Join(t.TempDir(), "seed.json")
	out := b.ok(t, "seed", "--state", state)
	require.Contains(t, out, "Created two workspaces; "+state+" has their keys.")
	require.Regexp(t, `\nAcme Studio \(plan GROWTH\)\n +workspace +[0-9a-f-]{36}\n +key, every scope +svc_live_`, out)
	require.Regexp(t,
		` +TELEGRAM_CHANNEL +[0-9a-f-]{36} +Corner Bakery Daily\n\nTo sign in to the application: robin@example\.com, password [0-9A-Za-z]{20}\n$`, out)
	again := b.ok(t, "seed", "--state", state)
	require.Contains(t, again, "already exist")
	require.Equal(t, strings.SplitN(out, "\n", 2)[1], strings.SplitN(again, "\n", 2)[1])
}
