package servers

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNotInstalled means that the machine has no PostgreSQL server.
var ErrNotInstalled = errors.New("PostgreSQL is not installed")

// ErrOtherVersion means that the data was written by a version of PostgreSQL that the machine does not have.
var ErrOtherVersion = errors.New("PostgreSQL of the data's version is not installed")

// debianPattern matches the folders in which Debian and Ubuntu install the server programs of each major version.
const debianPattern = "/usr/lib/postgresql/*/bin"

// FindPostgres returns the folder of the programs of the newest version, or of the given major version if major is not 0.
// It searches the folders …/<version>/bin of the pattern, and then PATH, with lookPath.
func FindPostgres(pattern string, lookPath func(name string) (string, error), major int) (string, error) {
	programs, err := filepath.Glob(filepath.Join(pattern, "postgres"))
	if err != nil {
		return "", fmt.Errorf("find PostgreSQL: %w", err)
	}
	programs = slices.DeleteFunc(programs, func(program string) bool { return major != 0 && majorOf(program) != major })
	if len(programs) > 0 {
		newest := slices.MaxFunc(programs, func(a, b string) int { return cmp.Compare(majorOf(a), majorOf(b)) })
		return filepath.Dir(newest), nil
	}
	if path, err := lookPath("postgres"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", ErrNotInstalled
}

// majorOf parses the version from …/<version>/bin/postgres, or returns 0.
func majorOf(program string) int {
	major, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(program))))
	return major
}

// dataMajor returns the major version that wrote a data folder, or 0 if there is none.
func dataMajor(data string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(data, "PG_VERSION")) //nolint:gosec // the stack's own folder
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(raw)))
}
