// Package lab provides the environment of measurements: a database and Temporal namespaces of its own, the real programs
// as processes, and functions that create data, make requests and observe the programs.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/proctest"
)

// Environment holds the variables that the development stack sets for the command it runs.
type Environment struct {
	Database    config.Secret `env:"TEST_DATABASE_URL,required" desc:"Superuser's address of the PostgreSQL to measure on." example:"postgres://postgres:password@127.0.0.1:54320/postgres"`
	Temporal    string        `env:"TEST_TEMPORAL_ADDRESS,required" format:"host-port" desc:"Temporal to measure on." example:"127.0.0.1:7233"`
	S3Endpoint  string        `env:"TEST_S3_ENDPOINT,required" desc:"Object store to measure on." example:"http://127.0.0.1:9000"`
	S3AccessKey string        `env:"TEST_S3_ACCESS_KEY,required" desc:"Access key of the object store." example:"minio"`
	S3SecretKey config.Secret `env:"TEST_S3_SECRET_KEY,required" desc:"Secret key of the object store." example:"from the development stack"`
	Path        string        `env:"PATH" desc:"Search path of the programs." example:"/usr/bin"`
}

// Config holds the settings of a Lab.
type Config struct {
	Environment

	Bin     string // folder of the built programs
	Outpost string // folder of Outpost's programs
	Folder  string // for logs and the sandbox's files

	Backlog   int       // number of posts that burst schedules and relays drain; limits other measurements
	RushPosts int       // number of posts in the rush
	Out       io.Writer // progress messages
}

// Lab is one prepared environment.
type Lab struct {
	Config

	DatabaseURL      string
	CeilingNamespace string // for the ceiling's workflows
	DB               *postgres.DB
	SQL              *pgxpool.Pool // for queries that no store offers
	Keys             *secretbox.Keyring
	APIURL           string
	SandboxURL       string

	namespace string // of the service
	ports     *proctest.Ports
	env       []string
}

const (
	encryptionKey = "bench:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
	connections   = 10
)

// Open creates the database and the namespaces.
func Open(ctx context.Context, cfg Config) (*Lab, error) {
	if cfg.Bin == "" || cfg.Folder == "" || cfg.Out == nil {
		return nil, errors.New("lab: programs, folder and output are required")
	}
	name := "bench_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	l := &Lab{Config: cfg, namespace: name, CeilingNamespace: name + "_ceiling", ports: proctest.NewPorts()}
	err := l.Do(ctx, func(r *Run) {
		r.Check(os.MkdirAll(cfg.Folder, 0o750))
		l.DatabaseURL = r.CreateDatabase(name)
		l.addresses(r)
		l.connect(r)
		r.migrate("TEMPORAL_NAMESPACE=" + l.namespace)
		r.migrate("TEMPORAL_NAMESPACE=" + l.CeilingNamespace)
	})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close closes the connections. The data is deleted with the development stack's folder.
func (l *Lab) Close() error {
	if l.SQL != nil {
		l.SQL.Close()
	}
	if l.DB != nil {
		return l.DB.Close()
	}
	return nil
}

func (l *Lab) connect(r *Run) {
	keys, err := secretbox.ParseKeys(encryptionKey)
	r.Check(err)
	l.Keys, err = secretbox.NewKeyring(keys)
	r.Check(err)
	l.DB, err = postgres.Open(postgres.Config{
		URL: l.DatabaseURL, MaxConnections: connections, Logger: slog.New(slog.DiscardHandler),
	})
	r.Check(err)
	l.SQL, err = pgxpool.New(r.Context(), l.DatabaseURL)
	r.Check(err)
}

// addresses selects free ports and sets the environment of the programs.
func (l *Lab) addresses(r *Run) {
	api, sandbox, files := r.Address(), r.Address(), r.Address()
	l.APIURL, l.SandboxURL = "http://"+api, "http://"+sandbox
	l.env = []string{
		"PATH=" + l.Path, "LOG_FORMAT=json", "LOG_LEVEL=info", "DATABASE_URL=" + l.DatabaseURL,
		"TEMPORAL_ADDRESS=" + l.Temporal, "TEMPORAL_NAMESPACE=" + l.namespace, "ENCRYPTION_KEYS=" + encryptionKey,
		"BASE_URL=" + l.APIURL, "API_ADDR=" + api, "EGRESS_ALLOW=127.0.0.1/32",
		"NETWORKS_SANDBOX_URL=" + l.SandboxURL, "REQUESTS_PER_MINUTE=1000000", "INSIGHTS_SCHEDULES=false",
		"SANDBOX_ADDR=" + sandbox, "SANDBOX_PUBLIC_URL=" + l.SandboxURL,
		"SANDBOX_DATA=" + filepath.Join(l.Folder, "sandbox-"+l.namespace),
		"S3_ENDPOINT=" + l.S3Endpoint, "S3_PUBLIC_ENDPOINT=http://" + files, "S3_ACCESS_KEY=" + l.S3AccessKey,
		"S3_SECRET_KEY=" + l.S3SecretKey.Reveal(), "S3_BUCKET=" + strings.ReplaceAll(l.namespace, "_", "-"),
		"PPROF=true",
	}
}

// migrate prepares the stores for the service.
func (r *Run) migrate(env ...string) {
	cmd := exec.CommandContext(r.Context(), filepath.Join(r.Bin, "migrate"), "up") //nolint:gosec // G204: our own program
	cmd.Env = append(slices.Clone(r.env), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Failf("migrate up: %w\n%s", err, out)
	}
}

// CreateDatabase creates an empty database and returns the superuser's address of it.
func (r *Run) CreateDatabase(name string) string {
	r.execute(r.Database.Reveal(), "CREATE DATABASE "+name)
	return r.database(name)
}

// database returns the superuser's address of a database of the server.
func (r *Run) database(name string) string {
	u, err := url.Parse(r.Database.Reveal())
	if err != nil {
		r.Failf("TEST_DATABASE_URL is not a URL: %w", err)
	}
	u.Path = "/" + name
	return u.String()
}

// Address returns an address on this machine on which no process listens.
func (r *Run) Address() string {
	address, err := r.ports.Address(r.Context())
	r.Check(err)
	return address
}

// Logf writes a progress message.
func (l *Lab) Logf(format string, args ...any) {
	_, _ = fmt.Fprintf(l.Out, "%s  "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}
