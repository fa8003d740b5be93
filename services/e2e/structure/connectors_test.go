package structure_test

import (
	"go/ast"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform/connectors"
)

const conformance = prefix + "shared/platform/platformtest"

// TestEveryConnectorIsConformant checks that the conformance suite runs on every network in the registry.
func TestEveryConnectorIsConformant(t *testing.T) {
	t.Parallel()
	registry, err := connectors.New(connectors.Environment{SandboxURL: "https://network.test"}, clock.System(),
		time.Second)
	require.NoError(t, err)
	tested := networksUnderTest(t, "Harness")
	require.NotEmpty(t, registry.Networks())
	for _, network := range registry.Networks() {
		require.Contains(t, tested, network, "no test calls platformtest.Run for %s", network)
	}
	tested = networksUnderTest(t, "InsightsHarness")
	require.NotEmpty(t, registry.Insightful())
	for _, kind := range registry.Insightful() {
		require.Contains(t, tested, kind.Network(), "no test calls platformtest.RunInsights for %s", kind)
	}
}

// networksUnderTest returns the networks of every platformtest.Harness{Network: …} literal in the tests, or of another
// harness type.
func networksUnderTest(t *testing.T, harness string) []channel.Network {
	t.Helper()
	var found []channel.Network
	for _, p := range packages(t) {
		if !p.ours() {
			continue
		}
		for _, file := range parse(t, p.Dir, isTest) {
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.CompositeLit); ok &&
					selectionOf(file, literal.Type) == (selection{conformance, harness}) {
					for _, element := range literal.Elts {
						if field, ok := element.(*ast.KeyValueExpr); ok {
							if key, ok := field.Key.(*ast.Ident); ok && key.Name == "Network" {
								found = append(found, channel.Network(selectionOf(file, field.Value).text(t)))
							}
						}
					}
				}
				return true
			})
		}
	}
	return found
}
