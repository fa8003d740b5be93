package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the SPDX identifiers of the accepted licences. They permit distribution in a product under another
// licence and demand only that their text is included.
var allowed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0",
	"Unicode-DFS-2016", "Zlib",
}

// exceptions are licences that are accepted for single modules.
var exceptions = map[string][]string{
	// MPL-2.0 covers the files of the module, not programs that contain it. It is linked unchanged, and the notices
	// name its source, as the licence demands.
	"github.com/hashicorp/golang-lru/v2": {"MPL-2.0"},
	// Its users choose one of two licences: the service uses it under BSD-3-Clause.
	"kernel.org/pub/linux/libs/security/libcap/psx": {"GPL-2.0"},
}

// licensedLater are modules without a text of their licence, each with a newer version of it that has the text.
var licensedLater = map[string]string{
	"github.com/nexus-rpc/nexus-proto-annotations@v0.1.0": "v0.1.1-0.20260629224316-835bd8d49cb4",
}

// unlinked are folders of single modules that no program contains.
var unlinked = map[string]string{
	"codeberg.org/go-pdf/fpdf": "icc", // color profiles, with a licence of their own
}

// leastCoverage is the share of a text, in percent, that must be that of known licences. The rest is, for example, a
// list of authors.
const leastCoverage = 75

var (
	licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([._-].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|patents|authors)(\.(md|txt))?$`)
	// documentation is a licence of documents, which are not linked.
	documentation = regexp.MustCompile(`(?i)docs?$|documentation$`)
)

// text is a file of a module about its licence.
type text struct{ name, content string }

// addLicences reads the licences of every module. The error names each module without an accepted licence.
func (s *set) addLicences() error {
	var problems []error
	for _, m := range s.sorted() {
		if err := m.addLicences(); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", m, err))
		}
	}
	return errors.Join(problems...)
}

// addLicences reads the licences in the folder of a module and in its subfolders, whose code may have another origin.
func (m *module) addLicences() error {
	if m.folder == "" {
		return errors.New("its source was not found")
	}
	var problems []error
	atRoot := false
	err := filepath.WalkDir(m.folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(m, path, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || !licenceFile.MatchString(entry.Name()) && !noticeFile.MatchString(entry.Name()):
			return nil
		// Code and patterns about licences.
		case slices.Contains([]string{".go", ".lre"}, filepath.Ext(path)) || documentation.MatchString(entry.Name()):
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(m.folder, path)
		if err != nil {
			return err
		}
		m.texts = append(m.texts, text{name: name, content: string(raw)})
		if noticeFile.MatchString(entry.Name()) {
			return nil
		}
		found, err := classify(raw, append(exceptions[m.path], allowed...))
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
		m.licences = append(m.licences, found...)
		atRoot = atRoot || !strings.Contains(name, string(filepath.Separator))
		return nil
	})
	if err != nil {
		return err
	}
	if !atRoot {
		problems = append(problems, errors.New("it has no licence"))
	}
	slices.Sort(m.licences)
	m.licences = slices.Compact(m.licences)
	return errors.Join(problems...)
}

// skipped reports whether a folder contains no linked code. Of the standard library, only the licence at its root
// counts.
func skipped(m *module, path, name string) bool {
	if path == m.folder {
		return false
	}
	return m.path == standard || unlinked[m.path] == name || slices.Contains([]string{"testdata", "docs", "examples", "_examples", ".git"}, name)
}

// classify returns the licences of a text, and an error for an unknown text or a licence that is not accepted.
func classify(raw []byte, accepted []string) ([]string, error) {
	coverage := licensecheck.Scan(raw)
	var found []string
	for _, match := range coverage.Match {
		if match.IsURL {
			continue
		}
		if !slices.Contains(accepted, match.ID) {
			return nil, fmt.Errorf("%s is not an accepted licence", match.ID)
		}
		found = append(found, match.ID)
	}
	if len(found) == 0 || coverage.Percent < leastCoverage {
		return nil, fmt.Errorf("unknown licence: %.0f %% of the text is that of known licences", coverage.Percent)
	}
	return found, nil
}

// summary returns the number of modules of each licence.
func (s *set) summary() string {
	counts := make(map[string]int)
	for _, m := range s.modules {
		for _, licence := range m.licences {
			counts[licence]++
		}
	}
	parts := make([]string, 0, len(counts))
	for _, licence := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", licence, counts[licence]))
	}
	return strings.Join(parts, ", ")
}

// writeNotices writes the texts of all licences.
func (s *set) writeNotices(out io.Writer) error {
	var page strings.Builder
	page.WriteString("Third-party software in the programs of this release, with its licences.\n")
	for _, m := range s.sorted() {
		name := m.String()
		if m.path == standard {
			name = "Go standard library " + m.version
		}
		fmt.Fprintf(&page, "\n%s\n%s (%s)\n", strings.Repeat("=", 100), name, strings.Join(m.licences, ", "))
		if exceptions[m.path] != nil {
			fmt.Fprintf(&page, "Source, unchanged: https://proxy.golang.org/%s/@v/%s.zip\n", m.path, m.version)
		}
		for _, t := range m.texts {
			fmt.Fprintf(&page, "%s\n%s:\n\n%s\n", strings.Repeat("-", 100), t.name, strings.TrimSpace(t.content))
		}
	}
	_, err := io.WriteString(out, page.String())
	return err
}
