// Package docs renders the documentation of a running instance: guides, the reference of the API, error codes, the changelog
// and a search, as pages that need no scripts and load nothing from other hosts. Each page also exists as Markdown.
package docs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Paths of the documentation.
const (
	PathHome     = "/docs"
	PathSearch   = "/docs/search"
	PathModels   = "/llms.txt"
	PathProblems = "/problems"
	// PathDeprecation is the page about deprecated parts of the API.
	PathDeprecation = pathGuides + "deprecation"
	pathGuides      = "/docs/guides/"
	pathReference   = "/docs/reference"
	pathChangelog   = "/docs/changelog"
	pathFeed        = "/docs/changelog.atom"
	pathPostman     = "/docs/postman.json"
	pathAssets      = "/docs/assets/"
	suffixText      = ".md"
)

// Policy is the Content-Security-Policy of every page: its own style sheet and icon, and the form of the search. No script
// runs. Tools that examine pages may read robots.txt.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// policyOfText is the policy of files that are no pages.
const policyOfText = "default-src 'none'"

const (
	typeHTML     = "text/html; charset=utf-8"
	typeMarkdown = "text/markdown; charset=utf-8"
	typeText     = "text/plain; charset=utf-8"
	typeJSON     = "application/json"
	typeFeed     = "application/atom+xml; charset=utf-8"
	typeStyle    = "text/css; charset=utf-8"
	typeImage    = "image/svg+xml"
	hashLength   = 12
)

//go:embed assets templates
var files embed.FS

// Config configures the documentation.
type Config struct {
	BaseURL string // of the API
	// Document is the published OpenAPI document, as JSON, and DocumentPath its path.
	Document     []byte
	DocumentPath string
	// Built is the time of the changes that are not released yet.
	Built time.Time
}

// File is a page or another file of the documentation.
type File struct {
	ContentType string
	Policy      string
	Content     []byte
	// Forever reports that the name changes with the content.
	Forever bool
}

// Site is the documentation. It is safe for concurrent use.
type Site struct {
	cfg       Config
	templates *template.Template
	document  document
	catalogue catalogue
	groups    []group // of the operations
	changes   []release
	index     *index
	style     string // paths of assets
	icon      string
	builders  map[string]func() (File, error)
}

// New reads the sources of the pages. Each page is rendered when it is first requested.
func New(cfg Config) (*Site, error) {
	if cfg.BaseURL == "" || len(cfg.Document) == 0 || cfg.DocumentPath == "" || cfg.Built.IsZero() {
		return nil, errors.New("docs: every field of the configuration is required")
	}
	s := &Site{cfg: cfg, builders: map[string]func() (File, error){}}
	var err error
	if s.templates, err = template.New("").Funcs(functions()).ParseFS(files, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	if s.document, err = readDocument(cfg.Document); err != nil {
		return nil, err
	}
	if s.catalogue, err = readCatalogue(cfg.DocumentPath); err != nil {
		return nil, err
	}
	if s.changes, err = readChanges(); err != nil {
		return nil, err
	}
	s.groups = s.document.groups()
	if err := s.addAssets(); err != nil {
		return nil, err
	}
	s.addHome()
	s.addGuides()
	s.addReference()
	s.addProblems()
	s.addChangelog()
	s.add(pathPostman, func() (File, error) {
		content, err := collection(s.document, s.groups, cfg.BaseURL)
		return File{ContentType: typeJSON, Policy: policyOfText, Content: content}, err
	})
	s.add(PathModels, func() (File, error) {
		return File{ContentType: typeText, Policy: policyOfText, Content: s.models()}, nil
	})
	s.index = newIndex(s.sections())
	return s, nil
}

func (s *Site) add(path string, build func() (File, error)) {
	s.builders[path] = sync.OnceValues(build)
}

// File returns the file at a path, false if there is none.
func (s *Site) File(path string) (File, bool, error) {
	build, ok := s.builders[path]
	if !ok {
		return File{}, false, nil
	}
	f, err := build()
	return f, true, err
}

// Paths returns the paths of all files, in alphabetical order.
func (s *Site) Paths() []string { return slices.Sorted(maps.Keys(s.builders)) }

// addAssets adds the style sheet and the icon, with names that change with their content.
func (s *Site) addAssets() error {
	for name, asset := range map[string]struct {
		path *string
		kind string
	}{"style.css": {&s.style, typeStyle}, "mark.svg": {&s.icon, typeImage}} {
		content, err := files.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("docs: %w", err)
		}
		base, extension, _ := strings.Cut(name, ".")
		*asset.path = pathAssets + base + "-" + digest(content) + "." + extension
		s.add(*asset.path, func() (File, error) {
			return File{ContentType: asset.kind, Policy: policyOfText, Content: content, Forever: true}, nil
		})
	}
	return nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])[:hashLength]
}

