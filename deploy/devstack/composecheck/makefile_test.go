package composecheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// makeIn runs make with the project's Makefile in a separate folder.
func makeIn(t *testing.T, folder string, args ...string) (output string, err error) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Makefile"), raw, 0o600))
	command := exec.CommandContext(t.Context(), "make", append([]string{"--no-print-directory"}, args...)...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	return string(out), err
}

func TestStopAndResetDoNotBuild(t *testing.T) {
	t.Parallel()
	folder := t.TempDir() // without sources, so that a build would fail
	for target, want := range map[string]string{"stop": "nothing to stop: ", "reset": "nothing to delete\n"} {
		output, err := makeIn(t, folder, target)
		require.NoError(t, err, output)
		require.Contains(t, output, want)
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, ".run"), 0o750))
	output, err := makeIn(t, folder, "reset")
	require.Error(t, err)
	require.Contains(t, output, "make devstack")
	require.DirExists(t, filepath.Join(folder, ".run"))
}

func TestResetAsksUnlessYES(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, ".bin"), 0o750))
	program := filepath.Join(folder, ".bin", "devstack")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho devstack \"$@\"\n"), 0o700)) //nolint:gosec // it is executed
	for want, args := range map[string][]string{
		"devstack stop\n":        {"stop"},
		"devstack reset\n":       {"reset"},
		"devstack reset --yes\n": {"reset", "YES=1"},
	} {
		output, err := makeIn(t, folder, args...)
		require.NoError(t, err)
		require.Equal(t, want, output)
	}
}
