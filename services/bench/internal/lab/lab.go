// Package lab provides the environment of a measurement: its own database and Temporal namespaces, the real programs as
// processes, and functions that create data and observe the programs.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/freeport"
	"fencepost.internal/shared/kernel/ident"
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

	Bin      string // folder of the built programs
	Outpost  string // folder of Outpost's programs
	Folder   string // for logs and the sandbox's files
	Profiles string // folder for CPU profiles; empty: no profiles

	Backlog      int           // number of posts that burst schedules and relays drain; bounds other trials
	RushPosts    int           // number of posts in the trial rush
	RushPatience time.Duration // how long rush waits until the dead endpoints are disabled
	Clock        clock.Clock
	Out          io.Writer // progress messages
}

// Lab is one prepared environment.
type Lab struct {
	Config

	DatabaseURL      string
	Namespace        string // of the service
	CeilingNamespace string // for the ceiling's workflows
	DB               *postgres.DB
	SQL              *pgxpool.Pool // for queries that no store offers
	Keys             *secretbox.Keyring
	APIURL           string
	PagesURL         string
	MCPURL           string

	env       []string
	sandbox   string
	processes []*Process
}

const (
	encryptionKey = "bench:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
	connections   = 10
	folderMode    = 0o755
)

// Open creates the database and the namespaces.
func Open(ctx context.Context, cfg Config) (*Lab, error) {
	if cfg.Bin == "" || cfg.Folder == "" || cfg.Clock == nil || cfg.Out == nil {
		return nil, errors.New("lab: programs, folder, clock and output are required")
	}
	name := "bench_" + strconv.FormatInt(cfg.Clock.Now().UnixNano(), 36)
	l := &Lab{Config: cfg, Namespace: name, CeilingNamespace: name + "_ceiling"}
	if err := os.MkdirAll(cfg.Folder, folderMode); err != nil {
		return nil, err
	}
	address, err := l.CreateDatabase(ctx, name)
	if err != nil {
		return nil, err
	}
	l.DatabaseURL = address
	if err := l.addresses(ctx); err != nil {
		return nil, err
	}
	if err := l.connect(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	for _, namespace := range []string{l.Namespace, l.CeilingNamespace} {
		if err := l.migrate(ctx, namespace); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// Close stops every process and closes the connections. The data is deleted with the development stack's folder.
func (l *Lab) Close() error {
	for _, p := range l.processes {
		p.Stop()
	}
	if l.SQL != nil {
		l.SQL.Close()
	}
	if l.DB != nil {
		return l.DB.Close()
	}
	return nil
}

// CreateDatabase creates an empty database and returns the superuser's address of it.
func (l *Lab) CreateDatabase(ctx context.Context, name string) (string, error) {
	admin, err := pgxpool.New(ctx, l.Database.Reveal())
	if err != nil {
		return "", errors.New("TEST_DATABASE_URL is not a PostgreSQL URL")
	}
	defer admin.Close()
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", fmt.Errorf("create database: %w", err)
	}
	return l.database(name)
}

func (l *Lab) connect(ctx context.Context) error {
	keys, err := secretbox.ParseKeys(encryptionKey)
	if err != nil {
		return err
	}
	if l.Keys, err = secretbox.NewKeyring(keys); err != nil {
		return err
	}
	l.DB, err = postgres.Open(postgres.Config{
		URL: l.DatabaseURL, MaxConnections: connections, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	l.SQL, err = pgxpool.New(ctx, l.DatabaseURL)
	return err
}

// addresses selects free ports and sets the environment of the programs.
func (l *Lab) addresses(ctx context.Context) error {
	api, err := FreeAddress(ctx)
	if err != nil {
		return err
	}
	if l.sandbox, err = FreeAddress(ctx); err != nil {
		return err
	}
	files, err := FreeAddress(ctx)
	if err != nil {
		return err
	}
	pages, err := FreeAddress(ctx)
	if err != nil {
		return err
	}
	tools, err := FreeAddress(ctx)
	if err != nil {
		return err
	}
	data := filepath.Join(l.Folder, "sandbox-"+ident.New[ident.Post]().String())
	l.APIURL, l.PagesURL, l.MCPURL = "http://"+api, "http://"+pages, "http://"+tools+"/mcp"
	l.env = []string{
		"PATH=" + l.Path, "LOG_FORMAT=json", "LOG_LEVEL=info", "DATABASE_URL=" + l.DatabaseURL,
		"TEMPORAL_ADDRESS=" + l.Temporal, "TEMPORAL_NAMESPACE=" + l.Namespace, "ENCRYPTION_KEYS=" + encryptionKey,
		"BASE_URL=" + l.APIURL, "API_ADDR=" + api, "EGRESS_ALLOW=127.0.0.1/32",
		"NETWORKS_SANDBOX_URL=http://" + l.sandbox, "REQUESTS_PER_MINUTE=1000000", "INSIGHTS_SCHEDULES=false",
		"SANDBOX_ADDR=" + l.sandbox, "SANDBOX_DATA=" + data, "SANDBOX_PUBLIC_URL=http://" + l.sandbox,
		"S3_ENDPOINT=" + l.S3Endpoint, "S3_PUBLIC_ENDPOINT=http://" + files, "S3_ACCESS_KEY=" + l.S3AccessKey,
		"S3_SECRET_KEY=" + l.S3SecretKey.Reveal(), "S3_BUCKET=" + l.bucket(),
		"FILES_ADDR=" + files, "PAGES_URL=" + l.PagesURL, "PAGES_ADDR=" + pages, "MCP_URL=" + l.MCPURL, "MCP_ADDR=" + tools,
		"PPROF=" + strconv.FormatBool(l.Profiles != ""),
	}
	return nil
}

func (l *Lab) migrate(ctx context.Context, namespace string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(l.Bin, "migrate"), "up") //nolint:gosec // G204: our own program
	cmd.Env = append(append([]string{}, l.env...), "TEMPORAL_NAMESPACE="+namespace)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate up: %w\n%s", err, out)
	}
	return nil
}

// SandboxURL returns the address of the networks.
func (l *Lab) SandboxURL() string { return "http://" + l.sandbox }

// FreeAddress returns an address on this machine on which no process listens.
func FreeAddress(ctx context.Context) (string, error) { return freeport.New().Address(ctx) }

// Say writes a progress message.
func (l *Lab) Say(format string, args ...any) {
	_, _ = fmt.Fprintf(l.Out, "%s  "+format+"\n", append([]any{l.Clock.Now().Format("15:04:05")}, args...)...)
}