// page is the data of the layout.
type page struct {
	Title       string
	Description string
	Path        string
	Text        string // path as Markdown; empty: the page has none
	Contents    []heading
	Body        template.HTML
	Query       string // of the search
	// NoIndex asks search engines to leave the page out.
	NoIndex bool
}

// view is a page with the parts of every page.
type view struct {
	page

	Canonical, Style, Icon string
	Sections               []section
	Groups                 []group
}

// section is a group of guides in the navigation.
type section struct {
	Title  string
	Guides []*guide
}

// render returns the page within the layout.
func (s *Site) render(p page) (File, error) {
	var out bytes.Buffer
	err := s.templates.ExecuteTemplate(&out, "layout.html", view{
		page: p, Canonical: s.cfg.BaseURL + p.Path, Style: s.style, Icon: s.icon, Sections: s.catalogue.sections(), Groups: s.groups,
	})
	if err != nil {
		return File{}, fmt.Errorf("docs: %s: %w", p.Path, err)
	}
	return File{ContentType: typeHTML, Policy: Policy, Content: out.Bytes()}, nil
}

// body executes the template of a page's content.
func (s *Site) body(name string, data any) (template.HTML, error) {
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, name, data); err != nil {
		return "", fmt.Errorf("docs: %w", err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // escaped by the template
}

// addPage adds a page whose content is a template.
func (s *Site) addPage(p page, name string, data func() (any, error)) {
	s.add(p.Path, func() (File, error) {
		values, err := data()
		if err != nil {
			return File{}, err
		}
		if p.Body, err = s.body(name, values); err != nil {
			return File{}, err
		}
		return s.render(p)
	})
}

// addText adds a page as Markdown.
func (s *Site) addText(path string, text func() string) {
	s.add(path, func() (File, error) {
		return File{ContentType: typeMarkdown, Policy: policyOfText, Content: []byte(text())}, nil
	})
}

// addHome adds the first page.
func (s *Site) addHome() {
	s.addPage(page{
		Title: "Documentation", Path: PathHome,
		Description: "Guides and the reference of the Fencepost API: schedule and publish posts to social networks, each exactly once.",
	}, "home.html", func() (any, error) {
		return map[string]any{"Sections": s.catalogue.sections(), "Groups": s.groups, "BaseURL": s.cfg.BaseURL}, nil
	})
}

// addGuides adds the guides as pages and as the text that they are written in.
func (s *Site) addGuides() {
	for _, g := range s.catalogue.guides {
		s.add(g.Path, func() (File, error) {
			rendered, err := s.catalogue.render(g)
			if err != nil {
				return File{}, err
			}
			return s.render(page{
				Title: g.Title, Description: g.Summary, Path: g.Path, Text: g.Path + suffixText, Contents: rendered.contents, Body: rendered.html,
			})
		})
		s.addText(g.Path+suffixText, func() string { return s.catalogue.text(g) })
	}
}

// models returns the index of the documentation for language models (llmstxt.org).
func (s *Site) models() []byte {
	var out strings.Builder
	base := s.cfg.BaseURL
	out.WriteString("# Fencepost\n\n> Schedules and publishes posts to social networks, each exactly once. A REST API, webhooks, " +
		"and a server of tools for agents (MCP).\n\n")
	for _, section := range s.catalogue.sections() {
		fmt.Fprintf(&out, "## %s\n\n", section.Title)
		for _, g := range section.Guides {
			fmt.Fprintf(&out, "- [%s](%s%s%s): %s\n", g.Title, base, g.Path, suffixText, g.Summary)
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "## Reference of the API\n\n- [OpenAPI document](%s%s): every operation, schema and error code.\n", base, s.cfg.DocumentPath)
	fmt.Fprintf(&out, "- [Conventions](%s%s%s): what holds for every operation.\n", base, pathReference, suffixText)
	fmt.Fprintf(&out, "- [Error codes](%s%s%s): what each code means, and the remedy.\n", base, PathProblems, suffixText)
	fmt.Fprintf(&out, "- [Changelog](%s%s%s): changes for users.\n", base, pathChangelog, suffixText)
	for _, g := range s.groups {
		for _, op := range g.Operations {
			fmt.Fprintf(&out, "- [%s](%s%s%s): `%s %s`\n", op.Summary, base, op.Page(), suffixText, op.Method, op.Path)
		}
	}
	return []byte(out.String())
}
