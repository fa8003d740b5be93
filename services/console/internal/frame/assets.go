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
	"regexp"
	"slices"
	"strings"
	"sync"

	"fencepost.internal/services/internal/marks"
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
	worker string            // the service worker, which has an address of its own
	names  map[string]string // by the name in the source
	served map[string]asset  // by the name in addresses
}

// scripts returns the modules that every page of a workspace loads, in their order. Each of the modules in app.js
// forms a block of its own.
func scripts() []string { return []string{"app.js", "htmx.min.js"} }

// source is an asset and the files that it is made of.
type source struct {
	name  string
	parts []string
}

// assetSources returns the assets: those made of several files or of packages first, because style sheets name the typeface,
// and each other style sheet and script under its own name.
func assetSources() ([]source, error) {
	sources := []source{
		{typeface, []string{"npm/" + typeface}},
		{"app.css", []string{"tokens.css", "app.css"}},
		{"app.js", []string{"trusted.js", "app.js", "live.js"}},
		{"htmx.min.js", []string{"npm/htmx.min.js"}},
		{"emoji.js", []string{"npm/emoji.js"}},
	}
	parts := make(map[string]bool)
	for _, s := range sources {
		for _, part := range s.parts {
			parts[part] = true
		}
	}
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && !parts[name] {
			sources = append(sources, source{name, []string{name}})
		}
	}
	return sources, nil
}

// loadAssets reads and packs the style sheets and the scripts, which are parts of the program, once.
var loadAssets = sync.OnceValues(func() (*assets, error) {
	a := &assets{names: make(map[string]string), served: make(map[string]asset)}
	worker, err := assetFiles.ReadFile("assets/worker/service-worker.js")
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	a.worker = string(worker)
	sources, err := assetSources()
	if err != nil {
		return nil, err
	}
	for _, file := range sources {
		if err := a.load(file, sources); err != nil {
			return nil, err
		}
	}
	return a, nil
})

// imported matches the names of modules that a module imports, now or later.
var imported = regexp.MustCompile(`(?:from |import\()'(\./(?:npm/)?([a-z]+\.js))'`)

// load reads an asset, and before it the modules that it imports, whose names in addresses it then has.
func (a *assets) load(file source, sources []source) error {
	if a.names[file.name] != "" {
		return nil
	}
	var content []byte
	for _, name := range file.parts {
		part, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("frame: %w", err)
		}
		content = append(content, part...)
	}
	for _, match := range imported.FindAllSubmatch(content, -1) {
		name := string(match[2])
		at := slices.IndexFunc(sources, func(s source) bool { return s.name == name })
		if at < 0 {
			return fmt.Errorf("frame: %s imports %s, which does not exist", file.name, name)
		}
		if err := a.load(sources[at], sources); err != nil {
			return err
		}
		content = bytes.ReplaceAll(content, []byte("'"+string(match[1])+"'"), []byte("'./"+a.names[name]+"'"))
	}
	a.add(file.name, content)
	return nil
}

// add packs an asset.
func (a *assets) add(name string, content []byte) {
	extension := path.Ext(name)
	types := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".woff2": "font/woff2", ".png": "image/png",
	}
	if extension == ".css" {
		content = bytes.ReplaceAll(content, []byte(typeface), []byte(a.names[typeface]))
	}
	sum := sha256.Sum256(content)
	hashed := strings.TrimSuffix(name, extension) + "-" + hex.EncodeToString(sum[:6]) + extension
	a.names[name] = hashed
	w, _ := gzip.NewWriterLevel(nil, gzip.BestCompression) // the level is valid
	a.served[hashed] = asset{content: content, packed: packedBy(w, content), contentType: types[extension]}
}

// packers compress pages. Each has tables of a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// packed returns the content of a page compressed with gzip.
func packed(content []byte) []byte {
	w, _ := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	return packedBy(w, content)
}

func packedBy(w *gzip.Writer, content []byte) []byte {
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(content) // memory takes every write
	_ = w.Close()
	return out.Bytes()
}

// takesGzip reports whether the client of a request decompresses a response.
func takesGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
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
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		content = found.packed
	}
	_, _ = rw.Write(content)
}

// icon returns an icon as inline SVG, hidden from assistive technology.
func icon(name string) (template.HTML, error) {
	body, err := svg("assets/npm/icons/" + name + ".svg")
	if err != nil {
		return "", err
	}
	return inline("icon", body), nil
}

// mark returns the mark of a network as inline SVG, or its first letters if there is none.
func mark(network any) template.HTML {
	body := marks.Body(lower(network))
	if body == "" {
		name := lower(network)
		return template.HTML(`<span class="mark">` + template.HTMLEscapeString(initials(name)) + `</span>`) //nolint:gosec // G203: escaped
	}
	return inline("mark", body)
}

// Symbol returns the mark of a network as a symbol m-NETWORK, which pages with many marks use by its name.
func Symbol(network any) template.HTML {
	name := lower(network)
	body := marks.Body(name)
	if body == "" {
		body = `<text x="12" y="17" text-anchor="middle">` + template.HTMLEscapeString(initials(name)) + `</text></svg>`
	}
	//nolint:gosec // G203: an embedded file
	return template.HTML(`<symbol id="m-` + template.HTMLEscapeString(name) + `" viewBox="0 0 24 24">` +
		strings.TrimSuffix(body, "</svg>") + `</symbol>`)
}

// channelMark returns the mark of a network in its color, by its symbol. A calendar has hundreds: as a template, each would
// take as long as the rest of a post.
func channelMark(network any) template.HTML {
	name := template.HTMLEscapeString(lower(network))
	//nolint:gosec // G203: escaped
	return template.HTML(`<span class="ch ch-` + name + ` s"><svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><use href="#m-` +
		name + `"/></svg></span>`)
}

// Glyph returns the shape of a post's state by its symbol, as the template glyph of every page does.
func Glyph(state string) template.HTML {
	name := template.HTMLEscapeString(state)
	//nolint:gosec // G203: escaped
	return template.HTML(`<svg class="st ` + name + `" viewBox="0 0 16 16" aria-hidden="true"><use href="#s-` + name + `"/></svg>`)
}

// Icons returns icons as symbols i-NAME, which pages with many icons use by their names.
func Icons(names ...string) (template.HTML, error) {
	var symbols strings.Builder
	for _, name := range names {
		body, err := svg("assets/npm/icons/" + name + ".svg")
		if err != nil {
			return "", err
		}
		symbols.WriteString(`<symbol id="i-` + name + `" viewBox="0 0 24 24">` + strings.TrimSuffix(body, "</svg>") + `</symbol>`)
	}
	return template.HTML(symbols.String()), nil //nolint:gosec // G203: embedded files
}

// lower returns a name in lower case, as in classes and files.
func lower(name any) string { return strings.ToLower(fmt.Sprint(name)) }

func initials(name string) string {
	const letters = 2
	return name[:min(letters, len(name))]
}

func inline(class, body string) template.HTML {
	return template.HTML(`<svg class="` + class + `" viewBox="0 0 24 24" aria-hidden="true">` + body) //nolint:gosec // G203: an embedded file
}

// svg reads a file from the content of its SVG element to the end.
func svg(file string) (string, error) {
	raw, err := assetFiles.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("frame: %w", err)
	}
	_, text, _ := strings.Cut(string(raw), "<svg") // without the comment with the licence
	_, body, found := strings.Cut(text, ">")
	if !found {
		return "", fmt.Errorf("frame: %s is no SVG", file)
	}
	return strings.TrimSpace(body), nil
}
