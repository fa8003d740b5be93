// Package evergreen serves the page of posts that fill free slots again and again.
package evergreen

import (
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/evergreen"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const (
	path = "/evergreen"
	// usualCooldown is the number of days that the form of a new post has.
	usualCooldown = "30"
)

type pages struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	p := &pages{app: a}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const publish = credential.PostsPublish
	return frame.Feature{
		Name: "evergreen", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite},
		Routes: []frame.Route{
			route("", "GET /w/{workspace}/evergreen", p.list),
			route(publish, "POST /w/{workspace}/evergreen", p.add),
			route(publish, "GET /w/{workspace}/evergreen/new", p.blank),
			route(publish, "POST /w/{workspace}/evergreen/{evergreen}", p.change),
			route(publish, "POST /w/{workspace}/evergreen/{evergreen}/remove", p.remove),
			route(publish, "POST /w/{workspace}/queue/{channel}/evergreen", p.rule),
		},
	}
}

// section has the evergreen posts of a channel.
type section struct {
	Channel channel.Channel
	Rule    evergreen.Rule
	PerDay  string // of the rule, as it was sent
	Ahead   string
	Posts   []item
	Slots   bool // the channel has weekly times
	Faults  map[string]string
}

type sections []section

// Channels returns the channels, for the sprite of marks.
func (l sections) Channels() (list []channel.Channel) {
	for _, s := range l {
		list = append(list, s.Channel)
	}
	return list
}

type item struct {
	evergreen.Post

	Words  string
	Days   string // its cooldown, as it was sent
	Faulty string // what is wrong with it
}

// refused is a form that was refused.
type refused struct {
	rule     *evergreen.Rule
	of       ident.Evergreen
	cooldown string
	faults   map[string]string
}

func (p *pages) list(v *frame.Visit) error { return p.page(v, http.StatusOK, refused{}) }

func (p *pages) page(v *frame.Visit, status int, form refused) error {
	ctx := v.Request.Context()
	channels, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	posts, err := p.app.Evergreens(ctx, v.Principal)
	if err != nil {
		return err
	}
	rules, err := p.app.EvergreenRules(ctx, v.Principal)
	if err != nil {
		return err
	}
	var list sections
	for _, c := range channels {
		s, err := p.section(v, c, posts, rules, form)
		if err != nil {
			return err
		}
		if len(s.Posts) > 0 || s.Rule.Active || s.Faults != nil {
			list = append(list, s)
		}
	}
	return v.Page(frame.Page{Name: "evergreen/list", Title: "Evergreen", Status: status, Styles: []string{"sheet.css"}, Data: list})
}

func (p *pages) section(
	v *frame.Visit, c channel.Channel, posts []evergreen.Post, rules map[ident.Channel]evergreen.Rule, form refused,
) (s section, err error) {
	rule, known := rules[c.ID]
	if !known {
		rule = evergreen.NewRule(c.WorkspaceID, c.ID)
	}
	if form.rule != nil && form.rule.ChannelID == c.ID {
		rule, s.Faults = *form.rule, form.faults
	}
	s.Channel, s.Rule = c, rule
	s.PerDay, s.Ahead = strconv.Itoa(rule.PerDay), strconv.Itoa(rule.Ahead)
	for _, of := range posts {
		if of.ChannelID != c.ID {
			continue
		}
		in, err := p.app.EvergreenContent(of)
		if err != nil {
			return s, err
		}
		one := item{Post: of, Words: poststate.Words(post.Post{Title: in.Title, Content: in.Content}), Days: strconv.Itoa(of.Cooldown)}
		if form.of == of.ID {
			one.Days, one.Faulty = form.cooldown, form.faults["cooldown"]
		}
		s.Posts = append(s.Posts, one)
	}
	schedule, err := p.app.ChannelSchedule(v.Request.Context(), v.Principal, c.ID)
	s.Slots = len(schedule.Slots) > 0
	return s, err
}

// newPage is the data of the page that makes a post evergreen.
type newPage struct {
	Post     ident.Post
	Title    string
	Channel  string
	Cooldown string
	Faults   map[string]string
}

func (p *pages) blank(v *frame.Visit) error {
	if v.Query("post") == "" { // the address alone adds nothing
		v.Redirect(v.Path(path))
		return nil
	}
	return p.newPage(v, v.Query("post"), http.StatusOK, newPage{Cooldown: usualCooldown})
}

func (p *pages) newPage(v *frame.Visit, text string, status int, data newPage) error {
	of, err := p.post(v, text)
	if err != nil {
		return err
	}
	c, err := p.app.Channel(v.Request.Context(), v.Principal, of.ChannelID)
	if err != nil {
		return err
	}
	data.Post, data.Title, data.Channel = of.ID, poststate.Words(of), c.Name
	return v.Page(frame.Page{Name: "evergreen/new", Title: "Add to evergreen", Status: status, Data: data})
}

func (p *pages) post(v *frame.Visit, text string) (post.Post, error) {
	id, err := ident.Parse[ident.Post](text)
	if err != nil {
		return post.Post{}, apperr.New(apperr.NotFound, "There is no such post.")
	}
	return p.app.Post(v.Request.Context(), v.Principal, id)
}

func (p *pages) add(v *frame.Visit) error {
	of, err := p.post(v, v.Form("post"))
	if err != nil {
		return err
	}
	err = p.app.AddEvergreen(v.Request.Context(), v.Principal, of.ID, number(v.Form("cooldown")))
	if faults, wrong := frame.Faults(err); wrong {
		return p.newPage(v, of.ID.String(), http.StatusUnprocessableEntity, newPage{Cooldown: v.Form("cooldown"), Faults: faults})
	}
	return done(v, err, "Added. Turn on filling for its channel to use it.")
}

func (p *pages) known(v *frame.Visit) (evergreen.Post, error) {
	id, err := frame.PathID(v, "evergreen", ident.Parse[ident.Evergreen])
	if err != nil {
		return evergreen.Post{}, err
	}
	return p.app.Evergreen(v.Request.Context(), v.Principal, id)
}

func (p *pages) change(v *frame.Visit) error {
	of, err := p.known(v)
	if err != nil {
		return err
	}
	err = p.app.ChangeEvergreen(v.Request.Context(), v.Principal, of.ID, number(v.Form("cooldown")))
	if faults, wrong := frame.Faults(err); wrong {
		return p.page(v, http.StatusUnprocessableEntity, refused{of: of.ID, cooldown: v.Form("cooldown"), faults: faults})
	}
	return done(v, err, "Saved.")
}

func (p *pages) remove(v *frame.Visit) error {
	of, err := p.known(v)
	if err == nil {
		err = p.app.RemoveEvergreen(v.Request.Context(), v.Principal, of.ID)
	}
	return done(v, err, "Removed. Its planned posts stay.")
}

func (p *pages) rule(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	rule := evergreen.Rule{
		ChannelID: id, Active: slices.Contains(v.Fields()["active"], "yes"), PerDay: number(v.Form("perDay")), Ahead: number(v.Form("ahead")),
	}
	err = p.app.SetEvergreenRule(v.Request.Context(), v.Principal, rule)
	if faults, wrong := frame.Faults(err); wrong {
		return p.page(v, http.StatusUnprocessableEntity, refused{rule: &rule, faults: faults})
	}
	return done(v, err, map[bool]string{true: "Saved. Free slots are filled.", false: "Saved. No more slots are filled."}[rule.Active])
}

func done(v *frame.Visit, err error, notice string) error {
	if err != nil {
		return err
	}
	return v.Done(v.Path(path), notice)
}

// number parses a number of a form; zero, which is never right, if it is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
