package structure_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// TestFailureMetricsStartWithEveryCode checks that the counter of failed posts has a series at zero for each code of a
// connector and of the publish protocol. Prometheus sees no increase from an absent series to 1.
func TestFailureMetricsStartWithEveryCode(t *testing.T) {
	t.Parallel()
	const inNetworks = "shared/platform/connectors/"
	seen := 0
	for _, declared := range connectors.Networks() {
		known := connectors.Codes(declared.Network)
		for name, code := range codesIn(t, inNetworks+string(declared.Network), "Code") {
			seen++
			require.Contains(t, known, code, "%s.%s is missing in connectors.Codes", declared.Network, name)
		}
	}
	require.Greater(t, seen, len(connectors.Networks()))
	unrelated := []string{ // codes with which publishing ends no post
		platform.CodeReadRefused, platform.CodeSendWindowClosed, platform.CodeInsightsNotGranted,
		platform.CodeInsightsRefused, platform.CodeIdentityRefused, platform.CodeConsentRefused, platform.CodeAppMissing,
		platform.CodeLiveGone, platform.CodePreparationLost, post.ErrorRemoved, platform.CodeWindowClosed,
		platform.CodePersonBlocked, platform.CodeConnectionEnded, platform.CodeFileTooLarge,
	}
	for folder, start := range map[string]string{
		"shared/domain/post": "Error", "shared/platform": "Code", "activities/media": "Code",
	} {
		for name, code := range codesIn(t, folder, start) {
			if !slices.Contains(unrelated, code) {
				require.Contains(t, publishing.Codes(), code, "%s of %s is missing in publishing.Codes", name, folder)
			}
		}
	}
}

// codesIn returns the exported string constants of a folder's package whose names begin with start, and whose values are
// in capitals.
func codesIn(t *testing.T, folder, start string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, file := range parse(t, filepath.Join(root(t), folder), isCode) {
		ast.Inspect(file, func(n ast.Node) bool {
			group, ok := n.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				return true
			}
			for _, spec := range group.Specs {
				values, ok := spec.(*ast.ValueSpec)
				if !ok || len(values.Values) != 1 || !strings.HasPrefix(values.Names[0].Name, start) {
					continue
				}
				code := valueOf(t, file, values.Values[0])
				if code != "" && code == strings.ToUpper(code) {
					found[values.Names[0].Name] = code
				}
			}
			return true
		})
	}
	return found
}

// valueOf returns the value of a string literal, or of a constant of another package.
func valueOf(t *testing.T, file *ast.File, value ast.Expr) string {
	t.Helper()
	if literal, ok := value.(*ast.BasicLit); ok {
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			return "" // a number
		}
		return text
	}
	if named := selectionOf(file, value); named != (selection{}) {
		return named.text(t)
	}
	return ""
}
