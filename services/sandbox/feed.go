package main

import (
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// pageSize is the number of posts per page.
const pageSize = 50

//go:embed templates assets
var feedFiles embed.FS

// Feed serves the pages.
type Feed struct {
	stage   *stage.Stage
	pages   stage.Pages
	started int64 // distinguishes the entity tags of two processes
}

// Register adds the pages.
func Register(mux *http.ServeMux, s *stage.Stage) error {
	templates, err := template.ParseFS(feedFiles, "templates/*.html")
	if err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	assets, err := fs.Sub(feedFiles, "assets")
	if err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	f := &Feed{stage: s, started: s.Clock.Now().UnixNano(), pages: stage.Pages{
		Templates: templates, Logger: s.Logger, Cache: "no-cache",
		Policy: "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; " +
			"media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}}
	mux.HandleFunc("GET /{$}", f.page)
	mux.HandleFunc("GET /posts", f.fragment)
	mux.HandleFunc("GET /p/{platform}/{id}", f.post)
	mux.HandleFunc("GET /media/{sha256}", f.media)
	mux.HandleFunc("GET /people", f.people)
	mux.HandleFunc("POST /people", f.talk)
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
	f.pages.Show(w, r, http.StatusOK, "page.html", f.view(r))
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
	f.pages.Show(w, r, http.StatusOK, "posts.html", view)
}

func (f *Feed) post(w http.ResponseWriter, r *http.Request) {
	found, ok := f.stage.Ledger.Get(r.PathValue("platform"), r.PathValue("id"))
	if !ok {
		f.lost(w, r)
		return
	}
	f.pages.Show(w, r, http.StatusOK, "post.html", f.thread(found))
}

func (f *Feed) lost(w http.ResponseWriter, r *http.Request) {
	f.pages.Show(w, r, http.StatusNotFound, "lost.html", nil)
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
	posts := f.stage.Ledger.List(ledger.Filter{
		Platform: platform, Account: account, Before: before, Limit: pageSize + 1, Roots: true,
	})
	if len(posts) > pageSize {
		posts = posts[:pageSize]
		v.Older = posts[pageSize-1].Seq
	}
	for _, p := range posts {
		v.Cards = append(v.Cards, f.thread(p))
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

// media serves the bytes of a file. They are untrusted: nosniff makes a browser use the detected content type, and the
// policy disables everything if a browser shows them as a page nevertheless.
func (f *Feed) media(w http.ResponseWriter, r *http.Request) {
	file, item, err := f.stage.Media.Open(r.PathValue("sha256"))
	if errors.Is(err, mediastore.ErrUnknown) {
		f.lost(w, r)
		return
	}
	if err != nil {
		f.stage.Logger.ErrorContext(r.Context(), "file not read", slog.Any("error", err))
		http.Error(w, "The file could not be read.", http.StatusInternalServerError)
		return
	}
	defer func() { _ = file.Close() }()
	stage.Guard(w, item.ContentType, "private, max-age=31536000, immutable",
		"default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	w.Header().Set("ETag", `"`+item.SHA256+`"`)
	if item.Type == media.Document {
		w.Header().Set("Content-Disposition", `attachment; filename="document.pdf"`)
	}
	http.ServeContent(w, r, "", time.Time{}, file)
}
