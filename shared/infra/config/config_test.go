package config_test

import (
	"encoding/base64"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform/connectors"
)

const (
	databaseURL = "postgres://app:hunter2@127.0.0.1:54320/fencepost"
	material    = "0123456789abcdefghijklmnopqrstuv"
)

// minimal returns an environment with only the required variables, with the given changes.
func minimal(changes map[string]string) map[string]string {
	environ := map[string]string{
		"DATABASE_URL":    databaseURL,
		"ENCRYPTION_KEYS": "k1:" + base64.StdEncoding.EncodeToString([]byte(material)),
		"S3_ENDPOINT":     "http://127.0.0.1:9000",
		"S3_ACCESS_KEY":   "media",
		"S3_SECRET_KEY":   "hunter3",
		"UNRELATED":       "x",
	}

	maps.Copy(environ, changes)

	return environ
}

func TestDefaults(t *testing.T) {
	t.Parallel()

	api, err := config.Load[config.API[connectors.Environment]](minimal(nil))
	require.NoError(t, err)
	require.Equal(t, slog.LevelInfo, api.LogLevel)
	require.Equal(t, "json", api.LogFormat)
	require.Equal(t, ":8180", api.OpsAddr)
	require.Equal(t, ":8080", api.Addr)
	require.Equal(t, "http://localhost:8080", api.BaseURL)
	require.Equal(t, databaseURL, api.Database.URL.Reveal())
	require.Equal(t, 20, api.DBMaxConns)
	require.Equal(t, "127.0.0.1:7233", api.Temporal.Address)
	require.Equal(t, "default", api.Temporal.Namespace)
	require.Equal(t, "k1", api.Encryption.Keys[0].ID)
	require.Equal(t, "https://api.x.com", api.Networks.X.APIURL)
	require.Equal(t, "https://graph.threads.net", api.Networks.Threads.APIURL)
	require.Equal(t, "https://api.telegram.org", api.Networks.Telegram.APIURL)
	require.Empty(t, api.EgressAllow)

	worker, err := config.Load[config.Worker[connectors.Environment]](minimal(nil))
	require.NoError(t, err)
	require.Equal(t, ":8184", worker.OpsAddr)
	require.Equal(t, "http://localhost:8080", worker.BaseURL)
	require.Empty(t, worker.WorkerNetworks)
	require.Equal(t, 50, worker.PublishConcurrency)
	require.Equal(t, 1000, worker.DeliveryConcurrency)
	require.Equal(t, 15*time.Second, worker.PublishSendWindow)
	require.Zero(t, worker.CommitTimeout, "each network has its own")
	require.Equal(t, 20*time.Second, worker.PublishReadDelay)
	require.InDelta(t, 1.0, worker.RetryScale, 0)
	require.Equal(t, 15*time.Second, worker.SweepInterval)
	require.Equal(t, 20, worker.DBMaxConns)
	require.Empty(t, worker.SMTPHost)
	require.Equal(t, 587, worker.SMTPPort)
	require.Equal(t, "starttls", worker.SMTPTLS)

	sandbox, err := config.Load[config.Sandbox](nil)
	require.NoError(t, err)
	require.Equal(t, ":8190", sandbox.OpsAddr)
	require.Equal(t, ":8090", sandbox.Addr)
	require.Equal(t, ".run/sandbox", sandbox.Data)

	_, err = config.Load[config.Migrate](minimal(nil))
	require.NoError(t, err)
	_, err = config.Load[config.Admin[connectors.Environment]](minimal(nil))
	require.NoError(t, err)
}

