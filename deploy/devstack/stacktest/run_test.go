package stacktest_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/stack"
)

// fakeStack is a stack of fake services over real servers.
type fakeStack struct {
	folder string
	base   int
	args   []string
	limit  time.Duration // of a run
}

func newStack(t *testing.T) *fakeStack {
	t.Helper()
	s := &fakeStack{folder: filepath.Join(temporary(t), "run"), base: freeBase(t), limit: 4 * timeout} // a run has several waits
	s.args = []string{"--run-dir", s.folder, "--bin-dir", os.Getenv(fakesVariable)}
	return s
}

// Port blocks for the stacks of this process. They are below the ports that exec picks and those of the end-to-end tests,
// which run beside these: the ports of a block are free when it is chosen, and no other test may take one before its
// program listens.
const (
	firstBlock = 2000
	blockSize  = 100
)

var (
	portBlocks = rand.Perm(50) //nolint:gosec // spreads stacks; not a secret
	nextBlock  atomic.Int64
)

// freeBase returns the base of a free port block. No other stack of this process gets the same block.
func freeBase(t *testing.T) int {
	t.Helper()
	for {
		next := int(nextBlock.Add(1)) - 1
		require.Less(t, next, len(portBlocks), "no free block of ports")
		base := firstBlock + portBlocks[next]*blockSize
		layout, err := process.At(base)
		require.NoError(t, err)
		if layout.Check(t.Context()) == nil {
			return base
		}
	}
}

// run starts the stack and waits until it is up.
func (s *fakeStack) run(t *testing.T) (*exec.Cmd, stack.File) {
	t.Helper()
	command, output := devstackWithin(t, s.limit,
		append([]string{"run", "--port-base", strconv.Itoa(s.base)}, s.args...)...)
	require.NoError(t, stack.Remove(s.folder)) // of a run that was killed
	require.NoError(t, command.Start())
	var file stack.File
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		raw, err := os.ReadFile(filepath.Join(s.folder, stack.FileName))
		require.NoError(c, errors.Join(err, json.Unmarshal(raw, &file)))
	}, timeout, 20*time.Millisecond, output)
	return command, file
}

func (s *fakeStack) command(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	command, buffer := devstack(t, append(args, s.args...)...)
	return exitCode(t, command.Run()), buffer.String()
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	response, err := (&http.Client{Timeout: timeout}).Do(request)
	if err != nil {
		return "" // it crashed, as requested
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

func TestRunKeepsData(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	first, file := s.run(t)
	execute(t, file.DatabaseURL, "CREATE TABLE kept AS SELECT 1 AS one")
	require.Contains(t, get(t, file.OpsURLs["worker"]+"/env"), "DATABASE_URL="+file.DatabaseURL+"\n")

	operator, printed := devstack(t, append(slices.Clone(s.args), "admin", "environment", "--json")...)
	require.NoError(t, operator.Run())
	require.Contains(t, printed.String(), "[environment --json]")
	require.Contains(t, printed.String(), "NETWORKS_SANDBOX_URL="+file.SandboxURL+"\n")

	code, output := s.command(t, "stop")
	require.Zero(t, code, output)
	require.NoError(t, first.Wait())
	require.NoFileExists(t, filepath.Join(s.folder, stack.FileName))

	second, again := s.run(t)
	require.Equal(t, file, again, "addresses, keys and secrets stay the same")
	execute(t, again.DatabaseURL, "SELECT one FROM kept")

	code, output = s.command(t, "reset", "--yes")
	require.Zero(t, code, output)
	require.NoError(t, second.Wait())
	require.NoDirExists(t, s.folder)
}

func TestRunRestartsCrashedParts(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	running, file := s.run(t)
	// Otherwise, an outgoing connection could occupy a port while Temporal is starting, which then fails.
	listening := portsOf(t, pidOf(t, file.ControlURL, "temporal"))
	require.Greater(t, len(listening), 3, "the frontend, the UI and the internal services")
	require.Less(t, slices.Max(listening), 32768, "a port of outgoing connections")

	get(t, file.OpsURLs["api"]+"/crash")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.NotEmpty(c, get(t, file.OpsURLs["api"]+"/env"))
	}, timeout, 50*time.Millisecond)

	kill(t, file.ControlURL, "temporal")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Contains(c, get(t, file.TemporalUIURL), "<html")
	}, timeout, 50*time.Millisecond)

	require.NoError(t, running.Process.Signal(os.Interrupt))
	require.NoError(t, running.Wait(), "Ctrl-C is a clean end")
}

