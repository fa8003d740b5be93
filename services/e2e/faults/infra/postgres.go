// Package infra runs servers for a single scenario, without effect on other tests: PostgreSQL, which the scenario can kill,
// whose disk it can fill, whose clock it can change and whose earlier state it can restore; MinIO on a disk that can be
// filled; and a proxy between two parts of the system that injects faults: delay, silence, resets, or a lost response.
package infra

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/proctest"
)

const (
	superuser   = "postgres"
	startWithin = 60 * time.Second
	stopWithin  = 30 * time.Second
)

// PostgresOptions are a scenario's settings for its server.
type PostgresOptions struct {
	// DiskMB is the size of a separate file system for the data, without the write-ahead log. It requires root. With 0
	// the data is on the machine's disk.
	DiskMB int
	// OwnTime lets Jump change the server's clock. It requires libfaketime (Debian: faketime).
	OwnTime bool
	// Settings are lines for postgresql.conf, "name = value".
	Settings []string
}

// Postgres is a PostgreSQL server. Its methods are not safe for concurrent use.
type Postgres struct {
	t        testing.TB
	o        PostgresOptions
	programs string
	as       *syscall.Credential
	folder   string
	port     string
	cmd      *exec.Cmd
	ended    chan struct{}
	log      *os.File
}

// StartPostgres starts a server and makes tests create their databases on it, so call it before the system is created. The
// server ends with the test.
func StartPostgres(t *testing.T, o PostgresOptions) *Postgres {
	t.Helper()
	s := &Postgres{t: t, o: o, programs: programs(t), as: account(t), folder: t.TempDir()}
	require.NoError(t, os.Chmod(filepath.Dir(s.folder), 0o755)) // the server's user must be able to traverse it
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	_, s.port, err = net.SplitHostPort(address)
	require.NoError(t, err)
	for _, folder := range []string{s.folder, s.Data()} {
		s.own(folder)
	}
	if o.DiskMB > 0 {
		s.mount()
	}
	s.log, err = os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	require.NoError(t, err)
	t.Cleanup(s.end)
	s.run("initdb", "-D", s.Data(), "--waldir", filepath.Join(s.folder, "wal"), "-U", superuser, "-A", "trust", "-E",
		"UTF8", "--no-sync")
	s.configure()
	s.Resume()
	t.Setenv(postgrestest.EnvURL, s.URL())
	return s
}

func (s *Postgres) configure() {
	s.t.Helper()
	settings := append([]string{
		"listen_addresses = '127.0.0.1'", "port = " + s.port, "unix_socket_directories = ''", "max_connections = 100",
		"shared_buffers = 32MB", "fsync = off", "timezone = UTC", "log_timezone = UTC", "log_line_prefix = '%m [%p] %d '",
	}, s.o.Settings...)
	file, err := os.OpenFile(filepath.Join(s.Data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(s.t, err)
	_, err = file.WriteString("\n" + strings.Join(settings, "\n") + "\n")
	require.NoError(s.t, err)
	require.NoError(s.t, file.Close())
}

// Data returns the data folder.
func (s *Postgres) Data() string { return filepath.Join(s.folder, "data") }

// Address returns "host:port".
func (s *Postgres) Address() string { return net.JoinHostPort("127.0.0.1", s.port) }

// URL returns the superuser's URL of the default database.
func (s *Postgres) URL() string {
	return "postgres://" + superuser + "@" + s.Address() + "/postgres?sslmode=disable"
}

// Resume starts the server when it is down, and waits until it accepts connections.
func (s *Postgres) Resume() {
	s.t.Helper()
	s.Launch()
	s.Await()
}

// Launch is Resume without the wait.
func (s *Postgres) Launch() {
	s.t.Helper()
	cmd := exec.CommandContext(context.Background(), filepath.Join(s.programs, "postgres"), "-D", s.Data())
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.folder, s.log, s.log
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}, s.timeEnv()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as, Pdeathsig: syscall.SIGQUIT}
	require.NoError(s.t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	s.cmd, s.ended = cmd, ended
}

// Await waits until the server accepts connections.
func (s *Postgres) Await() {
	s.t.Helper()
	require.EventuallyWithT(s.t, func(c *assert.CollectT) {
		require.NoError(c, s.Try("SELECT 1"))
	}, startWithin, 50*time.Millisecond, "PostgreSQL does not respond:\n%s", s.tail())
}

// Try runs a statement on the default database.
func (s *Postgres) Try(statement string) error {
	s.t.Helper()
	return postgrestest.Try(s.t, s.URL(), statement)
}

// Mode is a way in which the server goes down.
type Mode syscall.Signal

// Fast and Immediate are the modes of pg_ctl stop that end sessions. Kill kills only the server's first process, whose
// death the others detect by themselves.
const (
	Fast      = Mode(syscall.SIGINT)
	Immediate = Mode(syscall.SIGQUIT)
	Kill      = Mode(syscall.SIGKILL)
)

// Down stops the server and waits until it is down.
func (s *Postgres) Down(mode Mode) {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(syscall.Signal(mode)))
	select {
	case <-s.ended:
	case <-time.After(stopWithin):
		require.Fail(s.t, "PostgreSQL does not stop", "%s", s.tail())
	}
	if mode == Kill { // its children hold the shared memory until they detect it
		require.EventuallyWithT(s.t, func(c *assert.CollectT) { require.Empty(c, s.children()) }, stopWithin,
			20*time.Millisecond)
	}
}

