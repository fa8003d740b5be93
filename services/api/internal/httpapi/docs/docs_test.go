package docs_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi/docs"
)

func unpack(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	return content
}

func TestReference(t *testing.T) {
	t.Parallel()
	reference, err := docs.New("/v1/openapi.json")
	require.NoError(t, err)
	page := string(reference.Page)
	require.Contains(t, page, `data-document="/v1/openapi.json"`)
	for _, file := range reference.Files {
		require.Contains(t, page, docs.Folder+file.Name)
		require.NotEmpty(t, unpack(t, file.Gzip))
	}
	for _, outside := range []string{`src="http`, `href="http`, `src="//`, `href="//`} {
		require.NotContains(t, page, outside)
	}
}

// TestScriptMatchesVendoredDigest compares the program with its recorded digest.
func TestScriptMatchesVendoredDigest(t *testing.T) {
	t.Parallel()
	reference, err := docs.New("/v1/openapi.json")
	require.NoError(t, err)
	sum := sha256.Sum256(unpack(t, reference.Files[0].Gzip))
	digest := hex.EncodeToString(sum[:])
	require.Contains(t, reference.Files[0].Name, digest[:12])
	readme, err := os.ReadFile("assets/README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), digest)
	licence, err := os.ReadFile("assets/scalar-api-reference.LICENSE")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(licence), "MIT License"))
}

func TestPolicyAllowsNoOtherHost(t *testing.T) {
	t.Parallel()
	require.NotContains(t, docs.Policy, "http")
	require.NotContains(t, docs.Policy, "*")
	require.NotContains(t, docs.Policy, "unsafe-eval")
	require.True(t, strings.HasPrefix(docs.Policy, "default-src 'none'"))
}
