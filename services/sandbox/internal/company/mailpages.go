package company

import (
	"bytes"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
)

//go:embed templates
var files embed.FS

var templates = template.Must(template.ParseFS(files, "templates/*.html"))

// view is a mail in readable form: on a page, and in the list for programs.
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

var linkPattern = regexp.MustCompile(`https?://[^\s<>"]+`)

// view decodes a mail. What cannot be decoded is shown as it is.
func (m Mail) view() view {
	v := view{ID: m.ID, At: m.At, From: m.From, To: m.To, Subject: "(unreadable)", Text: string(m.Raw)}
	if parsed, err := mail.ReadMessage(bytes.NewReader(m.Raw)); err == nil {
		v.Header, v.MessageID, v.Text = parsed.Header, parsed.Header.Get("Message-Id"), ""
		if v.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
			v.Subject = parsed.Header.Get("Subject")
		}
		addPart(&v, parsed.Header.Get("Content-Type"), parsed.Header.Get("Content-Transfer-Encoding"), parsed.Body)
	}
	v.Links = linkPattern.FindAllString(v.Text, -1)
	return v
}

// addPart adds a part of the mail, or the parts in it.
func addPart(v *view, contentType, encoding string, body io.Reader) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			p, err := parts.NextRawPart()
			if err != nil {
				return
			}
			addPart(v, p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p)
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	raw, _ := io.ReadAll(body) // what was read before an error is shown
	switch kind {
	case "text/html":
		v.HTML = string(raw)
	case "text/plain":
		v.Text = string(raw)
	}
}

// RegisterMailbox adds the pages of the mailbox, and the list for programs.
func RegisterMailbox(mux *http.ServeMux, b *Box) {
	pages := stage.Pages{
		Templates: templates, Logger: b.cfg.Logger, Cache: "no-store",
		Policy: "default-src 'none'; style-src 'self'; img-src 'self' data:; " +
			"frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
	}
	views := func(r *http.Request) []view { return stage.Each(b.List(r.URL.Query().Get("to")), Mail.view) }
	mux.HandleFunc("GET /mailbox", func(w http.ResponseWriter, r *http.Request) {
		pages.Show(w, r, http.StatusOK, "list.html", views(r))
	})
	mux.HandleFunc("GET /_sandbox/mails", func(w http.ResponseWriter, r *http.Request) { stage.OK(views(r)).Write(w) })
	mux.HandleFunc("GET /mailbox/{id}", b.each(func(w http.ResponseWriter, r *http.Request, v view) {
		pages.Show(w, r, http.StatusOK, "mail.html", v)
	}))
	// The HTML of a mail is shown as the mail has it. The policy puts it into an origin of its own, without scripts, forms
	// and requests. Links open in a new tab.
	mux.HandleFunc("GET /mailbox/{id}/html", b.each(func(w http.ResponseWriter, _ *http.Request, v view) {
		stage.Guard(w, "text/html; charset=utf-8", "no-store", "sandbox allow-popups allow-popups-to-escape-sandbox; "+
			"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "+
			"frame-ancestors 'self'")
		_, _ = w.Write([]byte(strings.Replace(v.HTML, "<head>", `<head><base target="_blank">`, 1)))
	}))
}

// each calls the handler with the mail that the path names.
func (b *Box) each(show func(http.ResponseWriter, *http.Request, view)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		found, ok := b.Get(id)
		if err != nil || !ok {
			http.Error(w, "There is no such mail.", http.StatusNotFound)
			return
		}
		show(w, r, found.view())
	}
}
