package inbox

import (
	"cmp"
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/suggest"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// page is the data of both pages: the list, and the conversation that is open, if any.
type page struct {
	Views    []view
	Query    query
	Channels []channel.Channel // that have an inbox
	Rows     []row
	Next     string // address of the next page; empty: there is none
	First    string // address of the first page; empty: this is it
	Blank    *blank // instead of rows
	Open     *conversation
	Visitor  ident.User
	Address  string // of the page, also after a form that was refused
}

// key is a key of the page, for the list of keys.
type key struct{ Keys, Text string }

// Keys returns the keys of the page.
func (p page) Keys() []key {
	list := []key{{"j", "Next conversation"}, {"k", "Previous conversation"}}
	if p.Open != nil {
		list = append(list, key{"r", "Write an answer"}, key{"e", "Close the conversation"})
	}
	return list
}

// View, Text, Channel, Fault and Suffix are those of the address.
func (p page) View() string    { return p.Query.view }
func (p page) Text() string    { return p.Query.text }
func (p page) Channel() string { return p.Query.channel.String() }
func (p page) Fault() string   { return p.Query.fault }
func (p page) Suffix() string  { return p.Query.suffix(p.Query.here()) }

// view is a view of the list, as a link.
type view struct {
	Text, Href string
	N          int
	Here       bool
}

// row is a conversation in the list.
type row struct {
	postgres.Shown

	Href   string
	Here   bool
	Yours  bool   // the account wrote the last message
	Claims string // who answers now; empty: no other member
	// ClaimLeft is the time for which it is shown, in milliseconds.
	ClaimLeft int64
	Has       string // who has it
	Layout    string // of the time: clock, or day
}

// Person returns what to call the person.
func (r row) Person() string { return called(r.Shown) }

func called(c postgres.Shown) string {
	if c.Erased {
		return "Erased person"
	}
	return person.Call(c.PersonName, c.Username)
}

// Clock reports whether the time is shown without its day.
func (r row) Clock() bool { return r.Layout == "" }

// blank says why there are no rows.
type blank struct{ Icon, Title, Text, Href, Action string }

func (p *pages) list(v *frame.Visit) error {
	found, err := p.page(v)
	if err != nil {
		return err
	}
	return render(v, http.StatusOK, "Inbox", found)
}

// render responds with the list, and the conversation that is open.
func render(v *frame.Visit, status int, title string, of page) error {
	return v.Page(frame.Page{
		Name: "inbox/inbox", Title: title, Status: status, Wide: true, Styles: []string{"inbox.css", "insert.css", "picker.css", suggest.Style},
		Scripts: []string{"inbox.js", "mention.js", "inboxfiles.js"}, Data: of,
	})
}

// page reads the list of the address.
func (p *pages) page(v *frame.Visit) (page, error) {
	ctx := v.Request.Context()
	all, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return page{}, err
	}
	out := page{Visitor: v.Principal.Person.ID}
	for _, c := range all {
		if inbox.Has(c.Type) {
			out.Channels = append(out.Channels, c)
		}
	}
	out.Query = queryOf(v.Request.URL.Query(), out.Channels)
	out.Address = v.Path(path) + out.Suffix()
	waiting, err := p.inbox.Counts(ctx, v.Principal)
	if err != nil {
		return out, err
	}
	out.Views = views(v, out.Query, waiting)
	var found []postgres.Shown
	if out.Query.fault == "" && !out.Query.unknown {
		if found, err = p.inbox.Conversations(ctx, v.Principal, out.Query.filter(v.Principal.Person.ID)); err != nil {
			return out, err
		}
	}
	if len(found) > listed {
		found = found[:listed]
		last := found[listed-1]
		out.Next = v.Path(path) + out.Query.suffix(placeOf(last.LastAt, last.ID))
	}
	if out.Query.here() != "" {
		out.First = v.Path(path) + out.Query.suffix("")
	}
	for _, c := range found {
		out.Rows = append(out.Rows, rowOf(v, c, out.Suffix()))
	}
	if len(found) == 0 {
		out.Blank = blankOf(v, out)
	}
	return out, nil
}

