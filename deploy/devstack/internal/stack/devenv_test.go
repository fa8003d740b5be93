package stack_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
	"fencepost.internal/devstack/internal/stack"
)

func newStack(t *testing.T, environ ...string) stack.Stack {
	t.Helper()
	layout, err := process.At(20000)
	require.NoError(t, err)
	return stack.Stack{
		Ports: layout,
		Secrets: servers.Secrets{
			S3AccessKey: "access", S3SecretKey: "secret", EncryptionKeys: "dev:key",
		},
		DatabaseURL:   "postgres://social:pw@127.0.0.1:20040/social?sslmode=disable",
		VisibilityURL: "postgres://temporal:pw@127.0.0.1:20040/temporal_visibility?sslmode=disable",
		RunFolder:     "/checkout/.run",
		Environ:       environ,
	}
}

func parse(environment []string) map[string]string {
	variables := make(map[string]string, len(environment))
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = value
	}
	return variables
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	require.Equal(t, map[string]string{
		"API_ADDR":                         "127.0.0.1:20000",
		"BASE_URL":                         "http://127.0.0.1:20000",
		"DATABASE_URL":                     "postgres://social:pw@127.0.0.1:20040/social?sslmode=disable",
		"EGRESS_ALLOW":                     "127.0.0.1/32",
		"ENCRYPTION_KEYS":                  "dev:key",
		"FILES_ADDR":                       "127.0.0.1:20004",
		"LOG_FORMAT":                       "text",
		"LOG_LEVEL":                        "info",
		"PAGES_ADDR":                       "127.0.0.1:20003",
		"PAGES_URL":                        "http://127.0.0.1:20003",
		"APP_URL":                          "http://127.0.0.1:20001",
		"MCP_URL":                          "http://127.0.0.1:20002/mcp",
		"CONSOLE_ADDR":                     "127.0.0.1:20001",
		"CONSOLE_COMPONENTS":               "true",
		"MCP_ADDR":                         "127.0.0.1:20002",
		"NOTIFY_TELEGRAM_TOKEN":            "100200300:sandbox-notes",
		"OPS_ADDR":                         "127.0.0.1:20050",
		"S3_ACCESS_KEY":                    "access",
		"NETWORKS_SANDBOX_URL":             "http://127.0.0.1:20010",
		"S3_BUCKET":                        "media",
		"S3_ENDPOINT":                      "http://127.0.0.1:20030",
		"S3_PUBLIC_ENDPOINT":               "http://127.0.0.1:20004",
		"S3_REGION":                        "us-east-1",
		"S3_SECRET_KEY":                    "secret",
		"SANDBOX_ADDR":                     "127.0.0.1:20010",
		"SANDBOX_DATA":                     "/checkout/.run/sandbox",
		"SANDBOX_SMTP_ADDR":                "127.0.0.1:20011",
		"SMTP_HOST":                        "127.0.0.1",
		"SMTP_PORT":                        "20011",
		"SMTP_TLS":                         "none",
		"SMTP_FROM":                        "Fencepost <posts@localhost.invalid>",
		"TEMPORAL_ADDRESS":                 "127.0.0.1:20020",
		"TEMPORAL_NAMESPACE":               "default",
		"TEMPORAL_VISIBILITY_DATABASE_URL": "postgres://temporal:pw@127.0.0.1:20040/temporal_visibility?sslmode=disable",
	}, parse(newStack(t).Environment(stack.API)))
}

func TestOpsAddressesDiffer(t *testing.T) {
	t.Parallel()
	own := newStack(t)
	for program, want := range map[string]string{
		stack.API: "127.0.0.1:20050", stack.Worker: "127.0.0.1:20051", stack.Sandbox: "127.0.0.1:20052",
		stack.Files: "127.0.0.1:20056", stack.Inbound: "127.0.0.1:20057", stack.Pages: "127.0.0.1:20055", stack.Console: "127.0.0.1:20053",
		stack.MCP:     "127.0.0.1:20054",
		stack.Migrate: "", stack.Admin: "",
	} {
		require.Equal(t, want, parse(own.Environment(program))["OPS_ADDR"], program)
		require.Equal(t, want, strings.TrimPrefix(own.OpsURL(program), "http://"), program)
	}
}

