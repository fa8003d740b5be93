package stacktest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// execHelper makes devstack run this test binary as a helper.
func execHelper(t *testing.T, helper string, flags ...string) (code int, output string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	args := append(append([]string{"exec"}, flags...), "--", self)
	command, buffer := devstackWithin(t, 4*timeout, args...) // the helper restarts each server
	command.Env = append(command.Env, helperVariable+"="+helper)
	return exitCode(t, command.Run()), buffer.String()
}

func TestExecRunsServers(t *testing.T) {
	t.Parallel()
	code, output := execHelper(t, "connect", "--fast")
	require.Zero(t, code, output)
}

func TestExecControlAPI(t *testing.T) {
	t.Parallel()
	code, output := execHelper(t, "control", "--fast")
	require.Zero(t, code, output)
}

func TestExecKeepsDataOfNamedFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(temporary(t), "kept")
	for _, helper := range []string{"write", "read"} {
		code, output := execHelper(t, helper, "--dir", folder)
		require.Zero(t, code, output)
	}
}

func TestExecReturnsStatusAndCleansUp(t *testing.T) {
	t.Parallel()
	command, output := devstack(t, "exec", "--fast", "--", "sh", "-c", "exit 7")
	require.Equal(t, 7, exitCode(t, command.Run()), output)
	require.Empty(t, leftovers(t, command.Env))
}

func TestExecKeepsLogs(t *testing.T) {
	t.Parallel()
	command, output := devstack(t, "exec", "--fast", "--keep-logs", "--", "false")
	require.Equal(t, 1, exitCode(t, command.Run()), output)
	_, folder, found := strings.Cut(output.String(), "the logs are in ")
	require.True(t, found, output)
	folder = strings.TrimSpace(folder)
	require.FileExists(t, filepath.Join(folder, "postgres.log"))
	entries, err := os.ReadDir(filepath.Dir(folder))
	require.NoError(t, err)
	require.Len(t, entries, 1, "only the logs are kept")
}

func TestExecForwardsSignals(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(temporary(t), "up")
	command, output := devstack(t, "exec", "--fast", "--", "sh", "-c",
		`trap 'exit 9' TERM; touch "$0"; while :; do sleep 0.05; done`, mark)
	require.NoError(t, command.Start())
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.FileExists(c, mark) }, timeout, 20*time.Millisecond)
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 9, exitCode(t, command.Wait()), output)
	require.Empty(t, leftovers(t, command.Env))
}

func TestExecReportsOwnFailures(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no-such-command": {"exec", "--", "no-such-command"},
		"not a checkout":  {"exec", "--root", "/proc", "--", "true"},
	} {
		command, output := devstack(t, args...)
		require.Equal(t, 125, exitCode(t, command.Run()))
		require.Contains(t, output.String(), name)
	}
}

// leftovers returns the files in the TMPDIR of an environment.
func leftovers(t *testing.T, environment []string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(strings.TrimPrefix(environment[len(environment)-1], "TMPDIR="))
	require.NoError(t, err)
	return entries
}