func rowOf(v *frame.Visit, c postgres.Shown, suffix string) row {
	now := v.Now()
	r := row{
		Shown: c, Href: v.Path(path+"/"+c.ID.String()) + suffix, Yours: !c.LastAt.Equal(c.LastInAt), Claims: claimant(v, c),
		ClaimLeft: claimLeft(v, c), Has: c.AssigneeName,
	}
	if c.AssigneeID == v.Principal.Person.ID {
		r.Has = "You"
	}
	const days = 6 // in which a weekday names one
	switch local := c.LastAt.In(now.Location()); {
	case frame.Today(c.LastAt, now):
	case now.Sub(local) < days*24*time.Hour:
		r.Layout = local.Format("Mon")
	case local.Year() == now.Year():
		r.Layout = local.Format("2 Jan")
	default:
		r.Layout = local.Format("2 Jan 2006")
	}
	return r
}

// claimant returns the name of the other member who answers now; empty: no one.
func claimant(v *frame.Visit, c postgres.Shown) string {
	if c.Claimed(v.Principal.Person.ID, v.Now()) == (ident.User{}) {
		return ""
	}
	return cmp.Or(c.ClaimedName, "A member")
}

func claimLeft(v *frame.Visit, c postgres.Shown) int64 {
	return max(0, c.ClaimedUntil.Sub(v.Now()).Milliseconds())
}

// views returns the views with the numbers of their conversations. A search looks in all of them.
func views(v *frame.Visit, q query, n postgres.InboxCounts) []view {
	list := []view{
		{Text: viewOpen, N: n.All},
		{Text: viewMine, N: n.Mine},
		{Text: viewUnassigned, N: n.Unassigned},
		{Text: viewSnoozed, N: n.Snoozed},
		{Text: viewClosed},
	}
	for i, one := range list {
		to := query{view: one.Text, channel: q.channel, kind: q.kind}
		list[i].Text, list[i].Href = frame.Words(one.Text), v.Path(path)+to.suffix("")
		list[i].Here = one.Text == q.view && q.text == ""
	}
	return list
}

// blankOf says why the list is empty.
func blankOf(v *frame.Visit, of page) *blank {
	q := of.Query
	switch {
	case q.fault != "":
		return &blank{Icon: "search", Title: "Nothing to search for", Text: q.fault}
	case q.unknown:
		return &blank{Icon: "radio", Title: "No such channel", Text: "It was disconnected, or you can’t use it."}
	case q.text != "":
		return &blank{Icon: "search", Title: "No conversations found", Text: "Try fewer or other words."}
	case len(of.Channels) == 0:
		b := &blank{
			Icon: "inbox", Title: "Connect a channel with an inbox",
			Text: "Messages and comments of people arrive here. Ask an admin to connect a channel.",
		}
		if v.Principal.Allows(credential.ChannelsConnect) {
			b.Text, b.Action = "Messages and comments of people arrive here.", "Go to channels"
			b.Href = v.Path("/channels")
		}
		return b
	}
	return map[string]*blank{
		viewOpen:       {Icon: "circle-check", Title: "Nothing waits", Text: "New messages appear here at once."},
		viewMine:       {Icon: "user", Title: "Nothing is assigned to you", Text: "Take a conversation with Assign."},
		viewUnassigned: {Icon: "circle-check", Title: "Every conversation has someone", Text: "New conversations start here."},
		viewSnoozed:    {Icon: "clock", Title: "Nothing is snoozed", Text: "Snoozed conversations return at their time, or when the person writes."},
		viewClosed:     {Icon: "archive", Title: "Nothing is closed", Text: "Closed conversations and spam are kept here."},
	}[q.view]
}

// stateWords returns the state of a conversation, unless it is open.
func stateWords(s inbox.State) string {
	if s == inbox.Open {
		return ""
	}
	return frame.Words(s)
}
