// Package postgres runs the machine's installed PostgreSQL server over a data folder of the stack.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/procfs"
	"fencepost.internal/devstack/internal/unit"
)

const (
	// Superuser is the role that initdb creates.
	Superuser = "postgres"
	// maintenance is the database that always exists.
	maintenance = "postgres"

	loopback = "127.0.0.1"
	grace    = 20 * time.Second
	// readyTimeout bounds the time of a start without progress in the recovery.
	readyTimeout = 60 * time.Second
)

// Database is a database with the role that owns it.
type Database struct {
	Name, Owner, Password string
}

// Config holds the settings of the server.
type Config struct {
	// Folder holds the data. It is created if missing.
	Folder string
	// Port is the TCP port on loopback.
	Port int
	// Password is the superuser's.
	Password string
	// Databases are created at each start unless they exist.
	Databases []Database
	// Fast trades durability against a crash of the machine for speed. A crash of the server alone loses no data.
	Fast     bool
	LogPath  string
	Launcher *process.Launcher
	Binaries Binaries
	// Install is called if the machine has no PostgreSQL.
	Install func(ctx context.Context) error
}

// Server is a PostgreSQL server.
type Server struct {
	*unit.Unit

	cfg Config
}

// New returns a stopped server.
func New(cfg Config) (*Server, error) {
	if cfg.Folder == "" || cfg.Port <= 0 || cfg.Password == "" || cfg.Install == nil {
		return nil, errors.New("postgres: folder, port, password and install are required")
	}
	server := &Server{cfg: cfg}
	run, err := unit.New(unit.Config{
		Name:         "postgres",
		Launcher:     cfg.Launcher,
		Launch:       server.launch,
		Probe:        server.probe,
		Prepare:      server.ensureDatabases,
		StopSignal:   FastShutdown,
		Grace:        grace,
		ReadyTimeout: readyTimeout,
		Progress:     func(pid int) string { return RecoveryProgress(procfs.New(procfs.Root), pid) },
		LogPath:      cfg.LogPath,
	})
	if err != nil {
		return nil, err
	}
	server.Unit = run
	return server, nil
}

// Signals of the modes of pg_ctl stop: fast ends the sessions and writes a checkpoint; immediate ends without one, so
// that the next start recovers from the log.
const (
	FastShutdown      = syscall.SIGINT
	ImmediateShutdown = syscall.SIGQUIT
)

// EnsureInstalled installs PostgreSQL if it is missing.
func (s *Server) EnsureInstalled(ctx context.Context) error {
	_, err := s.programs(ctx)
	return err
}

func (s *Server) launch(ctx context.Context) (process.Spec, error) {
	as, folder, programs, err := s.prepare(ctx)
	if err != nil {
		return process.Spec{}, err
	}
	data := filepath.Join(folder, "data")
	if _, err := os.Stat(data); err != nil {
		if err := s.initialise(ctx, programs, folder, as); err != nil {
			return process.Spec{}, err
		}
	}
	return process.Spec{
		Path:        filepath.Join(programs, "postgres"),
		Args:        s.arguments(data),
		Dir:         folder,
		Env:         environment(),
		User:        as,
		DeathSignal: FastShutdown,
	}, nil
}

// prepare finds the programs and creates the folder.
func (s *Server) prepare(ctx context.Context) (as *syscall.Credential, folder, programs string, err error) {
	if programs, err = s.programs(ctx); err != nil {
		return nil, "", "", err
	}
	if as, err = account(); err != nil {
		return nil, "", "", err
	}
	folder, err = PlaceFor(s.cfg.Folder, as, fallbackParent)
	return as, folder, programs, err
}

// programs returns the folder of the server's programs. If data exists, it is the version that wrote the data.
func (s *Server) programs(ctx context.Context) (string, error) {
	major, err := dataMajor(filepath.Join(s.cfg.Folder, "data"))
	if err != nil {
		return "", err
	}
	found, err := s.cfg.Binaries.Find(major)
	switch {
	case !errors.Is(err, ErrNotInstalled):
		return found, err
	case major != 0:
		return "",
			fmt.Errorf("%w: %s was written by PostgreSQL %d (install that version, or delete the data with: make reset)",
				ErrOtherVersion, s.cfg.Folder, major)
	}
	if err := s.cfg.Install(ctx); err != nil {
		return "", err
	}
	return s.cfg.Binaries.Find(0)
}

// URL returns the connection URL of the role for the database.
func (s *Server) URL(role, password, database string) string {
	target := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(role, password),
		Host:     s.Address(),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return target.String()
}

// SuperuserURL returns the connection URL of the superuser for the maintenance database.
func (s *Server) SuperuserURL() string { return s.URL(Superuser, s.cfg.Password, maintenance) }

// Address returns "host:port".
func (s *Server) Address() string { return net.JoinHostPort(loopback, strconv.Itoa(s.cfg.Port)) }

func (s *Server) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, s.SuperuserURL())
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return conn, nil
}

func (s *Server) probe(ctx context.Context) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}
