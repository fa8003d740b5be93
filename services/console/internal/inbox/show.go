package inbox

import (
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/suggest"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	// shown is the number of messages on the page of a conversation.
	shown = 50
	// others is the number of conversations with the person that the page names.
	others = 10
)

// conversation is the conversation that is open.
type conversation struct {
	postgres.Shown

	Path      string // its address, without the query
	Days      []day
	Older     string // address of the messages before; empty: there are none
	Newest    string // address of the last messages; empty: they are shown
	Window    *window
	Claims    string
	ClaimLeft int64 // milliseconds for which Claims is shown
	Form      form
	Members   []app.Assignee
	Texts     []snippet.Snippet
	Others    []row // with the same person
	Leads     []ofLead
	Replies   bool // the visitor may answer
	Snooze    snoozeForm
	Faulty    string               // why the channel cannot send
	State     string               // in words; empty: open
	Silent    bool                 // the person wants no messages
	Suggested []suggest.Suggestion // the person as a lead
	Approved  bool                 // the network has templates
	Attaches  bool                 // the network takes files
	Templates *templatePanel

	Post       *ofPost // nil: below none of the workspace
	Moderation platform.Moderation
}

// Person returns what to call the person.
func (c conversation) Person() string { return called(c.Shown) }

// Shut reports whether no answer can be sent now.
func (c conversation) Shut() bool { return c.Silent || c.Window != nil && c.Window.Over }

// Mine reports whether the visitor of the form has the conversation.
func (c conversation) Mine() bool { return !c.AssigneeID.IsZero() && c.AssigneeID == c.Form.visitor }

// IsOpen reports whether the conversation can be closed.
func (c conversation) IsOpen() bool {
	return c.Shown.State == inbox.Open || c.Shown.State == inbox.Snoozed
}

// IsSnoozed reports whether the conversation is put off.
func (c conversation) IsSnoozed() bool { return c.Shown.State == inbox.Snoozed }

// Window is the time in which the person can be answered; nil: always.
type window struct {
	Until   time.Time
	Over    bool
	Left    time.Duration
	Of      time.Duration
	Network string
}

// Milliseconds returns the time that is left, for the page's script.
func (w window) Milliseconds() int64 { return w.Left.Milliseconds() }

func windowOf(c postgres.Shown, now time.Time) *window {
	limit := inbox.Window(c.ChannelType)
	if limit == 0 {
		return nil
	}
	until := c.WindowEnds(c.ChannelType)
	return &window{
		Until: until, Over: !now.Before(until), Left: max(0, until.Sub(now)), Of: limit,
		Network: c.ChannelType.Network().Name(),
	}
}

// form is the form of an answer or a note.
type form struct {
	ID      ident.Message
	Seen    time.Time // of the last message of the account that the page shows
	Text    string
	Files   []media.Asset // chosen
	Fault   string
	Since   []line // answers of others since
	Longest int
	visitor ident.User
}

// SeenText returns the time as the form sends it.
func (f form) SeenText() string {
	if f.Seen.IsZero() {
		return ""
	}
	return f.Seen.UTC().Format(time.RFC3339Nano)
}

// snoozeForm is the form of a time to put the conversation off until.
type snoozeForm struct{ Day, Clock, Fault string }

// refusal is the state of the page after a form that was not accepted.
type refusal struct {
	status int
	form   form
	since  time.Time // what was answered after it is shown again
	snooze snoozeForm

	templates *templatePanel // that a person chooses from; nil: it is closed
}

func (p *pages) show(v *frame.Visit) error {
	return p.showWith(v, refusal{status: http.StatusOK, form: form{ID: ident.New[ident.Message]()}})
}

// showWith responds with the page of a conversation.
func (p *pages) showWith(v *frame.Visit, a refusal) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	found, err := p.inbox.Conversation(ctx, v.Principal, id)
	if err != nil {
		return err
	}
	if err := p.inbox.Looked(ctx, v.Principal, found); err != nil {
		return err
	}
	found.Unread = false
	out, err := p.page(v)
	if err != nil {
		return err
	}
	for i := range out.Rows {
		if out.Rows[i].ID == id {
			out.Rows[i].Here, out.Rows[i].Unread = true, false
		}
	}
	open, err := p.conversation(v, found, out.Suffix(), a)
	if err != nil {
		return err
	}
	open.Faulty = unable(out.Channels, found.ChannelID)
	out.Open, out.Address = open, open.Path+out.Suffix()
	return render(v, a.status, open.Person()+" · Inbox", out)
}

