// Package people serves the pages of the people whom a workspace knows, and the settings of its inbox.
package people

import (
	"embed"
	"net/http"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const path = "/people"

type pages struct {
	app    *app.App
	inbox  *app.Inbox
	people *app.People
}

// Feature returns the pages.
func Feature(a *app.App, inbox *app.Inbox, people *app.People) frame.Feature {
	p := &pages{app: a, inbox: inbox, people: people}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const read, reply, manage = credential.InboxRead, credential.InboxReply, credential.InboxManage
	const one = "/w/{workspace}/people/{person}"
	return frame.Feature{
		Name: "people", Templates: templates,
		Routes: []frame.Route{
			route(read, "GET /w/{workspace}/people", p.list),
			route(read, "GET "+one, p.show),
			route(reply, "POST "+one, p.describe),
			route(reply, "POST "+one+"/contact", p.contact),
			route(reply, "POST "+one+"/merge", p.merge),
			route(reply, "POST "+one+"/separate", p.separate),
			route(manage, "POST "+one+"/erase", p.erase),
			route(read, "GET /w/{workspace}"+pathSettings, p.settings),
			route(manage, "POST /w/{workspace}"+pathSettings, p.changeSettings),
			route(read, "POST /w/{workspace}"+pathSettings+"/notices", p.chooseChannels),
		},
	}
}

// listed is the number of people on a page of the list.
const listed = 50

// listPage is the data of the list.
type listPage struct {
	Text, Fault string // of the search
	Rows        []postgres.Listed
	Next, First string // addresses; empty: there is none, and this is it
}

func (p *pages) list(v *frame.Visit) error {
	page := listPage{Text: strings.TrimSpace(v.Query("q"))}
	f := postgres.PeopleFilter{Limit: listed + 1}
	f.Search, page.Fault = searchOf(page.Text)
	if before, err := ident.Parse[ident.Person](v.Query("before")); err == nil {
		f.Before, page.First = before, v.Path(path)+suffix(page.Text, "")
	}
	if page.Fault == "" {
		var err error
		if page.Rows, err = p.people.People(v.Request.Context(), v.Principal, f); err != nil {
			return err
		}
	}
	if len(page.Rows) > listed {
		page.Rows = page.Rows[:listed]
		page.Next = v.Path(path) + suffix(page.Text, page.Rows[listed-1].ID.String())
	}
	return v.Page(frame.Page{Name: "people/list", Title: "People", Wide: true, Styles: []string{"board.css", "leads.css", "people.css"}, Data: page})
}

// searchOf returns the search for a name, a user name or a number; zero for no text.
func searchOf(text string) (s post.Search, fault string) {
	if text == "" {
		return s, ""
	}
	if digits, is := person.Dialed(text); is {
		text = digits
	}
	if s, fault = post.ParseSearch(text); fault != "" {
		fault = frame.Sentence("the search " + fault)
	}
	return s, fault
}

// suffix returns the query of an address of the list.
func suffix(text, before string) string {
	values := make([]string, 0, 2) //nolint:mnd // both
	for _, one := range [][2]string{{"q", text}, {"before", before}} {
		if one[1] != "" {
			values = append(values, one[0]+"="+escaped(one[1]))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + strings.Join(values, "&")
}

// showPage is the data of the page of a person.
type showPage struct {
	person.Person
	app.Relations

	Path    string
	Facts   person.Facts
	Faults  map[string]string
	Talks   []postgres.Shown
	Text    string // to search for others
	Others  []postgres.Listed
	Fault   string // of the search
	Erasing bool   // the form of it was refused
}

func (p *pages) show(v *frame.Visit) error { return p.showWith(v, http.StatusOK, showPage{}) }

// talks is the number of conversations that the page lists.
const talks = 100

func (p *pages) showWith(v *frame.Visit, status int, page showPage) error {
	of, err := p.person(v)
	if err != nil {
		return err
	}
	if !of.MergedInto.IsZero() {
		v.Redirect(v.Path(path + "/" + of.MergedInto.String()))
		return nil
	}
	ctx := v.Request.Context()
	page.Person, page.Path = of, v.Path(path+"/"+of.ID.String())
	if page.Facts == (person.Facts{}) && (page.Faults == nil || page.Erasing) {
		page.Facts = person.Facts{Name: of.Name, Phone: plus(of.Phone), Mail: of.Mail, Note: of.Note}
	}
	if page.Relations, err = p.people.Relations(ctx, v.Principal, of); err != nil {
		return err
	}
	if page.Talks, err = p.inbox.Conversations(ctx, v.Principal, postgres.ConversationFilter{Person: of.ID, Limit: talks}); err != nil {
		return err
	}
	page.Text = strings.TrimSpace(v.Query("q"))
	var search post.Search
	if search, page.Fault = searchOf(page.Text); !search.IsZero() && page.Fault == "" {
		const most = 8
		found, err := p.people.People(ctx, v.Principal, postgres.PeopleFilter{Search: search, Limit: most + 1})
		if err != nil {
			return err
		}
		for _, other := range found {
			if other.ID != of.ID && len(page.Others) < most {
				page.Others = append(page.Others, other)
			}
		}
	}
	return v.Page(frame.Page{Name: "people/show", Title: of.Called(), Status: status, Styles: []string{"people.css"}, Data: page})
}

// person returns the person of the address; NOT_FOUND if the visitor sees no such person.
func (p *pages) person(v *frame.Visit) (person.Person, error) {
	id, err := frame.PathID(v, "person", ident.Parse[ident.Person])
	if err != nil {
		return person.Person{}, err
	}
	return p.people.Person(v.Request.Context(), v.Principal, id)
}

func plus(phone string) string {
	if phone == "" {
		return ""
	}
	return "+" + phone
}