// children returns processes of the server that outlived it.
func (s *Postgres) children() []int {
	var alive []int
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == s.Data() {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
				alive = append(alive, pid)
			}
		}
	}
	return alive
}

// end stops the remaining processes of the server. Its data is not used again.
func (s *Postgres) end() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		select {
		case <-s.ended:
		case <-time.After(stopWithin):
			_ = s.cmd.Process.Kill()
		}
	}
	for _, pid := range s.children() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if s.t.Failed() {
		s.t.Logf("PostgreSQL:\n%s", s.tail())
	}
	_ = s.log.Close()
}

func (s *Postgres) tail() string {
	const shown = 4000
	raw, _ := os.ReadFile(s.log.Name())
	return string(raw[max(0, len(raw)-shown):])
}

// run runs one of PostgreSQL's programs as the server's user.
func (s *Postgres) run(program string, args ...string) {
	s.t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.programs, program), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.folder, []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8",
	}, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	require.NoError(s.t, cmd.Run(), "%s: %s", program, &out)
}

// own creates a folder owned by the server's user.
func (s *Postgres) own(folder string) {
	s.t.Helper()
	const ownerAll = 0o700
	require.NoError(s.t, os.MkdirAll(folder, ownerAll))
	if s.as != nil {
		require.NoError(s.t, os.Chown(folder, int(s.as.Uid), int(s.as.Gid)))
	}
}

// programs returns the folder of the newest PostgreSQL: in Debian's location, otherwise from PATH.
func programs(t testing.TB) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	require.NoError(t, err)
	if len(found) > 0 {
		slices.SortFunc(found, func(a, b string) int { return major(a) - major(b) })
		return filepath.Dir(found[len(found)-1])
	}
	path, err := exec.LookPath("postgres")
	require.NoError(t, err, "PostgreSQL is not installed")
	return filepath.Dir(path)
}

func major(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// account returns the user of the server: nil for the current user, or postgres if the test runs as root, because the
// server refuses to run as root.
func account(t testing.TB) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	found, err := user.Lookup(superuser)
	require.NoError(t, err)
	var ids [2]uint32
	for i, text := range []string{found.Uid, found.Gid} {
		id, err := strconv.ParseUint(text, 10, 32)
		require.NoError(t, err, "id of user "+superuser)
		ids[i] = uint32(id)
	}
	return &syscall.Credential{Uid: ids[0], Gid: ids[1]}
}
