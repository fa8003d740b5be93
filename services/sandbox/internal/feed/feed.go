// Package feed serves web pages that show the posts published on the sandbox networks.
//
// Everything published is untrusted: it passes through html/template's escaping only. The pages' content security
// policy allows no script and no style except the sandbox's own two files.
package feed

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// pageSize is the number of posts per page.
const pageSize = 50

//go:embed templates assets
var files embed.FS

// Feed serves the pages.
type Feed struct {
	stage     *stage.Stage
	templates *template.Template
	started   int64 // distinguishes the entity tags of two processes
}

// Register adds the pages.
func Register(mux *http.ServeMux, s *stage.Stage) error {
	templates, err := template.ParseFS(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	f := &Feed{stage: s, templates: templates, started: s.Clock.Now().UnixNano()}
	mux.HandleFunc("GET /{$}", f.page)
	mux.HandleFunc("GET /posts", f.fragment)
	mux.HandleFunc("GET /p/{platform}/{id}", f.post)
	mux.HandleFunc("GET /media/{sha256}", f.media)
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", cached(http.FileServerFS(assets))))
	mux.HandleFunc("/", f.lost)
	return nil
}

func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

func (f *Feed) page(w http.ResponseWriter, r *http.Request) {
	f.render(w, r, http.StatusOK, "page.html", f.view(r))
}

// fragment returns only the list of posts, with which the page refreshes itself. It responds 304 while nothing has
// changed.
func (f *Feed) fragment(w http.ResponseWriter, r *http.Request) {
	view := f.view(r)
	w.Header().Set("ETag", view.Tag)
	if r.Header.Get("If-None-Match") == view.Tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f.render(w, r, http.StatusOK, "posts.html", view)
}

func (f *Feed) post(w http.ResponseWriter, r *http.Request) {
	found, ok := f.stage.Ledger.Get(r.PathValue("platform"), r.PathValue("id"))
	if !ok {
		f.lost(w, r)
		return
	}
	f.render(w, r, http.StatusOK, "post.html", f.card(found))
}

func (f *Feed) lost(w http.ResponseWriter, r *http.Request) {
	f.render(w, r, http.StatusNotFound, "lost.html", nil)
}

// view collects the content of the requested page.
func (f *Feed) view(r *http.Request) view {
	query := r.URL.Query()
	platform, account := query.Get("platform"), query.Get("account")
	before, err := strconv.ParseUint(query.Get("before"), 10, 64)
	if err != nil {
		before = 0
	}
	v := view{
		Platform: platform, Account: account, Before: before, Base: f.stage.Base(r),
		networks: f.stage.Networks, Accounts: f.stage.Ledger.Accounts(), Total: f.stage.Ledger.Count(),
	}
	posts := f.stage.Ledger.List(ledger.Filter{Platform: platform, Account: account, Before: before, Limit: pageSize + 1})
	if len(posts) > pageSize {
		posts = posts[:pageSize]
		v.Older = posts[pageSize-1].Seq
	}
	for _, p := range posts {
		v.Cards = append(v.Cards, f.card(p))
	}
	for _, fault := range f.stage.Faults.List() {
		v.Faults = append(v.Faults, describe(fault))
	}
	v.Tag = f.tag(v)
	return v
}

func (f *Feed) tag(v view) string {
	hash := fnv.New64a()
	for _, fault := range v.Faults {
		_, _ = hash.Write([]byte(fault))
	}
	return fmt.Sprintf(`"%x-%d-%x"`, f.started, f.stage.Ledger.Version(), hash.Sum64())
}

// render writes the page completely, or an error response instead.
func (f *Feed) render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var page bytes.Buffer
	if err := f.templates.ExecuteTemplate(&page, name, data); err != nil {
		f.stage.Logger.ErrorContext(r.Context(), "page not rendered", slog.Any("error", err))
		http.Error(w, "The page could not be shown.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
		"img-src 'self' data:; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w)
}
