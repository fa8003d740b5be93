package telemetry

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionIsRelease(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`, Version, "no pre-release and no build metadata")
	require.True(t, strings.HasPrefix(Build(), Version))
}

func TestToolchainRecordsRevision(t *testing.T) {
	t.Parallel()
	id := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	commit, modified := recorded(nil)
	require.Empty(t, commit)
	require.False(t, modified)
	for _, differs := range []bool{false, true} {
		commit, modified = recorded([]debug.BuildSetting{id, {Key: "vcs.modified", Value: strconv.FormatBool(differs)}})
		require.Equal(t, id.Value, commit)
		require.Equal(t, differs, modified)
	}
}

// TestLinkerSetsRevision builds a program as the Dockerfile does.
func TestLinkerSetsRevision(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "migrate")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program,
		"-ldflags=-X fencepost.internal/shared/infra/telemetry.revision=0123456789abcdef0123456789abcdef01234567",
		"fencepost.internal/services/migrate")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build: with cgo, every package would be compiled again
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	for _, argument := range []string{"version", "--version"} {
		version, err := exec.CommandContext(t.Context(), program, argument).Output()
		require.NoError(t, err)
		require.Equal(t, Version+"+0123456789ab\n", string(version))
		require.Regexp(t, `^\d+\.\d+\.\d+(\+[0-9A-Za-z.-]+)?\n$`, string(version), "a semantic version")
	}
}
