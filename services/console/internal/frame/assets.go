package frame

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assetFiles embed.FS

const (
	assetsPath = "/assets/"
	typeface   = "inter.woff2"
)

// asset is a file that pages load, under a name that changes with its content.
type asset struct {
	content, packed []byte // packed with gzip
	contentType     string
}

type assets struct {
	names  map[string]string // by the name in the source
	served map[string]asset  // by the name in addresses
}

// scripts returns the modules that every page of a workspace loads, in their order. Each of the modules in app.js
// forms a block of its own.
func scripts() []string { return []string{"app.js", "htmx.min.js"} }

// loadAssets reads the style sheet and the scripts.
func loadAssets() (*assets, error) {
	a := &assets{names: make(map[string]string), served: make(map[string]asset)}
	types := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".woff2": "font/woff2",
	}
	for _, file := range []struct {
		name    string
		sources []string
	}{
		{typeface, []string{"npm/" + typeface}}, // first: the style sheet names it
		{"app.css", []string{"tokens.css", "app.css"}},
		{"app.js", []string{"trusted.js", "app.js", "live.js"}},
		{"passkeys.js", []string{"passkeys.js"}},
		{"zone.js", []string{"zone.js"}},
		{"htmx.min.js", []string{"npm/htmx.min.js"}},
	} {
		name := file.name
		var content []byte
		for _, source := range file.sources {
			part, err := assetFiles.ReadFile("assets/" + source)
			if err != nil {
				return nil, fmt.Errorf("frame: %w", err)
			}
			content = append(content, part...)
		}
		if path.Ext(name) == ".css" {
			content = bytes.ReplaceAll(content, []byte(typeface), []byte(a.names[typeface]))
		}
		sum := sha256.Sum256(content)
		extension := path.Ext(name)
		hashed := strings.TrimSuffix(name, extension) + "-" + hex.EncodeToString(sum[:6]) + extension
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		_, _ = w.Write(content) // writes to memory
		if err := w.Close(); err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		a.names[name] = hashed
		a.served[hashed] = asset{content: content, packed: packed.Bytes(), contentType: types[extension]}
	}
	return a, nil
}

// path returns the address of an asset.
func (a *assets) path(name string) string { return assetsPath + a.names[name] }

func (a *assets) serve(rw http.ResponseWriter, r *http.Request) {
	found, ok := a.served[r.PathValue("name")]
	if !ok {
		http.NotFound(rw, r)
		return
	}
	h := rw.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", found.contentType)
	h.Set("Vary", "Accept-Encoding")
	content := found.content
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = found.packed
	}
	_, _ = rw.Write(content)
}

// icon returns an icon as inline SVG, hidden from assistive technology.
func icon(name string) (template.HTML, error) { return inline("assets/npm/icons/"+name+".svg", "icon") }

// mark returns the mark of a network as inline SVG, or its first letters if there is none.
func mark(network any) template.HTML {
	name := strings.ToLower(fmt.Sprint(network))
	svg, err := inline("assets/npm/marks/"+name+".svg", "mark")
	if err != nil {
		svg, err = inline("assets/marks/"+name+".svg", "mark")
	}
	if err != nil {
		return template.HTML(`<span class="mark">` + template.HTMLEscapeString(initials(name)) + `</span>`) //nolint:gosec // G203: escaped
	}
	return svg
}

func initials(name string) string {
	const letters = 2
	return name[:min(letters, len(name))]
}

func inline(file, class string) (template.HTML, error) {
	raw, err := assetFiles.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("frame: %w", err)
	}
	_, text, _ := strings.Cut(string(raw), "<svg") // without the comment with the licence
	_, body, found := strings.Cut(text, ">")
	if !found {
		return "", fmt.Errorf("frame: %s is no SVG", file)
	}
	body = strings.TrimSpace(body)
	return template.HTML(`<svg class="` + class + `" viewBox="0 0 24 24" aria-hidden="true">` + body), nil //nolint:gosec // G203: an embedded file
}
