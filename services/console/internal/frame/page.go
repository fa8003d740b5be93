package frame

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

//go:embed templates/*.html
var files embed.FS

// Page is a page to render.
type Page struct {
	Name   string // feature and template, such as posts/list
	Title  string
	Status int    // 0 means 200
	Part   string // a template of the page, with which to respond to a script instead of the whole page
	Bare   bool   // without the navigation of a workspace, and without the frame's scripts
	Layout string // a template of the page instead of the frame's layout, of a bare page
	Wide   bool   // over the whole width of the window, edge to edge
	// Scripts are further modules that the page loads, and Styles further style sheets.
	Scripts []string
	Styles  []string
	Tabs    []Tab
	Data    any
}

// Tab is an entry of the second level of the navigation.
type Tab struct {
	Title   string
	Path    string
	Current bool
	Needs   credential.Permission // empty shows it to every member
	Live    bool                  // its routes are
}

// View is the data of a template: the page's own data and the frame's.
type View struct {
	Page

	Notice   Notice // confirms the last action
	Address  string // of the page
	Style    string
	Font     string
	Touch    string   // icon of an installed application
	Sources  []string // of scripts
	Sheets   []string // further style sheets
	Email    string   // of the signed-in user; empty when signed out
	UserName string
	Role     member.Role
	Base     string // path of the workspace
	Current  Place
	Live     string // address of the stream of changes since this page
	Others   []Place
	Sections []SectionLink

	visit *Visit
	zone  *time.Location
}

// Place is a workspace of the visitor, in the switcher.
type Place struct {
	postgres.Membership

	LogoURL string // empty: it has no logo, or its picture is not ready
}

// SectionLink is a section in the navigation.
type SectionLink struct {
	Section

	Href   string
	Here   bool
	Heads  bool // its group begins with it
	Counts []Count
}

// Thumbs returns the sections in the bar of phones.
func (v *View) Thumbs() []SectionLink {
	return slices.DeleteFunc(slices.Clone(v.Sections), func(s SectionLink) bool { return !s.Thumb })
}

// Can reports whether the visitor has a permission.
func (v *View) Can(permission string) bool {
	return v.visit.Principal.Allows(credential.Permission(permission))
}

// HasPassword reports whether the visitor can sign in with a password.
func (v *View) HasPassword() bool { return v.visit.User.HasPassword() }

// Shortcuts reports whether single keys do something.
func (v *View) Shortcuts() bool { return !v.visit.User.ShortcutsOff }

// Shows reports whether the visitor may open a tab.
func (v *View) Shows(t Tab) bool { return v.visit.shows(t) }

// Lasting reports whether the confirmation of the last action stays until the visitor closes it.
func (v *View) Lasting() bool { return strings.Contains(v.Notice.Text, "\n") }

// InTest reports whether the page is of a test workspace.
func (v *View) InTest() bool { return v.Current.Workspace.IsTest() }

// Page responds with a page.
func (v *Visit) Page(p Page) error {
	view, err := v.view(p)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := v.frame.pages.render(&out, view); err != nil {
		return err
	}
	h := v.Out.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Vary", "Accept-Encoding")
	content := out.Bytes()
	if takesGzip(v.Request) {
		h.Set("Content-Encoding", "gzip")
		content = packed(content)
	}
	v.Out.WriteHeader(cmp.Or(p.Status, http.StatusOK))
	_, _ = v.Out.Write(content) // an error concerns only the client's connection
	return nil
}

func (v *Visit) view(p Page) (*View, error) {
	f := v.frame
	out := &View{
		Page: p, Address: v.Request.URL.RequestURI(), Style: f.assets.path("app.css"), Font: f.assets.path(typeface),
		Touch: f.assets.path("icon-192.png"), Email: string(v.User.Email),
		UserName: v.User.Name, Role: v.Role, visit: v, zone: v.Zone(),
	}
	if p.Part != "" {
		out.Base = v.Path("")
		return out, nil
	}
	out.Notice = v.notice()
	if p.Wide {
		out.Sheets = append(out.Sheets, f.assets.path("sheet.css"))
	}
	for _, name := range p.Styles {
		out.Sheets = append(out.Sheets, f.assets.path(name))
	}
	own := make([]string, len(p.Scripts))
	for i, name := range p.Scripts {
		own[i] = f.assets.path(name)
	}
	if p.Bare {
		out.Sources = own
		return out, nil
	}
	for _, name := range scripts() {
		out.Sources = append(out.Sources, f.assets.path(name))
	}
	out.Sources = append(out.Sources, own...)
	memberships, err := v.places()
	if err != nil {
		return out, err
	}
	for _, m := range memberships {
		if m.Workspace.IsTest() && m.Workspace.ID != v.Workspace.ID && m.Workspace.LiveID != v.Workspace.ID {
			continue // of another workspace
		}
		place := Place{Membership: m}
		if f.cfg.Images != "" { // otherwise the policy forbids them
			if place.LogoURL, err = f.cfg.App.ThumbnailURL(m.Logo); err != nil {
				return out, err
			}
		}
		if m.Workspace.ID == v.Workspace.ID {
			out.Current = place
		} else {
			out.Others = append(out.Others, place)
		}
	}
	out.Base = v.Path("")
	out.Live = out.Base + PathLive + "?after=" + strconv.FormatInt(v.sequence, 10)
	out.Sections = v.Sections()
	return out, nil
}

// Sections returns the entries of the navigation that the visitor may open.
func (v *Visit) Sections() []SectionLink {
	var links []SectionLink
	group := ""
	for _, feature := range v.frame.features {
		s := feature.Section
		if s == nil || s.Needs != "" && !v.Principal.Allows(s.Needs) {
			continue
		}
		link := SectionLink{Section: *s, Href: v.Path(s.Path), Here: v.in(s), Heads: s.Group != group}
		group = s.Group
		if s.Counts != nil {
			link.Counts = s.Counts(v.Attention(), v.Principal)
		}
		links = append(links, link)
	}
	return links
}

