package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNotInstalled means that the machine has no PostgreSQL server.
var ErrNotInstalled = errors.New("PostgreSQL is not installed")

// ErrOtherVersion means that the data was written by a version of PostgreSQL that the machine does not have.
var ErrOtherVersion = errors.New("PostgreSQL of the data's version is not installed")

// debianFolders matches the folders in which Debian and Ubuntu install the server programs of each major version,
// outside PATH.
const debianFolders = "/usr/lib/postgresql/*/bin"

// Binaries finds the PostgreSQL programs of the machine.
type Binaries struct {
	// Pattern matches the folders of the major versions: …/<version>/bin.
	Pattern string
	// LookPath finds a program in PATH.
	LookPath func(name string) (string, error)
}

// SystemBinaries searches Debian's folders, then PATH.
func SystemBinaries() Binaries { return Binaries{Pattern: debianFolders, LookPath: exec.LookPath} }

// Find returns the folder of the newest version, or of the given major version if major is not 0.
func (b Binaries) Find(major int) (string, error) {
	folders, err := filepath.Glob(b.Pattern)
	if err != nil {
		return "", fmt.Errorf("find PostgreSQL: %w", err)
	}
	folders = slices.DeleteFunc(folders, func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "postgres"))
		return err != nil || (major != 0 && majorOf(folder) != major)
	})
	slices.SortFunc(folders, func(a, b string) int { return cmp.Compare(majorOf(b), majorOf(a)) })
	if len(folders) > 0 {
		return folders[0], nil
	}
	if path, err := b.LookPath("postgres"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", ErrNotInstalled
}

// majorOf parses the version from …/<version>/bin.
func majorOf(folder string) int {
	major, err := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	if err != nil {
		return 0
	}
	return major
}

// dataMajor returns the major version that wrote a data folder, or 0 if there is none.
func dataMajor(data string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(data, "PG_VERSION")) //nolint:gosec // the stack's own folder
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the data's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 0, fmt.Errorf("read the data's version: %w", err)
	}
	return major, nil
}
