// Package temporal runs the Temporal server and its UI as a child process of devstack: the same program, started as
// "devstack temporal-server".
package temporal

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/unit"
)

const (
	// Subcommand starts the server in this program.
	Subcommand = "temporal-server"
	// PasswordVariable passes the database password without showing it in the list of processes.
	PasswordVariable = "DEVSTACK_TEMPORAL_PASSWORD" //nolint:gosec // a name, not a password
	// Namespace is the namespace that is created at start.
	Namespace = "default"

	loopback     = "127.0.0.1"
	grace        = 15 * time.Second
	readyTimeout = 60 * time.Second
)

// Config holds the settings of Temporal.
type Config struct {
	// Program is the path of devstack itself.
	Program string
	// Port is the gRPC port, UIPort the web UI's; both on loopback.
	Port, UIPort    int
	PostgresAddress string
	// User owns Database and VisibilityDatabase.
	User, Password               string
	Database, VisibilityDatabase string
	// DynamicConfig is the path of the dynamic configuration file.
	DynamicConfig string
	LogPath       string
	Launcher      *process.Launcher
	HTTPClient    *http.Client
}

// Server is a Temporal server with its UI.
type Server struct {
	*unit.Unit

	cfg Config
}

// New returns a stopped server.
func New(cfg Config) (*Server, error) {
	if cfg.Program == "" || cfg.Port <= 0 || cfg.UIPort <= 0 || cfg.DynamicConfig == "" || cfg.HTTPClient == nil {
		return nil, errors.New("temporal: program, ports, dynamic configuration and HTTP client are required")
	}
	server := &Server{cfg: cfg}
	run, err := unit.New(unit.Config{
		Name:         "temporal",
		Launcher:     cfg.Launcher,
		Launch:       server.launch,
		Probe:        server.probe,
		StopSignal:   syscall.SIGTERM,
		Grace:        grace,
		ReadyTimeout: readyTimeout,
		LogPath:      cfg.LogPath,
	})
	if err != nil {
		return nil, err
	}
	server.Unit = run
	return server, nil
}

// Address returns the frontend's "host:port".
func (s *Server) Address() string { return net.JoinHostPort(loopback, strconv.Itoa(s.cfg.Port)) }

// UIURL returns the address of the UI.
func (s *Server) UIURL() string {
	return "http://" + net.JoinHostPort(loopback, strconv.Itoa(s.cfg.UIPort))
}

func (s *Server) launch(context.Context) (process.Spec, error) {
	return process.Spec{
		Path: s.cfg.Program,
		Args: []string{
			Subcommand,
			"--port", strconv.Itoa(s.cfg.Port),
			"--ui-port", strconv.Itoa(s.cfg.UIPort),
			"--postgres", s.cfg.PostgresAddress,
			"--user", s.cfg.User,
			"--database", s.cfg.Database,
			"--visibility-database", s.cfg.VisibilityDatabase,
			"--dynamic-config", s.cfg.DynamicConfig,
			"--namespace", Namespace,
		},
		Dir: os.TempDir(),
		Env: []string{
			"PATH=/usr/local/bin:/usr/bin:/bin",
			"TZ=UTC",
			PasswordVariable + "=" + s.cfg.Password,
		},
		DeathSignal: syscall.SIGKILL,
	}, nil
}
