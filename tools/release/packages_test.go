package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// sdkPackages runs tools/sdk-packages.sh.
func sdkPackages(t *testing.T, arguments ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "../sdk-packages.sh", arguments...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestPackedSDKsMakeAFirstCall(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	sdkPackages(t, "pack", first)
	sdkPackages(t, "check", first)
	sdkPackages(t, "pack", second)
	files, err := os.ReadDir(first)
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, file := range files {
		want, err := os.ReadFile(filepath.Join(first, file.Name()))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(second, file.Name()))
		require.NoError(t, err)
		require.Equal(t, want, got, "%s has other bytes at the second build", file.Name())
	}
}
