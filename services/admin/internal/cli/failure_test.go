package cli_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/platform/connectors"
)

func TestInvalidCommands(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for line, parts := range map[string][]string{
		"frobnicate": {`admin: "frobnicate" is not a command`},
		"workspace crate": {
			`admin workspace: "crate" is not a command; did you mean create?`, "Usage: admin workspace --help",
		},
		"key":                     nil,
		"workspace list --colour": {"admin workspace list: unknown flag: --colour"},
		"workspace list extra":    {`"extra"`},
		"workspace create --name": {"flag needs an argument: --name"},
		"seed --json=maybe":       {"invalid argument"},
		"channel create --access-token secret": {
			"unknown flag: --access-token",
		},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			got := b.run(t, strings.Fields(line)...)
			if parts == nil {
				require.Zero(t, got.code)
				require.Contains(t, got.out, "Usage:")
				return
			}
			refused(t, got, parts...)
		})
	}
}

func TestEnvironmentIsExplained(t *testing.T) {
	t.Parallel()
	failed(t, (&bundle{environ: map[string]string{}}).run(t, "workspace", "list"),
		"DATABASE_URL is required and not set", "ENCRYPTION_KEYS is required and not set", `Run "admin config"`)
}

func TestUnusableDatabasesAreExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	with := func(change func(*url.URL)) *bundle {
		u, err := url.Parse(b.environ["DATABASE_URL"])
		require.NoError(t, err)
		change(u)
		return &bundle{environ: environ(u.String()), clock: b.clock}
	}
	const password = "not-the-password"
	for name, test := range map[string]struct {
		change func(*url.URL)
		part   string
	}{
		"down": {
			func(u *url.URL) { u.Host = "127.0.0.1:1" },
			"the database does not respond. Is PostgreSQL running, and is DATABASE_URL correct? ",
		},
		"missing": {
			func(u *url.URL) { u.Path = "/nowhere" },
			"the database in DATABASE_URL does not exist; create it, then run the migrate program",
		},
		"wrong user": {
			func(u *url.URL) { u.User = url.UserPassword("unknown", password) },
			"PostgreSQL rejected the user or the password in DATABASE_URL",
		},
		"wrong password": {
			func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), password) },
			"PostgreSQL rejected the user or the password in DATABASE_URL",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := with(test.change).run(t, "workspace", "list")
			failed(t, got, test.part)
			require.NotContains(t, got.err, password)
		})
	}
}

func TestSchemaBehind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	migrator, err := postgres.NewMigrator(b.db)
	require.NoError(t, err)
	_, err = migrator.Down(t.Context())
	require.NoError(t, err)
	failed(t, b.run(t, "workspace", "list"), "run the migrate program first")
	for range 20 {
		_, err = migrator.Down(t.Context())
		require.NoError(t, err)
	}
	failed(t, b.run(t, "seed"), "run the migrate program first")
}

func TestConfig(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	out := b.ok(t, "config")
	require.Contains(t, out, "DATABASE_URL  (required)\n    PostgreSQL connection URL.\n    Example: ")
	require.Contains(t, out, "LOG_LEVEL  (default: info)\n")
	printed := b.ok(t, "print-config")
	require.Equal(t, printed, b.ok(t, "config", "--json"))
	require.Equal(t, config.Describe[config.Admin[connectors.Environment]](), decode[[]config.Variable](t, printed))
}

func TestVersion(t *testing.T) {
	t.Parallel()
	version := (&bundle{}).ok(t, "version")
	require.Equal(t, telemetry.Build()+"\n", version)
	require.Equal(t, version, (&bundle{}).ok(t, "--version"))
}