func TestRunRefusesTakenFolderAndPorts(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	running, _ := s.run(t)

	code, output := s.command(t, "run", "--port-base", strconv.Itoa(s.base))
	require.Equal(t, 1, code)
	require.Contains(t, output, "already running (pid "+strconv.Itoa(running.Process.Pid))

	other := newStack(t)
	code, output = other.command(t, "run", "--port-base", strconv.Itoa(s.base))
	require.Equal(t, 1, code)
	require.Contains(t, output, strconv.Itoa(s.base+40)+" (PostgreSQL) is used by pid ")
	require.Contains(t, output, "make stop")
	require.Contains(t, output, "PORT_BASE")

	require.NoError(t, running.Process.Signal(syscall.SIGTERM))
	require.NoError(t, running.Wait())
}

func TestKilledRunLeavesNoProcess(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	running, file := s.run(t)
	children := process.Descendants(running.Process.Pid)
	require.Greater(t, len(children), 5)
	require.NoError(t, running.Process.Kill())
	require.Error(t, running.Wait())
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, pid := range children {
			require.False(c, process.Alive(pid), "pid %d", pid)
		}
	}, timeout, 20*time.Millisecond)

	running, again := s.run(t)
	require.Equal(t, file, again)
	require.NoError(t, running.Process.Signal(os.Interrupt))
	require.NoError(t, running.Wait())
}

func TestRunRequiresServices(t *testing.T) {
	t.Parallel()
	command, output := devstack(t, "run", "--run-dir", filepath.Join(temporary(t), "run"), "--bin-dir", temporary(t))
	require.Equal(t, 1, exitCode(t, command.Run()))
	require.Contains(t, output.String(), "make build")
}

func TestResetAsksAndKeepsOtherFolders(t *testing.T) {
	t.Parallel()
	folder := temporary(t)
	mine := filepath.Join(folder, "mine")
	require.NoError(t, os.WriteFile(mine, nil, 0o600))

	command, output := devstack(t, "reset", "--yes", "--run-dir", folder)
	require.Equal(t, 1, exitCode(t, command.Run()))
	require.Contains(t, output.String(), "not the folder of a stack")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "devstack.pid"), nil, 0o600))
	command, output = devstack(t, "reset", "--run-dir", folder)
	command.Stdin = strings.NewReader("n\n")
	require.Equal(t, 1, exitCode(t, command.Run()))
	require.Contains(t, output.String(), "nothing was deleted")
	require.FileExists(t, mine)
}

func execute(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}

// kill kills a server without devstack's involvement.
func kill(t *testing.T, control, part string) {
	t.Helper()
	require.NoError(t, syscall.Kill(pidOf(t, control, part), syscall.SIGKILL))
}

func pidOf(t *testing.T, control, part string) int {
	t.Helper()
	var status map[string]struct{ PID int }
	require.NoError(t, json.Unmarshal([]byte(get(t, control+"/status")), &status))
	require.NotZero(t, status[part].PID)
	return status[part].PID
}

// portsOf returns the ports on which the process listens over IPv4.
func portsOf(t *testing.T, pid int) (found []int) {
	t.Helper()
	raw, err := os.ReadFile("/proc/net/tcp")
	require.NoError(t, err)
	for _, match := range regexp.MustCompile(`:([0-9A-F]{4}) 00000000:0000 0A`).FindAllStringSubmatch(string(raw), -1) {
		port, err := strconv.ParseUint(match[1], 16, 16)
		require.NoError(t, err)
		// A listener of another test may have ended.
		if strings.HasPrefix(process.ListenerOn(int(port)), "pid "+strconv.Itoa(pid)+" ") {
			found = append(found, int(port))
		}
	}
	return found
}