// unable returns why a channel cannot send; empty: it can.
func unable(channels []channel.Channel, id ident.Channel) string {
	at := slices.IndexFunc(channels, func(c channel.Channel) bool { return c.ID == id })
	switch {
	case at < 0 || !channels[at].IsConnected:
		return "The channel is disconnected. Connect it again to answer."
	case channels[at].TokenStatus == channel.TokenNeedsReconnect:
		return "The channel must be connected again before it can send."
	default:
		return ""
	}
}

// conversation reads what the page shows of a conversation.
func (p *pages) conversation(v *frame.Visit, of postgres.Shown, suffix string, a refusal) (*conversation, error) {
	ctx := v.Request.Context()
	own := v.Path(path + "/" + of.ID.String())
	c := &conversation{
		Shown: of, Path: own, Window: windowOf(of, v.Now()), Claims: claimant(v, of), ClaimLeft: claimLeft(v, of), Form: a.form, Snooze: a.snooze,
		Replies: v.Principal.Allows(credential.InboxReply), State: stateWords(of.State), Silent: person.Silent(of.OptedOutAt, of.LastInAt),
		Approved: p.inbox.HasTemplates(of), Templates: a.templates, Attaches: len(p.inbox.Takes(of.ChannelType).Kinds) > 0,
	}
	c.Form.Seen, c.Form.Longest, c.Form.visitor = of.LastOutAt, p.inbox.Limit(of.ChannelType).Max, v.Principal.Person.ID
	if !c.Replies {
		c.Form.Longest = inbox.LongestNote
	}
	var before postgres.MessagePlace
	if at, id, found := place(v.Query("older"), ident.Parse[ident.Message]); found {
		before, c.Newest = postgres.MessagePlace{SentAt: at, ID: id}, own+suffix
	}
	talk, err := p.inbox.Talk(ctx, v.Principal, of, before, shown+1)
	if err != nil {
		return c, err
	}
	var from time.Time
	if len(talk.Messages) > shown {
		talk.Messages = talk.Messages[1:]
		from = talk.Messages[0].SentAt
		c.Older = own + joined(suffix, "older="+placeOf(from, talk.Messages[0].ID))
	}
	c.Moderation = p.inbox.Moderation(of)
	if c.Post, err = p.postOf(v, of); err != nil {
		return c, err
	}
	if c.Members, err = p.inbox.Assignees(ctx, v.Principal, of); err != nil {
		return c, err
	}
	names := make([]string, len(c.Members))
	for i, m := range c.Members {
		names[i] = m.Name
	}
	c.Days = days(v, of, own, names, talk, from, before.SentAt)
	if !a.since.IsZero() || a.status == http.StatusConflict {
		c.Form.Since = since(of, own, talk.Messages, a.since)
	}
	return c, p.around(v, c)
}

// around reads what the page shows beside the messages: saved texts, and the person with other conversations and leads.
func (p *pages) around(v *frame.Visit, c *conversation) error {
	ctx := v.Request.Context()
	texts, err := p.app.Snippets(ctx, v.Principal)
	if err != nil {
		return err
	}
	c.Texts = slices.DeleteFunc(texts, func(s snippet.Snippet) bool { return s.Kind != snippet.Text })
	suggested, err := p.agent.Suggestions(ctx, v.Principal, c.PersonID)
	if err != nil {
		return err
	}
	for _, one := range suggested {
		c.Suggested = append(c.Suggested, suggest.Of(v, one, c.ID))
	}
	list, err := p.inbox.Conversations(ctx, v.Principal, postgres.ConversationFilter{Person: c.PersonID, Limit: others})
	if err != nil {
		return err
	}
	for _, other := range list {
		r := rowOf(v, other, "")
		r.Here = other.ID == c.ID
		c.Others = append(c.Others, r)
	}
	c.Leads, err = p.leadsOf(v, c.ID)
	return err
}

// joined adds a parameter to a query.
func joined(suffix, parameter string) string {
	if suffix == "" {
		return "?" + parameter
	}
	return suffix + "&" + parameter
}
