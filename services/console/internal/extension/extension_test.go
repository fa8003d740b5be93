package extension_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/extension"
	"fencepost.internal/shared/infra/telemetry"
)

// TestArchive checks that the archive is the same for the same files, and what the extension may do.
func TestArchive(t *testing.T) {
	t.Parallel()
	first, err := extension.Archive()
	require.NoError(t, err)
	second, err := extension.Archive()
	require.NoError(t, err)
	require.Equal(t, first, second)
	r, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	require.NoError(t, err)
	file, err := r.Open("manifest.json")
	require.NoError(t, err)
	raw, err := io.ReadAll(file)
	require.NoError(t, err)
	var manifest map[string]any
	require.NoError(t, json.Unmarshal(raw, &manifest))
	require.Equal(t, telemetry.Version, manifest["version"])
	require.Equal(t, []any{"activeTab", "scripting", "storage"}, manifest["permissions"])
	for _, none := range []string{"host_permissions", "optional_host_permissions", "content_scripts", "background", "externally_connectable"} {
		require.NotContains(t, manifest, none)
	}
	for _, name := range []string{"click.html", "click.js", "collect.js", "profile.js", "options.html", "icons/128.png"} {
		_, err := r.Open(name)
		require.NoError(t, err, name)
	}
}
