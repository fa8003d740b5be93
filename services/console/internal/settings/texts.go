package settings

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/kernel/ident"
)

const pathTexts = "/settings/texts"

// textRoutes returns the routes of the texts that a workspace keeps for its posts.
func (s *settings) textRoutes() []frame.Route {
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const publish = credential.PostsPublish
	return []frame.Route{
		route("", "GET /w/{workspace}/settings/texts", s.texts),
		route(publish, "POST /w/{workspace}/settings/texts", s.addText),
		route(publish, "GET /w/{workspace}/settings/texts/new", s.newText),
		route(publish, "POST /w/{workspace}/settings/texts/links", s.setLinkRule),
		route(publish, "GET /w/{workspace}/settings/texts/{snippet}", s.text),
		route(publish, "POST /w/{workspace}/settings/texts/{snippet}", s.changeText),
		route(publish, "POST /w/{workspace}/settings/texts/{snippet}/delete", s.deleteText),
	}
}

// textKind is a kind of texts in words.
type textKind struct {
	Kind             snippet.Kind
	One, Title, Hint string
	Texts            []snippet.Snippet
}

func textKinds() []textKind {
	return []textKind{
		{Kind: snippet.Text, One: "snippet", Title: "Snippets", Hint: "Words that you write often. {price} is a blank to fill in."},
		{Kind: snippet.Signature, One: "signature", Title: "Signatures", Hint: "The end of a channel’s posts."},
		{Kind: snippet.Hashtags, One: "hashtag group", Title: "Hashtag groups", Hint: "Hashtags that belong together."},
		{Kind: snippet.Mention, One: "mention", Title: "Mentions", Hint: "Each network’s handle of a person or an organization."},
	}
}

func textKindOf(k snippet.Kind) textKind {
	all := textKinds()
	return all[slices.IndexFunc(all, func(one textKind) bool { return one.Kind == k })]
}

// linkForm is the form of the rule of the parameters of links.
type linkForm struct {
	snippet.LinkRule

	Faults map[string]string
}

// Hosts returns the hosts that are left out, one a line.
func (f linkForm) Hosts() string { return strings.Join(f.Except, "\n") }

// textsPage is the data of the page with all texts.
type textsPage struct {
	Kinds []textKind
	Rule  linkForm
}

