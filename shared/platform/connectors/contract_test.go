package connectors_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

// TestEveryRowHasFixture checks that the fixtures cover every finding about responses of the comparison of the
// connectors with the networks' own descriptions and responses (docs/architecture.md, Networks).
func TestEveryRowHasFixture(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join("*", "testdata", "contract"))
	require.NoError(t, err)
	covered := make(map[string]int)
	for _, folder := range folders {
		for _, fixture := range platformtest.Fixtures(t, folder) {
			for _, row := range fixture.Rows {
				covered[row]++
			}
		}
	}
	for _, row := range []string{
		"A6", "A7", "A8", "A9", "A11", "A12", "X1", "X2", "M1", "M2", "M3", "M7", "M8", "L2", "G1", "G2", "G4", "T1", "T2",
	} {
		require.Positive(t, covered[row], row)
	}
}
