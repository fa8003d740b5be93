package cli_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/admin/internal/cli"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
)

// child makes the test program run the program under test instead, so that a test can kill it.
const child = "ADMIN_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	environ := make(map[string]string)
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		environ[name] = value
	}
	os.Exit(cli.Main(context.Background(), os.Args[1:], cli.Process{
		Environ: environ, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Clock: clock.System(),
	}))
}

const (
	firstKey  = "k1:"
	secondKey = "k2:"
)

func newKey(prefix, material string) string {
	return prefix + base64.StdEncoding.EncodeToString([]byte(material))
}

// rotating returns the environment of an operator who replaces the key.
func (b *bundle) rotating() map[string]string {
	variables := maps.Clone(b.environ)
	variables["ENCRYPTION_KEYS"] = newKey(secondKey, "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345") + "," + newKey(firstKey, keyMaterial)
	return variables
}

// TestKilledRewrapContinues kills the process after it has replaced some of the secrets.
func TestKilledRewrapContinues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const count = 60
	ids := b.manyChannels(t, count)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "secrets", "rewrap", "--batch", "1")
	cmd.Env = []string{child + "=1"}
	for name, value := range b.rotating() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	progress, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(progress)
	for range 10 {
		require.True(t, lines.Scan(), "the process ended early")
		require.Contains(t, lines.Text(), "channel credentials: 1 encrypted with the active key")
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())

	b.environ = b.rotating()
	done := b.underKey(t, "k2")
	require.GreaterOrEqual(t, done, 10)
	require.Less(t, done, count, "the process was killed in the middle")
	out := b.ok(t, "secrets", "rewrap")
	require.Contains(t, out, "may be removed from ENCRYPTION_KEYS: k1")
	require.Equal(t, count, b.underKey(t, "k2"))
	require.Zero(t, b.underKey(t, "k1"))

	key, _, _ := strings.Cut(b.environ["ENCRYPTION_KEYS"], ",")
	b.environ["ENCRYPTION_KEYS"] = key // the old key is removed
	for _, id := range ids {
		b.ok(t, "channel", "connect", "--workspace", id[0], id[1])
	}
	require.Contains(t, b.ok(t, "secrets", "list"), "channel credentials")
}

// manyChannels connects channels, and returns their workspaces and ids.
func (b *bundle) manyChannels(t *testing.T, n int) (ids [][2]string) {
	t.Helper()
	for range n {
		workspace := b.workspace(t)
		ids = append(ids, [2]string{workspace, b.telegram(t, workspace)})
	}
	return ids
}

// underKey returns the number of channels whose credentials the key encrypts.
func (b *bundle) underKey(t *testing.T, key string) int {
	t.Helper()
	return len(postgrestest.Column(t, b.url, `SELECT id FROM channel
		WHERE convert_from(substring(credentials FROM 3 FOR get_byte(credentials, 1)), 'UTF8') = $1`, key))
}

func TestUnreadableSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.manyChannels(t, 2)
	postgrestest.Exec(t, b.url, `UPDATE channel SET credentials = set_byte(credentials, 90, get_byte(credentials, 90) # 1)
		WHERE id = (SELECT min(CAST(id AS text))::uuid FROM channel)`)
	b.environ = b.rotating()
	got := b.run(t, "secrets", "rewrap")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.err, "1 encrypted with the active key, 0 changed meanwhile, 1 refused")
	require.Contains(t, got.err, "value is damaged or belongs to another record")
	require.Contains(t, got.err, "1 secrets cannot be opened")
	require.Equal(t, 1, b.underKey(t, "k1"))

	b.environ["ENCRYPTION_KEYS"] = newKey(secondKey, "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345")
	require.Contains(t, b.ok(t, "secrets", "list"), "NOT IN ENCRYPTION_KEYS")
	refused(t, b.run(t, "secrets", "rewrap", "--batch", "0"), "--batch must be at least 1")
}