func (s *settings) texts(v *frame.Visit) error {
	rule, err := s.app.LinkRule(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	return s.textsPage(v, http.StatusOK, linkForm{LinkRule: rule})
}

func (s *settings) textsPage(v *frame.Visit, status int, rule linkForm) error {
	list, err := s.app.Snippets(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	page := textsPage{Kinds: textKinds(), Rule: rule}
	for i := range page.Kinds {
		for _, one := range list {
			if one.Kind == page.Kinds[i].Kind {
				page.Kinds[i].Texts = append(page.Kinds[i].Texts, one)
			}
		}
	}
	return v.Page(frame.Page{
		Name: "settings/texts", Title: "Texts", Status: status, Tabs: Tabs("Texts"), Styles: []string{"texts.css"}, Data: page,
	})
}

// handle is the field of a mention's handle on a network.
type handle struct{ Network, Name, Value, Fault string }

// textPage is the data of the page of a text.
type textPage struct {
	snippet.Snippet

	Of       textKind
	Known    string // its name; empty: it is new
	Handles  []handle
	Channels []channelChoice
	Faults   map[string]string
}

// New reports whether the text does not exist yet.
func (p textPage) New() bool { return p.ID.IsZero() }

func (s *settings) newText(v *frame.Visit) error {
	kind := snippet.Kind(v.Query("kind"))
	if !kind.Known() {
		v.Redirect(v.Path(pathTexts))
		return nil
	}
	return s.textPage(v, http.StatusOK, snippet.Snippet{Kind: kind}, nil)
}

func (s *settings) text(v *frame.Visit) error {
	known, err := s.knownText(v)
	if err != nil {
		return err
	}
	return s.textPage(v, http.StatusOK, known, nil)
}

func (s *settings) knownText(v *frame.Visit) (snippet.Snippet, error) {
	id, err := frame.PathID(v, "snippet", ident.Parse[ident.Snippet])
	if err != nil {
		return snippet.Snippet{}, err
	}
	return s.app.Snippet(v.Request.Context(), v.Principal, id)
}

func (s *settings) textPage(v *frame.Visit, status int, one snippet.Snippet, faults map[string]string) error {
	page := textPage{Snippet: one, Of: textKindOf(one.Kind), Faults: faults}
	title := "New " + page.Of.One
	if !page.New() {
		known, err := s.app.Snippet(v.Request.Context(), v.Principal, one.ID)
		if err != nil {
			return err
		}
		page.Known, title = known.Name, known.Name
	}
	if one.Kind == snippet.Mention {
		for _, n := range publishing() {
			name := string(n)
			page.Handles = append(page.Handles, handle{name, n.Name(), one.Settings.Handles[name], faults["handle."+name]})
		}
	}
	if one.Kind == snippet.Signature {
		all, err := s.channelChoices(v, one.Settings.Channels)
		if err != nil {
			return err
		}
		page.Channels = slices.DeleteFunc(all, func(c channelChoice) bool { return !c.Type.Capabilities().Publish })
	}
	return v.Page(frame.Page{Name: "settings/text", Title: title, Status: status, Styles: []string{"texts.css"}, Data: page})
}

// publishing returns the networks to which posts are published.
func publishing() []channel.Network {
	var list []channel.Network
	for _, t := range channel.Types() {
		if t.Capabilities().Publish && !slices.Contains(list, t.Network()) {
			list = append(list, t.Network())
		}
	}
	return list
}

// sentText returns a text of a form. A channel that is no ID is none of the workspace.
func sentText(v *frame.Visit) snippet.Snippet {
	one := snippet.Snippet{
		Kind: snippet.Kind(v.Form("kind")), Name: v.Form("name"), Text: v.Form("text"),
		Settings: snippet.Settings{Handles: make(map[string]string), Automatic: v.Form("automatic") != ""},
	}
	for _, n := range publishing() {
		one.Settings.Handles[string(n)] = v.Form("handle." + string(n))
	}
	for _, text := range v.Fields()["channel"] {
		id, _ := ident.Parse[ident.Channel](text)
		one.Settings.Channels = append(one.Settings.Channels, id)
	}
	return one
}

func (s *settings) addText(v *frame.Visit) error {
	one := sentText(v)
	err := s.app.AddSnippet(v.Request.Context(), v.Principal, one)
	if faults, ok := frame.Faults(err); ok {
		if !one.Kind.Known() {
			one.Kind = snippet.Text
		}
		return s.textPage(v, http.StatusUnprocessableEntity, one, faults)
	}
	return textDone(v, err, frame.Sentence(textKindOf(one.Kind).One+" added"))
}

func (s *settings) changeText(v *frame.Visit) error {
	known, err := s.knownText(v)
	if err != nil {
		return err
	}
	one := sentText(v)
	one.ID, one.Kind = known.ID, known.Kind
	err = s.app.ChangeSnippet(v.Request.Context(), v.Principal, one)
	if faults, ok := frame.Faults(err); ok {
		return s.textPage(v, http.StatusUnprocessableEntity, one, faults)
	}
	return textDone(v, err, "Saved.")
}

func (s *settings) deleteText(v *frame.Visit) error {
	known, err := s.knownText(v)
	if err == nil {
		err = s.app.DeleteSnippet(v.Request.Context(), v.Principal, known.ID)
	}
	return textDone(v, err, "“"+known.Name+"” deleted.")
}

func (s *settings) setLinkRule(v *frame.Visit) error {
	rule := snippet.LinkRule{
		Source: v.Form("source"), Medium: v.Form("medium"), Campaign: v.Form("campaign"), Except: strings.Fields(v.Form("except")),
		Automatic: v.Form("automatic") != "",
	}
	err := s.app.SetLinkRule(v.Request.Context(), v.Principal, rule)
	if faults, ok := frame.Faults(err); ok {
		return s.textsPage(v, http.StatusUnprocessableEntity, linkForm{rule, faults})
	}
	return textDone(v, err, "Saved.")
}

func textDone(v *frame.Visit, err error, notice string) error {
	if err != nil {
		return err
	}
	return v.Done(v.Path(pathTexts), notice)
}
