// Package docs holds the files of the API reference: a page, its start script, and the vendored program that renders
// the OpenAPI document. The page loads nothing from other hosts.
package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"strings"
)

// Folder is the path prefix of the files.
const Folder = "/docs/assets/"

// Policy is the page's Content-Security-Policy. It restricts the page to this host. Inline styles are allowed, because
// the program generates them at run time, so that no hash can match them.
const Policy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data: blob:; " +
	"font-src 'self' data:; " +
	"connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const (
	program       = "assets/scalar-api-reference-1.46.4.js.gz"
	programSHA256 = "81b8d2bdab4a42ab81465386441b9a0f928b68631364360f00e8cce620cc1efb" // of the uncompressed file
	startScript   = "assets/start.js"
	pageTemplate  = "assets/page.html"
	hashLength    = 12
)

//go:embed assets
var files embed.FS

// File is a file of the reference. Its name changes with its content, so that it can be cached forever.
type File struct {
	Name        string
	ContentType string
	Gzip        []byte
}

// Reference holds the page and its files.
type Reference struct {
	Page  []byte
	Files []File
}

// New returns the reference page of the document at documentPath.
func New(documentPath string) (*Reference, error) {
	packed, err := files.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	start, err := files.ReadFile(startScript)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	packedStart, err := Pack(start)
	if err != nil {
		return nil, err
	}
	const script = "text/javascript; charset=utf-8"
	reference := &Reference{Files: []File{
		{Name: "reference-" + programSHA256[:hashLength] + ".js", ContentType: script, Gzip: packed},
		{Name: "start-" + digest(start)[:hashLength] + ".js", ContentType: script, Gzip: packedStart},
	}}
	reference.Page, err = page(reference.Files, documentPath)
	return reference, err
}

func page(scripts []File, documentPath string) ([]byte, error) {
	source, err := template.ParseFS(files, pageTemplate)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	data := struct{ Document, Program, Start string }{documentPath, Folder + scripts[0].Name, Folder + scripts[1].Name}
	var out bytes.Buffer
	if err := source.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	return out.Bytes(), nil
}

// Pack compresses a file with gzip at the best level, because it is sent often.
func Pack(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	return out.Bytes(), nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return strings.ToLower(hex.EncodeToString(sum[:]))
}