// in reports whether the page belongs to a section. Pages of a feature without one belong to that whose path they have.
func (v *Visit) in(s *Section) bool {
	if v.section != nil {
		return s == v.section
	}
	at := strings.TrimPrefix(v.Request.URL.Path, v.Path("")) + "/"
	return strings.HasPrefix(at, s.Path+"/") || s.Also != "" && strings.HasPrefix(at, s.Also+"/")
}

// Tabs returns the further pages of the features that the visitor may open.
func (v *Visit) Tabs() []Tab {
	var tabs []Tab
	for _, feature := range v.frame.features {
		for _, tab := range feature.Tabs {
			if v.shows(tab) {
				tabs = append(tabs, tab)
			}
		}
	}
	return tabs
}

// shows reports whether the visitor may open a tab.
func (v *Visit) shows(t Tab) bool {
	return (t.Needs == "" || v.Principal.Allows(t.Needs)) && (!t.Live || !v.Workspace.IsTest())
}

// pages holds the templates of each page, parsed when a page is first shown: tests show a few of them.
type pages struct {
	byName map[string]func() (*template.Template, error)
}

// parts is the file with the templates that the pages of a feature share.
const parts = "templates/parts.html"

// shared names the files that are not pages.
var shared = map[string]bool{"layout.html": true, "components.html": true, "parts.html": true}

// layouts returns the frame's layouts and components.
var layouts = sync.OnceValues(func() (*template.Template, error) {
	return template.New("frame").Funcs(functions()).ParseFS(files, "templates/layout.html", "templates/components.html")
})

// list finds the pages of the features.
func list(features []Feature) (*pages, error) {
	p := &pages{byName: make(map[string]func() (*template.Template, error))}
	for _, feature := range features {
		if feature.Templates == nil {
			continue
		}
		names, err := fs.Glob(feature.Templates, "templates/*.html")
		if err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		for _, name := range names {
			if shared[path.Base(name)] {
				continue
			}
			own := []string{name}
			if slices.Contains(names, parts) {
				own = []string{parts, name}
			}
			p.byName[feature.Name+"/"+strings.TrimSuffix(path.Base(name), ".html")] = sync.OnceValues(func() (*template.Template, error) {
				return feature.parse(own)
			})
		}
	}
	return p, nil
}

// parse parses files of the feature with the frame's layouts and components.
func (f Feature) parse(names []string) (*template.Template, error) {
	base, err := layouts()
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	own, err := base.Clone()
	if err == nil {
		own, err = own.Funcs(f.Functions).ParseFS(f.Templates, names...)
	}
	if err != nil {
		return nil, fmt.Errorf("frame: %s: %w", f.Name, err)
	}
	return own, nil
}

// Parse parses the templates of every page, so that a program with a fault in one does not start.
func (f *Frame) Parse() error {
	var errs []error
	for _, page := range f.pages.byName {
		_, err := page()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// render renders the whole page before its first byte is sent.
func (p *pages) render(out *bytes.Buffer, v *View) error {
	page, ok := p.byName[v.Name]
	if !ok {
		return fmt.Errorf("frame: there is no page %q", v.Name)
	}
	t, err := page()
	if err != nil {
		return err
	}
	layout := "layout"
	switch {
	case v.Part != "":
		layout = v.Part
	case v.Layout != "":
		layout = v.Layout
	case v.Bare:
		layout = "bare"
	}
	if err := t.ExecuteTemplate(out, layout, v); err != nil {
		return fmt.Errorf("frame: %s: %w", v.Name, err)
	}
	return nil
}

func functions() template.FuncMap {
	return template.FuncMap{
		"initial": initial, "icon": icon, "mark": mark, "glyph": Glyph, "channelmark": channelMark, "args": args, "words": Words, "lower": lower, "tagclass": tagClass,
		"labelsof": labelsOf, "zones": places.ZoneNames,
	}
}

// Plural writes a number with its noun, such as "1 post" or "2 posts".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// args returns the arguments of a component by name.
func args(pairs ...any) (map[string]any, error) {
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("frame: argument %d is not a name", i)
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// Words returns the words of an identifier such as PENDING_APPROVAL: Pending approval.
func Words(identifier any) string {
	text := strings.ToLower(strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(fmt.Sprint(identifier)))
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Actor returns the name of an actor for people; empty for the service itself.
func Actor(a post.Actor) string {
	kind, name, _ := strings.Cut(string(a), " ")
	switch {
	case a == post.ActorService:
		return ""
	case kind == "user" && name != "":
		return name
	case clientlink.Guest(string(a)) != "":
		return clientlink.Guest(string(a)) + " (guest)"
	case kind == "key" && name != "":
		return "API key " + name
	case kind == "program" && name != "":
		return "Program " + name
	default:
		return string(a)
	}
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

// Faults returns the messages of a VALIDATION_FAILED error by field, and whether it is one.
func Faults(err error) (map[string]string, bool) {
	if !apperr.Is(err, apperr.ValidationFailed) {
		return nil, false
	}
	faults := make(map[string]string)
	for _, f := range apperr.FieldsOf(err) {
		name := strings.TrimPrefix(f.Pointer, "/")
		if faults[name] == "" {
			faults[name] = Sentence(f.Message)
		}
	}
	return faults, true
}

// Sentence returns a message as a sentence.
func Sentence(message string) string {
	if message == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(message) // it may be a quotation mark
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(message[size:], ".") + "."
}
