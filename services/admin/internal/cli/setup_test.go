package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/admin/internal/cli"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

const keyMaterial = "0123456789abcdefghijklmnopqrstuv"

// bundle is the program with its own database and clock.
type bundle struct {
	environ map[string]string
	clock   *clocktest.Fake
	network *network
	db      *postgres.DB
	url     string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	db, url := postgrestest.OpenURL(t)
	network := newNetwork(t)
	variables := environ(url)
	variables["NETWORKS_SANDBOX_URL"] = network.URL
	return &bundle{
		environ: variables, network: network, db: db, url: url,
		clock: clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)),
	}
}

func environ(databaseURL string) map[string]string {
	return map[string]string{
		"DATABASE_URL":    databaseURL,
		"ENCRYPTION_KEYS": "k1:" + base64.StdEncoding.EncodeToString([]byte(keyMaterial)),
	}
}

// result is the result of a run of the program.
type result struct {
	code     int
	out, err string
}

func (b *bundle) run(t *testing.T, args ...string) result {
	t.Helper()
	return b.runWith(t, "", args...)
}

// runWith runs the program with the given standard input.
func (b *bundle) runWith(t *testing.T, input string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Main(t.Context(), args, cli.Process{
		Environ: b.environ, In: strings.NewReader(input), Out: &out, Err: &errs, Clock: b.clock,
	})
	return result{code: code, out: out.String(), err: errs.String()}
}

// ok runs the program, requires success, and returns its output.
func (b *bundle) ok(t *testing.T, args ...string) string {
	t.Helper()
	got := b.run(t, args...)
	require.Zero(t, got.code, "admin %s: %s", strings.Join(args, " "), got.err)
	return got.out
}

type record = map[string]any

// one runs the program with --json and decodes the record that it prints.
func (b *bundle) one(t *testing.T, args ...string) record {
	t.Helper()
	return decode[record](t, b.ok(t, append(args, "--json")...))
}

// many runs the program with --json and decodes the list that it prints.
func (b *bundle) many(t *testing.T, args ...string) []record {
	t.Helper()
	return decode[[]record](t, b.ok(t, append(args, "--json")...))
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return value
}

func text(t *testing.T, r record, member string) string {
	t.Helper()
	value, ok := r[member].(string)
	require.True(t, ok, "%s of %v is no text", member, r)
	return value
}

// workspace creates a workspace and returns its id.
func (b *bundle) workspace(t *testing.T) string {
	t.Helper()
	return text(t, b.one(t, "workspace", "create", "--name", "Acme", "--timezone", "Europe/Berlin"), "id")
}

// telegram connects a Telegram channel and returns its id.
func (b *bundle) telegram(t *testing.T, workspace string) string {
	t.Helper()
	return text(t, b.one(t, "channel", "create", "--workspace", workspace, "--type", "TELEGRAM_CHANNEL", "--name", "News",
		"--username", "news", "--external-id", "@news", "--access-token-file", secretFile(t, botToken)), "id")
}

const botToken = "123456:sandbox-news"

// secretFile stores a secret in a file that only its owner may read.
func secretFile(t *testing.T, secret string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte(secret+"\n"), 0o600))
	return path
}

// emitted is an event that was written.
type emitted struct {
	Type        string `json:"type"`
	WorkspaceID string `json:"workspaceId"`
	Data        record `json:"data"`
	CreatedAt   string `json:"createdAt"`
}

// events returns every event in order of creation. Each must be addressed to every endpoint, and its content must match
// its row.
func (b *bundle) events(t *testing.T) []emitted {
	t.Helper()
	require.Empty(t, postgrestest.Column(t, b.url,
		`SELECT id FROM event WHERE webhook_id IS NOT NULL OR type <> convert_from(body, 'UTF8')::jsonb->>'type'`))
	var events []emitted
	for _, body := range postgrestest.Column(t, b.url, `SELECT convert_from(body, 'UTF8') FROM event ORDER BY id`) {
		events = append(events, decode[emitted](t, body))
	}
	return events
}

// ring returns the keyring that decrypts the program's secrets.
func (b *bundle) ring(t *testing.T) *secretbox.Keyring {
	t.Helper()
	key, err := secretbox.NewKey("k1", []byte(keyMaterial))
	require.NoError(t, err)
	ring, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	return ring
}

// credentials decrypts the credentials of a channel.
func (b *bundle) credentials(t *testing.T, id string) channel.Credentials {
	t.Helper()
	parsed, err := ident.Parse[ident.Channel](id)
	require.NoError(t, err)
	credentials, _, err := postgres.NewChannels(b.db, b.ring(t)).Credentials(t.Context(), parsed)
	require.NoError(t, err)
	return credentials
}

// refused requires an invalid call whose message contains every part.
func refused(t *testing.T, got result, parts ...string) {
	t.Helper()
	require.Equal(t, 2, got.code, got.err)
	for _, part := range parts {
		require.Contains(t, got.err, part)
	}
	require.Contains(t, got.err, "Usage: admin ")
	require.Empty(t, got.out)
}

// failed requires a valid call that failed.
func failed(t *testing.T, got result, parts ...string) {
	t.Helper()
	require.Equal(t, 1, got.code, got.err)
	for _, part := range parts {
		require.Contains(t, got.err, part)
	}
	require.Empty(t, got.out)
}
