package mailbox

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

//go:embed templates
var files embed.FS

// view is a mail on a page, and in the list for programs.
type view struct {
	ID        int                 `json:"id"`
	At        time.Time           `json:"at"`
	From      string              `json:"from"`
	To        []string            `json:"to"`
	Subject   string              `json:"subject"`
	MessageID string              `json:"messageId"`
	Header    map[string][]string `json:"header"`
	Text      string              `json:"text"`
	HTML      string              `json:"html"`
	Links     []string            `json:"links"`
}

// When returns the time of receipt in words.
func (v view) When() string { return v.At.Format("2 January 2006, 15:04:05") + " UTC" }

// ISO returns the time of receipt.
func (v view) ISO() string { return v.At.Format(time.RFC3339) }

// Recipients returns the addresses in one line.
func (v view) Recipients() string { return strings.Join(v.To, ", ") }

func (m Mail) view() view {
	c := m.read()
	return view{
		ID: m.ID, At: m.At, From: m.From, To: m.To, Subject: c.Subject, MessageID: c.MessageID, Header: c.Header, Text: c.Text,
		HTML: c.HTML, Links: c.links(),
	}
}

type pages struct {
	box       *Box
	templates *template.Template
}

// Register adds the pages of the mailbox, and the list for programs.
func Register(mux *http.ServeMux, b *Box) error {
	templates, err := template.ParseFS(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("mailbox: %w", err)
	}
	p := &pages{box: b, templates: templates}
	mux.HandleFunc("GET /mailbox", p.list)
	mux.HandleFunc("GET /mailbox/{id}", p.show)
	mux.HandleFunc("GET /mailbox/{id}/html", p.html)
	mux.HandleFunc("GET /_sandbox/mails", p.programs)
	return nil
}

func (p *pages) views(r *http.Request) []view {
	mails := p.box.List(r.URL.Query().Get("to"))
	views := make([]view, len(mails))
	for i, m := range mails {
		views[i] = m.view()
	}
	return views
}

func (p *pages) list(w http.ResponseWriter, r *http.Request) { p.render(w, r, "list.html", p.views(r)) }

func (p *pages) programs(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(p.views(r)); err != nil {
		p.box.cfg.Logger.DebugContext(r.Context(), "list of mails not written", slog.Any("error", err))
	}
}

func (p *pages) mail(w http.ResponseWriter, r *http.Request) (view, bool) {
	id, err := strconv.Atoi(r.PathValue("id"))
	found, ok := p.box.Get(id)
	if err != nil || !ok {
		http.Error(w, "There is no such mail.", http.StatusNotFound)
		return view{}, false
	}
	return found.view(), true
}

func (p *pages) show(w http.ResponseWriter, r *http.Request) {
	if v, ok := p.mail(w, r); ok {
		p.render(w, r, "mail.html", v)
	}
}

// html returns the HTML of a mail as the mail has it. The policy puts it into an origin of its own, without scripts,
// forms and requests. Links open in a new tab.
func (p *pages) html(w http.ResponseWriter, r *http.Request) {
	v, ok := p.mail(w, r)
	if !ok {
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "+
		"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write([]byte(strings.Replace(v.HTML, "<head>", `<head><base target="_blank">`, 1)))
}

func (p *pages) render(w http.ResponseWriter, r *http.Request, name string, data any) {
	var page bytes.Buffer
	if err := p.templates.ExecuteTemplate(&page, name, data); err != nil {
		p.box.cfg.Logger.ErrorContext(r.Context(), "page not rendered", slog.Any("error", err))
		http.Error(w, "The page could not be shown.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-src 'self'; "+
		"form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	_, _ = page.WriteTo(w) // an error concerns only the client's connection
}
