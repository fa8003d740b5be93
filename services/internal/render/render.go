// Package render renders link pages as HTML documents.
//
// All user content passes through html/template's contextual escaping, and through nothing else. The policy of a
// document names the hashes of its one style and its one script, so that nothing else runs even if escaping fails.
package render

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/andybalholm/brotli"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var files embed.FS

// Config holds the addresses that documents contain.
type Config struct {
	PagesURL string // the public address of the pages
	// MediaOrigin is the scheme and the host of the addresses to which requests for images are redirected; empty: no image is
	// shown.
	MediaOrigin string
}

// Renderer renders documents. It is safe for concurrent use.
type Renderer struct {
	config    Config
	templates *template.Template
	style     string
	script    string
}

// New returns a renderer.
func New(cfg Config) (*Renderer, error) {
	if cfg.PagesURL == "" || strings.ContainsAny(cfg.MediaOrigin, " ;,'\"\r\n") {
		return nil, errors.New("render: PagesURL is required, and MediaOrigin must be an origin")
	}
	r := &Renderer{config: cfg}
	style, err := files.ReadFile("templates/page.css")
	if err != nil {
		return nil, err
	}
	script, err := files.ReadFile("templates/page.js")
	if err != nil {
		return nil, err
	}
	r.style, r.script = strings.TrimSpace(string(style)), strings.TrimSpace(string(script))
	r.templates, err = parseTemplates()
	return r, err
}

// parseTemplates adds the template "block", which selects the template of the block's type. Templates name each other
// by constants only, so it is written from the descriptors.
func parseTemplates() (*template.Template, error) {
	functions := template.FuncMap{"price": price, "stars": stars}
	parsed, err := template.New("").Funcs(functions).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	var choose strings.Builder
	for _, t := range linkpage.BlockTypes() {
		if parsed.Lookup(string(t)) == nil {
			return nil, fmt.Errorf("render: no template for blocks of type %s", t)
		}
		fmt.Fprintf(&choose, "{{if eq .Type %[1]q}}{{template %[1]q .}}{{end}}", string(t))
	}
	if _, err := parsed.New("block").Parse(choose.String()); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return parsed, nil
}

// Input is the data that a page shows.
type Input struct {
	Page     postgres.LivePage
	Pictures map[ident.Media]bool // the images that can be shown
	Posts    map[ident.Post]postgres.ShownPost
	// Preview has the addresses of images for a document in a frame of the application, whose links lead to their targets
	// without being counted; nil for visitors.
	Preview map[ident.Media]string
}

// Document is HTML in every encoding in which it is sent.
type Document struct {
	Plain, Gzip, Brotli []byte
	Tag                 string // identifies the content; used in ETags
	Policy              string // its Content-Security-Policy
	// Until is the time at which the document has to be rendered again; zero means never.
	Until time.Time
	// Targets maps each block that is shown to the target of its clicks.
	Targets map[ident.LinkBlock]string
}

// Page renders the document of a page as of the given time.
func (r *Renderer) Page(in Input, now time.Time) (Document, error) {
	v, until := r.view(in, now)
	doc, err := r.document("page.html", v, v.Style, v.Script)
	if in.Preview != nil {
		doc.Policy = strings.Replace(doc.Policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1)
	}
	doc.Until, doc.Targets = until, targets(v)
	return doc, err
}

func targets(v pageView) map[ident.LinkBlock]string {
	out := make(map[ident.LinkBlock]string, len(v.Blocks))
	for _, b := range v.Blocks {
		if b.target != "" {
			out[b.id] = b.target
		}
	}
	return out
}

// Message renders a document with one message: that the page does not exist, or that an error occurred.
func (r *Renderer) Message(title, text string) (Document, error) {
	theme := linkpage.Theme{
		Name: linkpage.ThemePaper, Accent: linkpage.ThemePaper.Design().Accent, Appearance: linkpage.AppearanceAuto,
	}
	style := r.styleOf(theme)
	return r.document("message.html", messageView{Title: title, Text: text, Style: style}, style, "")
}

type messageView struct {
	Title, Text string
	Style       template.CSS
}

func (r *Renderer) document(name string, view any, style template.CSS, script template.JS) (Document, error) {
	var out bytes.Buffer
	if err := r.templates.ExecuteTemplate(&out, name, view); err != nil {
		return Document{}, fmt.Errorf("render: %w", err)
	}
	plain := out.Bytes()
	sum := sha256.Sum256(plain)
	const tagLength = 12
	doc := Document{
		Plain: plain, Tag: hex.EncodeToString(sum[:tagLength]), Policy: r.policy(string(style), string(script)),
	}
	var err error
	if doc.Gzip, err = gzipped(plain); err != nil {
		return Document{}, err
	}
	doc.Brotli, err = brotlied(plain)
	return doc, err
}

// policy returns a policy that allows the document's own style and script, images from their origin, and reading this host, as
// audits of pages do with robots.txt, and nothing else.
func (r *Renderer) policy(style, script string) string {
	parts := []string{
		"default-src 'none'", "connect-src 'self'", strings.TrimSpace("img-src 'self' " + r.config.MediaOrigin), "style-src " + hashOf(style),
	}
	if script != "" {
		parts = append(parts, "script-src "+hashOf(script))
	}
	return strings.Join(append(parts, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"), "; ")
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func gzipped(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// Brotli takes about a millisecond per page, once for each version. A window of 64 KiB covers most pages completely.
// Larger windows make the encoder allocate 32 MiB without benefit.
const quality, windowBits = 9, 16

func brotlied(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w := brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: quality, LGWin: windowBits})
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}
