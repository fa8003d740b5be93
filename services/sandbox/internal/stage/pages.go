package stage

import (
	"bytes"
	"html/template"
	"log/slog"
	"net/http"
)

// Pages are the sandbox's own pages. Everything that they show is untrusted: it passes through the escaping of their
// templates only, and their policy limits what they load.
type Pages struct {
	Templates *template.Template
	Policy    string
	Cache     string // policy of caches
	Logger    *slog.Logger
}

// Show writes the page completely, or an error response instead.
func (p Pages) Show(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var page bytes.Buffer
	if err := p.Templates.ExecuteTemplate(&page, name, data); err != nil {
		p.Logger.ErrorContext(r.Context(), "page not rendered", slog.Any("error", err))
		http.Error(w, "The page could not be shown.", http.StatusInternalServerError)
		return
	}
	Guard(w, "text/html; charset=utf-8", p.Cache, p.Policy)
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // an error concerns only the client's connection
}

// Guard writes the headers of content that is untrusted.
func Guard(w http.ResponseWriter, kind, cache, policy string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", cache)
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
}
