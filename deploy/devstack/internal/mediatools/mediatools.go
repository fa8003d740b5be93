// Package mediatools sees to the programs with which the worker opens media: films, PDF and HEIC.
package mediatools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"socialpub.internal/devstack/internal/packages"
)

// ErrMissing means that programs for media are not there and devstack could not install them.
var ErrMissing = errors.New("programs for media are missing")

// tool is a package of Debian, and how to tell that its content is there, whoever installed it.
type tool struct {
	debian   string
	programs []string // in PATH
	files    string   // a pattern that data match
}

func tools() []tool {
	return []tool{
		{debian: "ffmpeg", programs: []string{"ffmpeg", "ffprobe"}},
		{debian: "fonts-urw-base35", files: "usr/share/fonts/*/urw-base35"}, // for PDF files that bring no fonts
		{debian: "libheif-examples", programs: []string{"heif-info", "heif-convert"}},
		{debian: "poppler-data", files: "usr/share/poppler/cMap"}, // for PDF files in the scripts of East Asia
		{debian: "poppler-utils", programs: []string{"pdfinfo", "pdftoppm"}},
	}
}

// Packages are the packages of Debian that hold all of them.
func Packages() []string {
	var names []string
	for _, t := range tools() {
		names = append(names, t.debian)
	}
	return names
}

// Machine is where they are looked for and installed.
type Machine struct {
	LookPath func(name string) (string, error)
	// Root is the root of the file system.
	Root    string
	Install func(ctx context.Context, set packages.Set) error
}

// Ensure installs what is missing. It returns ErrMissing, with what to do, where it cannot.
func (m Machine) Ensure(ctx context.Context) error {
	missing := m.missing()
	if len(missing) == 0 {
		return nil
	}
	names := strings.Join(missing, ", ")
	err := m.Install(ctx, packages.Set{
		Name: names, Debian: missing, Elsewhere: "FFmpeg, Poppler's and libheif's programs, and the fonts URW base 35",
	})
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrMissing, names, err)
	}
	return nil
}

// missing are the packages whose content is not there.
func (m Machine) missing() []string {
	var missing []string
	for _, t := range tools() {
		lacks := slices.ContainsFunc(t.programs, func(name string) bool {
			_, err := m.LookPath(name)
			return err != nil
		})
		if t.files != "" {
			found, err := filepath.Glob(filepath.Join(m.Root, t.files))
			lacks = err != nil || len(found) == 0
		}
		if lacks {
			missing = append(missing, t.debian)
		}
	}
	return missing
}
