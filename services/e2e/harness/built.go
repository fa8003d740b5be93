package harness

import "path/filepath"

// Built returns the path of a program of the system.
func (s *System) Built(program string) string { return filepath.Join(s.bin, program) }
