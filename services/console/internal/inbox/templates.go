package inbox

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// templatePanel is the part of the page in which a person chooses a template of the network.
type templatePanel struct {
	Fault     string // why there are none, or none was sent
	Find      string
	Language  string
	Languages []string
	List      []templateItem
	More      int             // that the list leaves out
	Chosen    *chosenTemplate // nil: the list is shown
	Close     string          // address of the page without the panel
	Kept      url.Values      // the list of conversations beside it
}

// templatesShown is the number of templates in the list. A search finds the others.
const templatesShown = 20

type templateItem struct {
	inbox.Template

	Href string
}

// chosenTemplate is the form of a template.
type chosenTemplate struct {
	inbox.Template

	ID     ident.Message
	Seen   string
	Values []templateValue
	List   string // address of the list
	Since  bool   // another answer was sent since
	Billed string // as which category, in words
}

// templateValue is the field of a variable.
type templateValue struct {
	inbox.Slot

	Value, Fault string
}

// Of returns the value of a variable; empty: none yet.
func (c chosenTemplate) Of(key string) string {
	for _, v := range c.Values {
		if v.Key == key {
			return v.Value
		}
	}
	return ""
}

// own are the parameters of the panel in the address.
var own = []string{"find", "lang", "name", "language"}

// chooses shows the templates of the conversation's network, or the form of one.
func (p *pages) chooses(v *frame.Visit) error {
	panel, err := p.panel(v, templateDraft(v, v.Query), nil)
	if err != nil {
		return err
	}
	return p.showWith(v, refusal{status: http.StatusOK, form: form{ID: ident.New[ident.Message]()}, templates: panel})
}

// sendsTemplate sends a template. The page keeps its values if that was not possible.
func (p *pages) sendsTemplate(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	d := templateDraft(v, v.Form)
	d.Conversation = id
	err = p.inbox.SendTemplate(v.Request.Context(), v.Principal, d)
	if err == nil {
		v.Redirect(here(v, id))
		return nil
	}
	again := refusal{form: form{ID: ident.New[ident.Message]()}}
	faults, refused := frame.Faults(err)
	switch {
	case refused:
		again.status = http.StatusUnprocessableEntity
	case errors.Is(err, app.ErrReplied):
		again.status, again.since = http.StatusConflict, d.Seen
	case apperr.CodeOf(err) == apperr.InvalidState:
		again.status, again.since = http.StatusConflict, v.Now()
	default:
		return err
	}
	var failed error
	if again.templates, failed = p.panel(v, d, faults); failed != nil {
		return failed
	}
	known, is := errors.AsType[*apperr.Error](err)
	switch {
	case again.templates == nil && is:
		again.form.Fault = known.Message
	case again.templates == nil || refused:
	case again.templates.Chosen != nil && errors.Is(err, app.ErrReplied):
		again.templates.Chosen.Since = true
	case is:
		again.templates.Fault = known.Message
	}
	return p.showWith(v, again)
}

// templateDraft reads a template and its values from a form or from the address.
func templateDraft(v *frame.Visit, of func(string) string) app.TemplateDraft {
	message, err := ident.Parse[ident.Message](of("message"))
	if err != nil {
		message = ident.New[ident.Message]()
	}
	seen, _ := time.Parse(time.RFC3339Nano, of("seen")) // nothing was shown
	d := app.TemplateDraft{
		ID: message, Name: of("name"), Language: of("language"), Values: make(map[string]string), Seen: seen, Anyway: of("anyway") != "",
	}
	for name, values := range v.Fields() {
		if key, is := strings.CutPrefix(name, "value-"); is && len(values) == 1 {
			d.Values[key] = values[0]
		}
	}
	return d
}

// panel returns the list of templates, or the form of the chosen one with its values and their faults; nil if the network has none.
func (p *pages) panel(v *frame.Visit, d app.TemplateDraft, faults map[string]string) (*templatePanel, error) {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return nil, err
	}
	of, err := p.inbox.Conversation(v.Request.Context(), v.Principal, id)
	if err != nil {
		return nil, err
	}
	if !p.inbox.HasTemplates(of) { // the page without the panel
		return nil, nil //nolint:nilnil // there is none
	}
	kept := v.Request.URL.Query()
	for _, name := range append([]string{"older"}, own...) {
		kept.Del(name)
	}
	at := v.Path(path + "/" + id.String())
	panel := &templatePanel{Find: v.Query("find"), Language: v.Query("lang"), Close: address(at, kept), Kept: kept}
	all, err := p.inbox.Templates(v.Request.Context(), v.Principal, of)
	if known, is := errors.AsType[*apperr.Error](err); is && known.Code == apperr.InvalidState {
		panel.Fault = known.Message
		return panel, nil
	}
	if err != nil {
		return nil, err
	}
	chosen := slices.IndexFunc(all, func(t inbox.Template) bool { return t.Name == d.Name && t.Language == d.Language })
	if chosen >= 0 {
		panel.Chosen = chosenOf(all[chosen], of, d, faults)
		panel.Chosen.List = address(at+"/templates", kept)
		return panel, nil
	}
	panel.list(all, at+"/templates")
	return panel, nil
}

func chosenOf(t inbox.Template, of postgres.Shown, d app.TemplateDraft, faults map[string]string) *chosenTemplate {
	c := &chosenTemplate{Template: t, ID: d.ID, Seen: form{Seen: of.LastOutAt}.SeenText(), Billed: frame.Words(t.Category)}
	for _, s := range t.Slots() {
		c.Values = append(c.Values, templateValue{Slot: s, Value: d.Values[s.Key], Fault: faults[s.Key]})
	}
	return c
}

// list sets the templates that the search finds.
func (panel *templatePanel) list(all []inbox.Template, at string) {
	words := strings.Fields(strings.ToLower(panel.Find))
	for _, t := range all {
		if !slices.Contains(panel.Languages, t.Language) {
			panel.Languages = append(panel.Languages, t.Language)
		}
		text := strings.ToLower(t.Name + " " + t.Text())
		if panel.Language != "" && t.Language != panel.Language ||
			slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			continue
		}
		if len(panel.List) == templatesShown {
			panel.More++
			continue
		}
		to := url.Values{"name": {t.Name}, "language": {t.Language}}
		for name, values := range panel.Kept {
			to[name] = values
		}
		panel.List = append(panel.List, templateItem{t, address(at, to)})
	}
	slices.Sort(panel.Languages)
}

func address(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
