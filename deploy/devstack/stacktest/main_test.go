// Package stacktest runs the built devstack with real servers.
package stacktest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/servers"
)

const (
	// helperVariable makes the test binary the command that devstack runs.
	helperVariable = "STACKTEST_HELPER"
	// fakesVariable names the folder in which TestMain has created the fake services.
	fakesVariable = "STACKTEST_FAKES"
	// program is the output of "make devstack". If it is up to date, it is not linked again.
	program = "../../../.bin/devstack"

	// timeout bounds every wait. On an idle machine, each takes less than a tenth of it.
	timeout = 90 * time.Second
)

func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); slices.Contains(fakes(), name) {
		os.Exit(runFake(name, os.Args[1:]))
	}
	if helper := os.Getenv(helperVariable); helper != "" {
		os.Exit(runHelper(context.Background(), helper))
	}
	os.Exit(buildAndTest(m))
}

// buildAndTest builds devstack. The fake services are this test binary under several names.
func buildAndTest(m *testing.M) int {
	folder, err := os.MkdirTemp("", "stacktest-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(folder)
	bin := filepath.Join(folder, "bin")
	self, err := os.Executable()
	err = errors.Join(err, os.Mkdir(bin, 0o750), build("../", program), buildServices(), os.Setenv(fakesVariable, bin))
	for _, name := range fakes() {
		err = errors.Join(err, os.Symlink(self, filepath.Join(bin, name)))
	}
	store, buildErr := ensureMinIO()
	err = errors.Join(err, buildErr, os.Symlink(store, filepath.Join(bin, "minio")))
	if err != nil {
		return fail(err)
	}
	return m.Run()
}

// ensureMinIO builds MinIO, if it is missing, before the tests' deadlines start.
func ensureMinIO() (string, error) {
	folder, err := filepath.Abs(filepath.Dir(program))
	if err != nil {
		return "", err
	}
	return servers.Config{
		BinFolder: folder, Environ: os.Environ(), Output: os.Stderr,
		Report: func(message string) { fmt.Fprintln(os.Stderr, message) },
	}.EnsureMinIO(context.Background(), exec.LookPath)
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func build(source, target string) error {
	command := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-o", target, source)
	command.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, output)
	}
	return nil
}

// devstack prepares a call of the built program. Each test has its own HOME and TMPDIR, which show the files that
// devstack leaves behind.
func devstack(t *testing.T, args ...string) (command *exec.Cmd, output *bytes.Buffer) {
	t.Helper()
	return devstackWithin(t, timeout, args...)
}

func devstackWithin(t *testing.T, limit time.Duration, args ...string) (command *exec.Cmd, output *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	output = new(bytes.Buffer)
	command = exec.CommandContext(ctx, program, args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = timeout
	command.Stdout, command.Stderr = output, output
	command.Env = append(os.Environ(), "TMPDIR="+temporary(t))
	return command, output
}

// temporary returns a folder that the database's user can reach. When tests run as root, it cannot reach t.TempDir.
func temporary(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "stacktest-") //nolint:usetesting // not t.TempDir, see above
	require.NoError(t, err)
	require.NoError(t, os.Chmod(folder, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	return folder
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	return exit.ExitCode()
}
