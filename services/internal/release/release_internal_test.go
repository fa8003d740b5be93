package release

import (
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionIsARelease(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`, Version, "no pre-release and no build metadata")
	require.True(t, strings.HasPrefix(Build(), Version))
}

func TestBuildNamesTheRevision(t *testing.T) {
	t.Parallel()
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	modified := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	semantic := regexp.MustCompile(`^\d+\.\d+\.\d+(\+[0-9A-Za-z.-]+)?$`)
	for want, settings := range map[string][]debug.BuildSetting{
		Version: nil,
		Version + "+0123456789ab": {
			revision, {Key: "vcs.modified", Value: "false"},
		},
		Version + "+0123456789ab.modified": {revision, modified},
	} {
		got := describe(settings)
		require.Equal(t, want, got)
		require.Regexp(t, semantic, got)
	}
}