func TestValues(t *testing.T) {
	t.Parallel()

	worker, err := config.Load[config.Worker[connectors.Environment]](minimal(map[string]string{
		"LOG_LEVEL":          "DEBUG",
		"LOG_FORMAT":         "text",
		"OPS_ADDR":           "127.0.0.1:0",
		"EGRESS_ALLOW":       "127.0.0.1/32, ::1/128",
		"WORKER_NETWORKS":    "x, telegram",
		"RETRY_SCALE":        "0.001",
		"SWEEP_INTERVAL":     " 250ms ",
		"X_CLIENT_ID":        "id",
		"X_CLIENT_SECRET":    "s3cret",
		"X_API_URL":          "http://127.0.0.1:8090/x",
		"TEMPORAL_NAMESPACE": "",
	}))
	require.NoError(t, err)
	require.Equal(t, slog.LevelDebug, worker.LogLevel)
	require.Equal(t, "text", worker.LogFormat)
	require.Equal(t, "127.0.0.1:0", worker.OpsAddr)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")},
		worker.EgressAllow)
	require.Equal(t, []string{"x", "telegram"}, worker.WorkerNetworks)
	require.InDelta(t, 0.001, worker.RetryScale, 0)
	require.Equal(t, 250*time.Millisecond, worker.SweepInterval)
	require.Equal(t, "id", worker.Networks.XApplication.ClientID)
	require.Equal(t, "s3cret", worker.Networks.XApplication.ClientSecret.Reveal())
	require.Equal(t, "http://127.0.0.1:8090/x", worker.Networks.X.APIURL)
	require.Equal(t, "default", worker.Temporal.Namespace, "an empty variable counts as not set")

	_, err = secretbox.NewKeyring(worker.Encryption.Keys)
	require.NoError(t, err)
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()

	tests := []struct{ variable, value, want string }{
		{"DATABASE_URL", "", "required"},
		{"DATABASE_URL", "mysql://app:hunter2@host/db", "not a postgres:// URL"},
		{"DATABASE_URL", "postgres://app:hun\x7fter2@host/db", "not a postgres:// URL"},
		{"DATABASE_URL", "postgres:///fencepost", "has no host"},
		{"DATABASE_URL", "postgres://app:hunter2@host", "has no database"},
		{"ENCRYPTION_KEYS", "", "required"},
		{"ENCRYPTION_KEYS", "k1:" + base64.StdEncoding.EncodeToString([]byte(material[:31])), "31 bytes"},
		{"ENCRYPTION_KEYS", "k1:" + material, "entry 1"},
		{"LOG_LEVEL", "loud", "debug, info, warn or error"},
		{"LOG_FORMAT", "xml", "json or text"},
		{"OPS_ADDR", "8184", "listen"},
		{"OPS_ADDR", ":70000", "listen"},
		{"OPS_ADDR", ":http", "listen"},
		{"TEMPORAL_ADDRESS", "temporal", "host:port"},
		{"TEMPORAL_ADDRESS", ":7233", "host:port"},
		{"TEMPORAL_ADDRESS", "temporal:0", "host:port"},
		{"TEMPORAL_NAMESPACE", "a b", "name"},
		{"BASE_URL", "localhost:8080", "http or https"},
		{"BASE_URL", "ftp://host", "http or https"},
		{"BASE_URL", "https://", "http or https"},
		{"BASE_URL", "https://:80", "http or https"},
		{"BASE_URL", "https://host:0", "port"},
		{"BASE_URL", "https://user:hunter2@host", "credentials"},
		{"BASE_URL", "https://host?x", "query"},
		{"BASE_URL", "https://host?", "query"},
		{"BASE_URL", "https://host#", "fragment"},
		{"X_API_URL", "https://api.x.com/", "slash"},
		{"EGRESS_ALLOW", "127.0.0.1", "CIDR"},
		{"EGRESS_ALLOW", "127.0.0.1/32,localhost", "CIDR"},
		{"WORKER_NETWORKS", "x,,telegram", "name"},
		{"WORKER_NETWORKS", "X", "name"},
		{"WORKER_NETWORKS", "x,x", "twice"},
		{"WORKER_PUBLISH_CONCURRENCY", "many", "whole number"},
		{"WORKER_PUBLISH_CONCURRENCY", "1.5", "whole number"},
		{"WORKER_DELIVERY_CONCURRENCY", "0", "positive"},
		{"DB_MAX_CONNS", "-1", "positive"},
		{"PUBLISH_SEND_WINDOW", "60", "unit"},
		{"PUBLISH_READ_DELAY", "-1s", "positive"},
		{"SWEEP_INTERVAL", "0s", "positive"},
		{"SMTP_HOST", "smtp.example.com:587", "without a port"},
		{"SMTP_HOST", "https://smtp.example.com", "without a port"},
		{"SMTP_PORT", "0", "not a port"},
		{"SMTP_PORT", "65536", "not a port"},
		{"SMTP_TLS", "ssl", "starttls, tls or none"},
		{"SMTP_FROM", "Posts", "email address"},
		{"SMTP_FROM", "a@example.com, b@example.com", "email address"},
		{"RETRY_SCALE", "fast", "number"},
		{"RETRY_SCALE", "0", "positive"},
		{"RETRY_SCALE", "NaN", "positive"},
		{"RETRY_SCALE", "Inf", "positive"},
	}

	for _, test := range tests {
		t.Run(test.variable+"="+test.value, func(t *testing.T) {
			t.Parallel()

			_, err := config.Load[config.Worker[connectors.Environment]](minimal(map[string]string{test.variable: test.value}))

			failure := new(config.Error)
			require.ErrorAs(t, err, &failure)
			require.Len(t, failure.Problems, 1)
			require.Equal(t, test.variable, failure.Problems[0].Variable)
			require.Contains(t, failure.Problems[0].Message, test.want)
			require.NotEmpty(t, failure.Problems[0].Example)
			require.NotContains(t, err.Error(), "hunter2")
			require.NotContains(t, err.Error(), material[:31])
		})
	}
}

