// Package view renders the pages of the application. All content goes through html/template, which escapes it for its
// context.
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

// Page holds the data that every page shows.
type Page struct {
	Title  string
	Email  string // of the signed-in user; empty when signed out
	Token  string // proves that a form came from this page, in this browser
	Style  string // address of the style sheet
	Notice string // confirms the last action
}

// SignIn is the sign-in page.
type SignIn struct {
	Page
	Address string // as it was typed
	Next    string // handle of the pending authorization request
	For     string // the program that requests access, if any
	Error   string
}

// Choice is a workspace that the user can select.
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
	Grave bool // its effects are publicly visible
}

// Consent is the page on which a user grants a program access.
type Consent struct {
	Page
	Request     string // the request's handle
	Program     string
	Host        string // host to which the authorization code goes
	Publisher   string // host that publishes the program's description; empty when its identity is unverified
	FirstParty  bool
	Local       bool // access goes to the user's own machine, to any program that listens there
	Tools       bool // for the tool server rather than the REST API
	Workspaces  []Choice
	Permissions []Permission
	Error       string
}

// Program is a program with access.
type Program struct {
	Grant       ident.Grant
	Name        string
	Host        string
	Workspace   string
	Since       string
	Permissions []Permission
}

// Programs lists the programs to which a user has granted access.
type Programs struct {
	Page
	Programs []Program
}

// Message is a page with a message only.
type Message struct {
	Page
	Heading string
	Text    string
	Action  string // text of the link
	Href    string
}

// Pages renders the pages.
type Pages struct {
	templates map[string]*template.Template
	style     []byte
	styleName string
}

// New parses the templates.
func New() (*Pages, error) {
	style, err := files.ReadFile("app.css")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	p := &Pages{
		templates: make(map[string]*template.Template), style: style,
		styleName: "/assets/app-" + hex.EncodeToString(sum[:6]) + ".css",
	}
	for _, name := range []string{"signin", "consent", "programs", "message"} {
		t, err := template.New(name).Funcs(template.FuncMap{"initial": initial}).ParseFS(files, "templates/layout.html",
			"templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("view: %w", err)
		}
		p.templates[name] = t
	}
	return p, nil
}

// initial returns the first letter or digit of a name, for the name's tile.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "•"
}

// Style returns the style sheet and its path. The path changes with the content.
func (p *Pages) Style() (path string, content []byte) { return p.styleName, p.style }

// SignIn writes the sign-in page.
func (p *Pages) SignIn(w io.Writer, v SignIn) error {
	v.Style = p.styleName
	return p.write(w, "signin", v)
}

// Consent writes the consent page.
func (p *Pages) Consent(w io.Writer, v Consent) error {
	v.Style = p.styleName
	return p.write(w, "consent", v)
}

// Programs writes the page with the programs.
func (p *Pages) Programs(w io.Writer, v Programs) error {
	v.Style = p.styleName
	return p.write(w, "programs", v)
}

// Message writes a message page.
func (p *Pages) Message(w io.Writer, v Message) error {
	v.Style = p.styleName
	return p.write(w, "message", v)
}

// write renders the whole page before it writes the first byte.
func (p *Pages) write(w io.Writer, name string, v any) error {
	var page bytes.Buffer
	if err := p.templates[name].ExecuteTemplate(&page, "layout", v); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	_, err := page.WriteTo(w)
	return err
}
