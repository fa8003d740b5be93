// Package view makes the pages of the application: what each one shows, and how. Everything a page shows goes through
// html/template, which escapes it for the place where it stands.
package view

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"unicode"

	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/ident"
)

//go:embed templates/*.html app.css
var files embed.FS

// Page is what every page shows around its own content.
type Page struct {
	Title  string
	Email  string // of who is signed in; empty: nobody
	Token  string // proves that a form came from this page, in this browser
	Style  string // address of the style sheet
	Notice string // what has just happened
}

// SignIn is the page where a person says who they are.
type SignIn struct {
	Page
	Address string // as it was typed
	Next    string // the handle of a request that waits for them
	For     string // the program that asks, when one does
	Error   string
}

// Choice is a workspace that access can be given to.
type Choice struct {
	ID      ident.Workspace
	Name    string
	Plan    string
	Checked bool
}

// Permission is a scope in plain words.
type Permission struct {
	Scope credential.Scope
	Text  string
	Grave bool // what it allows is seen by others
}

// Consent is the page where a person allows a program access.
type Consent struct {
	Page
	Request     string // its handle
	Program     string
	Host        string // where access goes
	Publisher   string // the host at which the program describes itself; empty: nobody has checked who it is
	FirstParty  bool
	Local       bool // access goes to the person's own machine, to whatever program listens there
	Tools       bool // for the tool server rather than the REST API
	Workspaces  []Choice
	Permissions []Permission
	Error       string
}

// Program is one that somebody has allowed access.
type Program struct {
	Grant       ident.Grant
	Name        string
	Host        string
	Workspace   string
	Since       string
	Permissions []Permission
}

// Programs lists what a person has allowed.
type Programs struct {
	Page
	Programs []Program
}

// Message is a page that only says something.
type Message struct {
	Page
	Heading string
	Text    string
	Action  string // what the link says
	Href    string
}

// Pages makes the pages.
type Pages struct {
	templates map[string]*template.Template
	style     []byte
	styleName string
}

// New reads the templates.
func New() (*Pages, error) {
	style, err := files.ReadFile("app.css")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	p := &Pages{templates: make(map[string]*template.Template), style: style, styleName: "/assets/app-" + hex.EncodeToString(sum[:6]) + ".css"}
	for _, name := range []string{"signin", "consent", "programs", "message"} {
		t, err := template.New(name).Funcs(template.FuncMap{"initial": initial}).ParseFS(files, "templates/layout.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("view: %w", err)
		}
		p.templates[name] = t
	}
	return p, nil
}

// initial is the first letter of a name, for the tile that stands for it.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "•"
}

// Style is the style sheet and the path under which it is served; the path changes with its content.
func (p *Pages) Style() (path string, content []byte) { return p.styleName, p.style }

// SignIn writes a page.
func (p *Pages) SignIn(w io.Writer, v SignIn) error {
	v.Style = p.styleName
	return p.write(w, "signin", v)
}

// Consent writes a page.
func (p *Pages) Consent(w io.Writer, v Consent) error {
	v.Style = p.styleName
	return p.write(w, "consent", v)
}

// Programs writes a page.
func (p *Pages) Programs(w io.Writer, v Programs) error {
	v.Style = p.styleName
	return p.write(w, "programs", v)
}

// Message writes a page.
func (p *Pages) Message(w io.Writer, v Message) error {
	v.Style = p.styleName
	return p.write(w, "message", v)
}

// write makes the whole page before the first byte of it goes out.
func (p *Pages) write(w io.Writer, name string, v any) error {
	var page bytes.Buffer
	if err := p.templates[name].ExecuteTemplate(&page, "layout", v); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	_, err := page.WriteTo(w)
	return err
}