func TestEnvironmentIgnoresShell(t *testing.T) {
	t.Parallel()
	own := newStack(t,
		"DATABASE_URL=postgres://production", "NETWORKS_SANDBOX_URL=https://other.example", "AWS_SECRET_ACCESS_KEY=s",
		"ODD",
		"PATH=/bin", "LOG_LEVEL=debug", "WORKER_PUBLISH_CONCURRENCY=7", "RETRY_SCALE=0.1")
	variables := parse(own.Environment(stack.Worker))
	require.Equal(t, own.DatabaseURL, variables["DATABASE_URL"])
	require.Equal(t, "http://127.0.0.1:20010", variables["NETWORKS_SANDBOX_URL"])
	require.NotContains(t, variables, "AWS_SECRET_ACCESS_KEY")
	require.NotContains(t, variables, "ODD")
	require.Equal(t, "/bin", variables["PATH"])
	require.Equal(t, "debug", variables["LOG_LEVEL"], "settings worth trying out may be overridden")
	require.Equal(t, "7", variables["WORKER_PUBLISH_CONCURRENCY"])
	require.Equal(t, "0.1", variables["RETRY_SCALE"])
}

func TestFileMembers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var seed stack.Seed
	require.NoError(t, json.Unmarshal([]byte(`{
		"user": {"email": "dev@example.test", "password": "pw"},
		"workspaces": [{"id": "w", "name": "Acme", "plan": "GROWTH", "apiKey": "a", "readOnlyApiKey": "r",
			"channels": [{"id": "c", "type": "THREADS", "name": "acme"}]}]}`), &seed))
	require.NoError(t, newStack(t).File(seed).Write(folder))

	path := filepath.Join(folder, stack.FileName)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	environment, err := json.Marshal(newStack(t).File(seed).Environment)
	require.NoError(t, err)
	require.Contains(t, string(environment), `"NETWORKS_SANDBOX_URL=http://127.0.0.1:20010"`)
	require.JSONEq(t, `{
		"apiUrl": "http://127.0.0.1:20000", "appUrl": "http://127.0.0.1:20001", "mcpUrl": "http://127.0.0.1:20002/mcp",
		"pagesUrl": "http://127.0.0.1:20003", "sandboxUrl": "http://127.0.0.1:20010",
		"temporalUiUrl": "http://127.0.0.1:20021", "temporalAddress": "127.0.0.1:20020",
		"databaseUrl": "postgres://social:pw@127.0.0.1:20040/social?sslmode=disable",
		"s3Endpoint": "http://127.0.0.1:20030",
		"user": {"email": "dev@example.test", "password": "pw"},
		"workspaces": [{"id": "w", "name": "Acme", "plan": "GROWTH", "apiKey": "a", "readOnlyApiKey": "r",
			"channels": [{"id": "c", "type": "THREADS", "name": "acme"}]}],
		"opsUrls": {"api": "http://127.0.0.1:20050", "worker": "http://127.0.0.1:20051", "sandbox": "http://127.0.0.1:20052",
			"console": "http://127.0.0.1:20053", "mcp": "http://127.0.0.1:20054", "pages": "http://127.0.0.1:20055", "files": "http://127.0.0.1:20056",
			"inbound": "http://127.0.0.1:20057"}, "filesUrl": "http://127.0.0.1:20004", "inboundUrl": "http://127.0.0.1:20005",
		"controlUrl": "http://127.0.0.1:20060", "encryptionKeys": "dev:key", "environment": `+string(environment)+`}`, string(raw))
	read, err := stack.Read(folder)
	require.NoError(t, err)
	require.Equal(t, newStack(t).File(seed), read)

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the draft is gone")

	require.NoError(t, stack.Remove(folder))
	require.NoFileExists(t, path)
	_, err = stack.Read(folder)
	require.ErrorContains(t, err, "make run")
	require.NoError(t, stack.Remove(folder), "removing a missing file is no error")
}

func TestBanner(t *testing.T) {
	t.Parallel()
	file := newStack(t).File(stack.Seed{Workspaces: []stack.Workspace{{
		Name: "Acme", Plan: "GROWTH", APIKey: "svc_live_key",
		Channels: []stack.Channel{{ID: "x1", Type: "X"}, {ID: "t1", Type: "THREADS"}, {ID: "t2", Type: "THREADS"}},
	}}})
	banner := file.Banner("/checkout/.run")
	for _, want := range []string{
		file.APIURL, file.PagesURL, file.FilesURL, file.SandboxURL, file.TemporalUIURL, file.S3Endpoint, file.DatabaseURL,
		"/checkout/.run/dev.json", "KEY=svc_live_key", `"channelIds": ["t1"]`, "+5 seconds", "%FT%TZ",
	} {
		require.Contains(t, banner, want)
	}
	require.Equal(t, 3, strings.Count(banner, "curl "))
	require.NotContains(t, banner, "%!", "a mistake in a format")
}

func TestBannerWithoutWorkspace(t *testing.T) {
	t.Parallel()
	require.NotContains(t, newStack(t).File(stack.Seed{}).Banner("/r"), "curl")
}