func TestLoadReportsAllErrors(t *testing.T) {
	t.Parallel()

	worker, err := config.Load[config.Worker[connectors.Environment]](map[string]string{
		"LOG_FORMAT":   "xml",
		"RETRY_SCALE":  "0",
		"DB_MAX_CONNS": "x",
	})
	require.Equal(t, config.Worker[connectors.Environment]{}, worker)
	require.EqualError(t, err, strings.Join([]string{
		"configuration:",
		`  LOG_FORMAT "xml" is not json or text (example: json)`,
		`  DATABASE_URL is required and not set (example: postgres://app:password@127.0.0.1:54320/fencepost)`,
		`  DB_MAX_CONNS "x" is not a whole number (example: 20)`,
		`  ENCRYPTION_KEYS is required and not set (example: 2026-a:bWFrZSB5b3VyIG93biBvZiAzMiByYW5kb20gYnl0ZXM=)`,
		`  S3_ENDPOINT is required and not set (example: https://s3.eu-central-1.amazonaws.com)`,
		`  S3_ACCESS_KEY is required and not set (example: media-service)`,
		`  S3_SECRET_KEY is required and not set (example: from the object store)`,
		`  RETRY_SCALE 0 is not positive (example: 0.001)`,
	}, "\n"))
}

func TestObjectStore(t *testing.T) {
	t.Parallel()

	required := map[string]string{
		"S3_ENDPOINT": "http://127.0.0.1:9000", "S3_ACCESS_KEY": "id", "S3_SECRET_KEY": "hunter2",
	}
	store, err := config.Load[config.ObjectStore](required)
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:9000", store.S3Endpoint)
	require.Empty(t, store.S3PublicEndpoint)
	require.Equal(t, "us-east-1", store.S3Region)
	require.Equal(t, "id", store.S3AccessKey)
	require.Equal(t, "hunter2", store.S3SecretKey.Reveal())
	require.Equal(t, "media", store.S3Bucket)
	require.Equal(t, "auto", store.S3Addressing)

	for name, value := range map[string]string{
		"S3_ENDPOINT": "127.0.0.1:9000", "S3_PUBLIC_ENDPOINT": "https://user:hunter2@host", "S3_REGION": "eu central",
		"S3_BUCKET": "Media", "S3_ADDRESSING": "dns", "S3_SECRET_KEY": "",
	} {
		environ := maps.Clone(required)
		environ[name] = value
		_, err = config.Load[config.ObjectStore](environ)
		require.ErrorContains(t, err, name)
		require.NotContains(t, err.Error(), "hunter2")
	}

	check(t, config.Load[config.ObjectStore], config.Describe[config.ObjectStore]())
}

func TestFiles(t *testing.T) {
	t.Parallel()

	files, err := config.Load[config.Files](map[string]string{
		"S3_ENDPOINT": "http://127.0.0.1:9000", "S3_PUBLIC_ENDPOINT": "https://media.example.com",
	})
	require.NoError(t, err)
	require.Equal(t, ":8084", files.Addr)
	require.Equal(t, ":8185", files.OpsAddr)
	require.Equal(t, "media", files.S3Bucket)

	_, err = config.Load[config.Files](nil)
	require.ErrorContains(t, err, "S3_ENDPOINT is required")
	require.ErrorContains(t, err, "S3_PUBLIC_ENDPOINT is required")
}

func TestPages(t *testing.T) {
	t.Parallel()

	pages, err := config.Load[config.Pages](minimal(nil))
	require.NoError(t, err)
	require.Equal(t, ":8083", pages.Addr)
	require.Equal(t, ":8183", pages.OpsAddr)
	require.Equal(t, "http://localhost:8083", pages.PagesURL)
	require.Empty(t, pages.TrustedProxies)

	_, err = config.Load[config.Pages](minimal(map[string]string{
		"PAGES_URL": "https://pages.example.com/", "TRUSTED_PROXIES": "10.0.0.1",
	}))
	require.ErrorContains(t, err, "PAGES_URL")
	require.ErrorContains(t, err, "TRUSTED_PROXIES")
}

