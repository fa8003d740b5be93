package servers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"fencepost.internal/devstack/internal/process"
)

const (
	// superuser is the role that initdb creates, with a database of the same name.
	superuser = "postgres"

	postgresGrace = 20 * time.Second
	// recoveryTimeout bounds a start, which includes the recovery after a crash: up to max_wal_size is replayed.
	recoveryTimeout = 10 * time.Minute

	// longestSocketPath is the kernel's limit for the path of a Unix socket, minus the name that PostgreSQL appends.
	longestSocketPath = 107 - len("/.s.PGSQL.65535")
)

// Signals of the modes of pg_ctl stop: fast ends the sessions and writes a checkpoint; immediate ends without one, so
// that the next start recovers from the log.
const (
	FastShutdown      = syscall.SIGINT
	ImmediateShutdown = syscall.SIGQUIT
)

// PostgresFolder returns the folder of the database's data within a stack's folder.
func PostgresFolder(folder string) string { return filepath.Join(folder, "postgres") }

func (s *Servers) newPostgres() *process.Unit {
	return process.New(process.Config{
		Name: "postgres", Launch: s.launchPostgres, Prepare: s.ensureDatabases,
		Probe: func(ctx context.Context) error {
			conn, err := s.connect(ctx)
			if err != nil {
				return err
			}
			return conn.Close(ctx)
		},
		StopSignal: FastShutdown, Grace: postgresGrace, ReadyTimeout: recoveryTimeout, LogPath: s.log("postgres"),
	})
}

func (s *Servers) launchPostgres(ctx context.Context) (process.Spec, error) {
	programs, err := s.postgresPrograms(ctx)
	if err != nil {
		return process.Spec{}, err
	}
	as, err := account()
	if err != nil {
		return process.Spec{}, err
	}
	folder, err := PlaceFor(PostgresFolder(s.cfg.Folder), as, "/var/lib")
	if err != nil {
		return process.Spec{}, err
	}
	data := filepath.Join(folder, "data")
	if _, err := os.Stat(data); err != nil {
		if err := s.initialize(ctx, programs, folder, as); err != nil {
			return process.Spec{}, fmt.Errorf("initialize the database: %w", err)
		}
	}
	return process.Spec{
		Path: filepath.Join(programs, "postgres"), Args: s.postgresArguments(data), Dir: folder,
		Env: postgresEnvironment(), User: as, DeathSignal: FastShutdown,
	}, nil
}

// postgresPrograms returns the folder of the server's programs. If data exists, it is the version that wrote the data.
// It installs PostgreSQL if the machine has none.
func (s *Servers) postgresPrograms(ctx context.Context) (string, error) {
	folder := PostgresFolder(s.cfg.Folder)
	major, err := dataMajor(filepath.Join(folder, "data"))
	if err != nil {
		return "", err
	}
	found, err := FindPostgres(debianPattern, exec.LookPath, major)
	switch {
	case !errors.Is(err, ErrNotInstalled):
		return found, err
	case major != 0:
		return "",
			fmt.Errorf("%w: %s was written by PostgreSQL %d (install that version, or delete the data with: make reset)",
				ErrOtherVersion, folder, major)
	}
	if err := s.cfg.EnsurePackages(ctx, PostgreSQL); err != nil {
		return "", err
	}
	return FindPostgres(debianPattern, exec.LookPath, 0)
}

// initialize creates a cluster in a temporary folder and moves it to its final place, so that a partial one is never
// used.
func (s *Servers) initialize(ctx context.Context, programs, folder string, as *syscall.Credential) error {
	draft, password := filepath.Join(folder, "data.new"), filepath.Join(folder, "password")
	if err := os.RemoveAll(draft); err != nil {
		return err
	}
	// Only root and the server's user can reach the folder.
	if err := os.WriteFile(password, []byte(s.cfg.Secrets.PostgresPassword+"\n"), 0o644); err != nil { //nolint:gosec // see above
		return err
	}
	defer os.Remove(password)
	output := process.NewLog(s.log("postgres"))
	defer output.Close()
	args := []string{
		"--pgdata=" + draft, "--username=" + superuser, "--pwfile=" + password, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C.UTF-8",
	}
	if s.cfg.Fast {
		args = append(args, "--no-sync")
	}
	err := process.Run(ctx, process.Spec{
		Path: filepath.Join(programs, "initdb"), Args: args, Dir: folder, Env: postgresEnvironment(),
		Stdout: output, Stderr: output, User: as,
	})
	if err != nil {
		return fmt.Errorf("initdb: %w (see %s)", err, s.log("postgres"))
	}
	return os.Rename(draft, filepath.Join(folder, "data"))
}

func postgresEnvironment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
}

// postgresArguments returns the server's command line. Settings are passed here rather than in postgresql.conf, so that a
// new version of devstack also changes existing folders.
func (s *Servers) postgresArguments(data string) []string {
	sockets := data
	if len(sockets) > longestSocketPath {
		sockets = "" // TCP only
	}
	settings := []string{
		"listen_addresses=" + loopback, "max_connections=200", "shared_buffers=256MB",
		"timezone=UTC", "log_timezone=UTC",
		"max_wal_size=2GB", "checkpoint_timeout=15min",
		"random_page_cost=1.1",                                          // solid-state disks
		"log_min_duration_statement=1000", "log_parameter_max_length=0", // values are not logged
		"log_line_prefix=%m [%p] %d ", "logging_collector=off",
		"synchronous_commit=on", "full_page_writes=on", "fsync=on",
	}
	if s.cfg.Fast {
		// A committed transaction has been passed to the kernel. It survives a SIGKILL of the server, which the crash
		// tests send, but not a power failure.
		settings = append(settings, "full_page_writes=off", "fsync=off")
	}
	args := []string{"-D", data, "-p", strconv.Itoa(s.cfg.Ports.Postgres), "-k", sockets}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

func (s *Servers) postgresURL(role, password, database string) string {
	target := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, password), Host: address(s.cfg.Ports.Postgres),
		Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return target.String()
}

// SuperuserURL returns the connection URL of the superuser for the maintenance database.
func (s *Servers) SuperuserURL() string {
	return s.postgresURL(superuser, s.cfg.Secrets.PostgresPassword, superuser)
}

// DatabaseURL returns the connection URL of the services.
func (s *Servers) DatabaseURL() string {
	return s.postgresURL(serviceRole, s.cfg.Secrets.SocialPassword, serviceDatabase)
}

// VisibilityURL returns the connection URL of Temporal's visibility database, as its owner.
func (s *Servers) VisibilityURL() string {
	return s.postgresURL(temporalRole, s.cfg.Secrets.TemporalPassword, visibilityDatabase)
}

func (s *Servers) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, s.SuperuserURL())
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return conn, nil
}
