package harness

import (
	"path/filepath"

	"github.com/stretchr/testify/require"
)

// StartProgram is Start for a program that the test built itself.
func (s *System) StartProgram(path string, env ...string) *Process {
	s.t.Helper()
	name, err := filepath.Rel(s.bin, path)
	require.NoError(s.t, err)
	return s.Start(name, "", env...)
}