func TestMCP(t *testing.T) {
	t.Parallel()

	tools, err := config.Load[config.MCP[connectors.Environment]](minimal(map[string]string{
		"MCP_ORIGINS": "https://agent.example.com,http://localhost:6274",
	}))
	require.NoError(t, err)
	require.Equal(t, ":8082", tools.Addr)
	require.Equal(t, ":8182", tools.OpsAddr)
	require.Equal(t, "http://localhost:8082/mcp", tools.MCPURL)
	require.Equal(t, []string{"https://agent.example.com", "http://localhost:6274"}, tools.Origins)

	for _, bad := range []string{
		"agent.example.com", "https://agent.example.com/", "https://agent.example.com/app", "https://a.example.com,*",
	} {
		_, err = config.Load[config.MCP[connectors.Environment]](minimal(map[string]string{"MCP_ORIGINS": bad}))
		require.ErrorContains(t, err, "MCP_ORIGINS", bad)
	}
}

func TestMigrateRequiresNoObjectStore(t *testing.T) {
	t.Parallel()

	migrate, err := config.Load[config.Migrate](minimal(map[string]string{
		"S3_ENDPOINT": "", "S3_ACCESS_KEY": "", "S3_SECRET_KEY": "",
	}))
	require.NoError(t, err)
	require.Equal(t, databaseURL, migrate.Database.URL.Reveal())
	require.Equal(t, "127.0.0.1:7233", migrate.Temporal.Address)
	require.Empty(t, migrate.S3Endpoint)
	require.Equal(t, "us-east-1", migrate.S3Region)

	_, err = config.Load[config.Migrate](map[string]string{"S3_ENDPOINT": "nowhere"})
	require.ErrorContains(t, err, "DATABASE_URL is required")
	require.ErrorContains(t, err, "S3_ENDPOINT")
	require.NotContains(t, err.Error(), "S3_ACCESS_KEY")
	for _, variable := range config.Describe[config.Migrate]() {
		require.Equal(t, variable.Name == "DATABASE_URL", variable.Required, variable.Name)
	}
}

func TestInvalidDeclarationsAreErrors(t *testing.T) {
	t.Parallel()

	type unknownFormat struct {
		Value string `env:"VALUE" format:"nonsense"`
	}
	_, err := config.Load[unknownFormat](map[string]string{"VALUE": "x"})
	require.ErrorContains(t, err, "nonsense")

	type noParser struct {
		Value chan int `env:"VALUE"`
	}
	_, err = config.Load[noParser](map[string]string{"VALUE": "x"})
	require.Error(t, err)

	type wrongTypes struct {
		URL   int    `env:"A" format:"http-url"`
		Names string `env:"B" format:"names"`
		Count string `env:"C" format:"positive"`
		DSN   string `env:"D" format:"postgres-url"`
	}
	_, err = config.Load[wrongTypes](map[string]string{"A": "1", "B": "x", "C": "1", "D": "x"})
	failure := new(config.Error)
	require.ErrorAs(t, err, &failure)
	require.Len(t, failure.Problems, 4)

	_, err = config.Load[config.Common](nil)
	require.ErrorContains(t, err, "OPS_ADDR is required", "a program without a default of its own")
}

// TestExamplesAndDefaultsAreValid sets every variable of every program to its example, and every variable to its
// default.
func TestExamplesAndDefaultsAreValid(t *testing.T) {
	t.Parallel()

	check(t, config.Load[config.API[connectors.Environment]], config.Describe[config.API[connectors.Environment]]())
	check(t, config.Load[config.Worker[connectors.Environment]], config.Describe[config.Worker[connectors.Environment]]())
	check(t, config.Load[config.Sandbox], config.Describe[config.Sandbox]())
	check(t, config.Load[config.Files], config.Describe[config.Files]())
	check(t, config.Load[config.Pages], config.Describe[config.Pages]())
	check(t, config.Load[config.MCP[connectors.Environment]], config.Describe[config.MCP[connectors.Environment]]())
	check(t, config.Load[config.Console[connectors.Environment]], config.Describe[config.Console[connectors.Environment]]())
	check(t, config.Load[config.Migrate], config.Describe[config.Migrate]())
	check(t, config.Load[config.Admin[connectors.Environment]], config.Describe[config.Admin[connectors.Environment]]())
}

