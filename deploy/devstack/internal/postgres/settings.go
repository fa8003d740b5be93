package postgres

import (
	"fmt"
	"strconv"
)

// longestSocketPath is the kernel's limit for the path of a Unix socket, minus the name that PostgreSQL appends.
const longestSocketPath = 107 - len("/.s.PGSQL.65535")

// arguments returns the server's command line. Settings are passed here rather than in postgresql.conf, so that a new
// version of devstack also changes existing folders.
func (s *Server) arguments(data string) []string {
	sockets := data
	if len(sockets) > longestSocketPath {
		sockets = "" // TCP only
	}
	args := []string{"-D", data, "-p", strconv.Itoa(s.cfg.Port), "-k", sockets}
	for _, setting := range s.settings() {
		args = append(args, "-c", fmt.Sprintf("%s=%s", setting[0], setting[1]))
	}
	return args
}

func (s *Server) settings() [][2]string {
	settings := [][2]string{
		{"listen_addresses", loopback},
		{"max_connections", "200"},
		{"shared_buffers", "256MB"},
		{"timezone", "UTC"},
		{"log_timezone", "UTC"},
		{"max_wal_size", "2GB"},
		{"checkpoint_timeout", "15min"},
		{"random_page_cost", "1.1"}, // solid-state disks
		{"log_min_duration_statement", "1000"},
		{"log_parameter_max_length", "0"}, // values are not logged
		{"log_line_prefix", "%m [%p] %d "},
		{"logging_collector", "off"},
		{"synchronous_commit", "on"},
		{"full_page_writes", "on"},
		{"fsync", "on"},
	}
	if s.cfg.Fast {
		// A committed transaction has been passed to the kernel. It survives a SIGKILL of the server, which the crash
		// tests send, but not a power failure.
		settings = append(settings, [2]string{"full_page_writes", "off"}, [2]string{"fsync", "off"})
	}
	return settings
}