func check[T any](t *testing.T, load func(map[string]string) (T, error), variables []config.Variable) {
	t.Helper()

	examples, defaults, seen := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, variable := range variables {
		require.False(t, seen[variable.Name], "%s twice", variable.Name)
		seen[variable.Name] = true

		require.NotEmpty(t, variable.Description, variable.Name)
		require.True(t, strings.HasSuffix(variable.Description, "."), variable.Name)
		require.NotEmpty(t, variable.Example, variable.Name)
		examples[variable.Name] = variable.Example
		defaults[variable.Name] = variable.Default

		if variable.Required {
			require.Empty(t, variable.Default)
			defaults[variable.Name] = variable.Example
		}
	}

	_, err := load(examples)
	require.NoError(t, err)

	explicit, err := load(defaults)
	require.NoError(t, err)

	maps.DeleteFunc(defaults, func(name, _ string) bool {
		for _, variable := range variables {
			if variable.Name == name {
				return !variable.Required
			}
		}

		return true
	})

	implicit, err := load(defaults)
	require.NoError(t, err)
	require.Equal(t, explicit, implicit)

	// Package env reports a field that it cannot parse without its struct, so two fields with the same name could not be
	// distinguished. It never fails for a text.
	fields := map[string]bool{}
	all := fieldsOf(reflect.TypeFor[T]())
	for _, field := range all {
		if field.Type.Kind() == reflect.String || field.Type == reflect.TypeFor[config.Secret]() {
			continue
		}
		require.False(t, fields[field.Name], "field %s twice", field.Name)
		fields[field.Name] = true
	}
	require.Len(t, all, len(variables))
}

func fieldsOf(in reflect.Type) []reflect.StructField {
	var found []reflect.StructField
	for f := range in.Fields() {
		switch {
		case f.Tag.Get("env") != "":
			found = append(found, f)
		case f.Type.Kind() == reflect.Struct:
			found = append(found, fieldsOf(f.Type)...)
		}
	}

	return found
}

// TestSecretsFromFiles checks the form in which container platforms provide secrets.
func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	keys := "k2:" + base64.StdEncoding.EncodeToString([]byte(material))
	cfg, err := config.Load[config.API[connectors.Environment]](minimal(map[string]string{
		"DATABASE_URL": "", "DATABASE_URL_FILE": file(databaseURL + "\n"),
		"ENCRYPTION_KEYS": " ", "ENCRYPTION_KEYS_FILE": file(keys),
		"S3_SECRET_KEY": "", "S3_SECRET_KEY_FILE": file("hunter4"),
		"TEMPORAL_API_KEY_FILE": file("hunter5"),
		"TEMPORAL_TLS_KEY_FILE": "/no/secret/but/a/path",
	}))
	require.NoError(t, err)
	require.Equal(t, databaseURL, cfg.Database.URL.Reveal())
	require.Equal(t, "k2", cfg.Encryption.Keys[0].ID)
	require.Equal(t, "hunter4", cfg.S3SecretKey.Reveal())
	require.Equal(t, "hunter5", cfg.Temporal.APIKey.Reveal())
	require.Equal(t, "/no/secret/but/a/path", cfg.Temporal.KeyFile)
	require.True(t, cfg.Temporal.Encrypted())

	for name, test := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"twice": {map[string]string{"S3_SECRET_KEY_FILE": file("hunter4")}, "S3_SECRET_KEY is set, and S3_SECRET_KEY_FILE too"},
		"absent": {
			map[string]string{"S3_SECRET_KEY": "", "S3_SECRET_KEY_FILE": "/absent"},
			"S3_SECRET_KEY cannot be read from S3_SECRET_KEY_FILE: open /absent",
		},
		"empty": {map[string]string{"S3_SECRET_KEY": "", "S3_SECRET_KEY_FILE": file(" \n")}, "is empty"},
		"large": {
			map[string]string{"S3_SECRET_KEY": "", "S3_SECRET_KEY_FILE": file(strings.Repeat("x", 65537))},
			"has more than 65536 bytes",
		},
		"malformed": {
			map[string]string{"DATABASE_URL": "", "DATABASE_URL_FILE": file("hunter7")}, "DATABASE_URL is not a postgres:// URL",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load[config.API[connectors.Environment]](minimal(test.changes))
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "hunter")
		})
	}
}
