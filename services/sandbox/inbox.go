package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// inboxOf returns the inbox of a network.
func (a *controlAPI) inboxOf(platform string) (stage.Inbox, channel.Network, stage.Rule[field]) {
	name, _ := a.networkOf(platform)
	network := channel.Network(name)
	inbox, ok := a.stage.Inboxes[network]
	return inbox, network, stage.If(!ok, field{"/platform", "must be a network on which people write to accounts"})
}

type newPerson struct {
	Platform string       `json:"platform"`
	Person   chats.Person `json:"person"`
}

// addPerson adds or changes a person.
func (a *controlAPI) addPerson(r stage.Request, want newPerson) stage.Response {
	inbox, network, bad := a.inboxOf(want.Platform)
	if bad.Broken {
		return invalid(r, "The person is invalid.", faultsOf(bad))
	}
	want.Person.Platform = string(network)
	p, ok := inbox.Person(want.Person)
	if !ok || p.NameOf() == "" {
		return invalid(r, "The person is invalid.", []field{{"/person", "must have a name, and an id as on the network"}})
	}
	if a.stage.Chats.Meet(p) != nil {
		return problem(r, http.StatusInternalServerError, "The person cannot be written.")
	}
	return stage.Created(p)
}

// newMessage is a message to write, or what happens to earlier ones.
type newMessage struct {
	Platform string     `json:"platform"`
	Account  string     `json:"account"`
	From     string     `json:"from"` // the person, also of an outgoing message
	Text     string     `json:"text"`
	At       *time.Time `json:"at"`       // null: now
	Times    int        `json:"times"`    // number of messages, to whose texts their number is added; zero: one
	Outgoing bool       `json:"outgoing"` // the account writes it on its phone
	ReplyTo  string     `json:"replyTo"`
	File     *newFile   `json:"file"`
	Edit     string     `json:"edit"`   // the message that gets the text
	Delete   []string   `json:"delete"` // the messages to delete
}

type newFile struct {
	Name    string `json:"name"`
	Content []byte `json:"content"` // in Base64
}

// write writes, edits or deletes messages as a person does, or the account on its phone.
func (a *controlAPI) write(r stage.Request, want newMessage) stage.Response {
	const most = 10_000
	inbox, network, bad := a.inboxOf(want.Platform)
	named := append(slices.Clone(want.Delete), want.Edit)
	missing := slices.ContainsFunc(slices.DeleteFunc(named, func(id string) bool { return id == "" }), func(id string) bool {
		m, ok := a.stage.Chats.Message(string(network), want.Account, id)
		return !ok || m.Origin == chats.FromReply || m.DeletedAt != nil
	})
	writes := want.Edit == "" && want.Delete == nil
	if faults := faultsOf(bad, stage.If(want.Account == "", field{"/account", "must be the name of an account"}),
		stage.If(missing, field{"/edit", "and /delete must be messages of the account that people can edit"}),
		stage.If(writes && want.From == "", field{"/from", "must be a person"}),
		stage.If(want.Text == "" && want.File == nil && want.Delete == nil, field{"/text", "must not be empty"}),
		stage.If(want.Times < 0 || want.Times > most, field{"/times", fmt.Sprintf("must be from 0 to %d", most)}),
	); faults != nil {
		return invalid(r, "The message is invalid.", faults)
	}
	now := a.stage.Clock.Now().Truncate(time.Millisecond)
	switch {
	case want.Edit != "":
		return a.change(r, inbox, stage.Edited, []string{want.Edit}, func(m *chats.Message) {
			m.Text, m.EditedAt = want.Text, &now
		})
	case want.Delete != nil:
		return a.change(r, inbox, stage.Deleted, want.Delete, func(m *chats.Message) { m.DeletedAt = &now })
	default:
		return a.writeNew(r, inbox, network, want)
	}
}

func (a *controlAPI) change(
	r stage.Request, inbox stage.Inbox, happened stage.Happened, ids []string, change func(*chats.Message),
) stage.Response {
	var changed []chats.Message
	for _, id := range ids {
		m, err := a.stage.Chats.Change(id, change)
		if err != nil {
			return problem(r, http.StatusInternalServerError, "The message cannot be written.")
		}
		changed = append(changed, m)
	}
	if len(changed) > 0 {
		inbox.Report(happened, changed...)
	}
	return stage.Created(changed)
}

func (a *controlAPI) writeNew(
	r stage.Request, inbox stage.Inbox, network channel.Network, want newMessage,
) stage.Response {
	person, known := a.stage.Chats.Person(string(network), want.From)
	if !known {
		if person, known = inbox.Person(chats.Person{Platform: string(network), Name: want.From}); !known {
			return invalid(r, "The message is invalid.", []field{{"/from", "must be a person"}})
		}
		if a.stage.Chats.Meet(person) != nil {
			return problem(r, http.StatusInternalServerError, "The person cannot be written.")
		}
	}
	file, err := a.keep(r, want.File)
	if err != nil {
		return invalid(r, "The message is invalid.", []field{{"/file", "must be a picture, a video or a PDF document"}})
	}
	at := a.stage.Clock.Now()
	if want.At != nil {
		at = want.At.UTC()
	}
	m := chats.Message{
		Platform: string(network), Account: want.Account, Person: person, Origin: chats.FromPerson, Text: want.Text,
		At: at.Truncate(time.Millisecond), ReplyTo: want.ReplyTo, File: file,
	}
	if want.Outgoing {
		m.Origin = chats.FromPhone
	}
	all := make([]chats.Message, max(1, want.Times))
	for i := range all {
		m.ID = inbox.NewID(at)
		if all[i] = m; want.Times > 1 {
			all[i].Text = fmt.Sprintf("%s %d", want.Text, i+1)
		}
		if a.stage.Chats.Add(all[i]) != nil {
			return problem(r, http.StatusInternalServerError, "The message cannot be written.")
		}
	}
	inbox.Report(stage.Written, all...)
	return stage.Created(all)
}

// keep stores the file of a message. The result is nil if there is none.
func (a *controlAPI) keep(r stage.Request, f *newFile) (*chats.File, error) {
	if f == nil {
		return nil, nil //nolint:nilnil // documented
	}
	item, err := a.stage.Media.Put(r.Context(), bytes.NewReader(f.Content), int64(len(f.Content)))
	if err != nil {
		return nil, err
	}
	kept := item.Media("", "")
	return &chats.File{
		ID: rand.Text(), Name: f.Name, SHA256: kept.SHA256, Size: kept.Size, ContentType: kept.ContentType, Type: kept.Type,
		Width: kept.Width, Height: kept.Height,
	}, nil
}

// messages lists messages, oldest first.
func (a *controlAPI) messages(r stage.Request) stage.Response {
	platform, known := a.networkOf(r.Values.Get("platform"))
	origin := chats.Origin(r.Values.Get("origin"))
	if faults := faultsOf(
		stage.If(!known, field{"platform", "must be " + oneOf(a.stage.Networks)}),
		stage.If(origin != "" && !slices.Contains(chats.Origins(), origin), field{"origin", "must be " + oneOf(chats.Origins())}),
	); faults != nil {
		return invalid(r, "The query is invalid.", faults)
	}
	filter := chats.Filter{
		Platform: platform, Account: r.Values.Get("account"), Text: r.Values.Get("text"), Origin: origin,
	}
	if from := r.Values.Get("from"); from != "" {
		person, _ := a.stage.Chats.Person(platform, from)
		filter.Person = person.ID
		if person.ID == "" {
			return stage.OK([]chats.Message{})
		}
	}
	return stage.OK(a.stage.Chats.List(filter))
}

type newConnection struct {
	Platform string `json:"platform"`
	Bot      string `json:"bot"`
	Account  string `json:"account"`
	Enabled  *bool  `json:"enabled"`  // null: true
	CanReply *bool  `json:"canReply"` // null: true
}

// connect connects a bot to an account, or disables or changes its connection, as the owner of the account does.
func (a *controlAPI) connect(r stage.Request, want newConnection) stage.Response {
	inbox, _, bad := a.inboxOf(want.Platform)
	connector, ok := inbox.(stage.Connector)
	if faults := faultsOf(
		bad.Or(!ok, field{"/platform", "must be a network whose accounts connect bots"}),
		stage.If(want.Bot == "", field{"/bot", "must be the name in the token of a bot"}),
		stage.If(want.Account == "", field{"/account", "must be the name of an account"}),
	); faults != nil {
		return invalid(r, "The connection is invalid.", faults)
	}
	isTrue := func(set *bool) bool { return set == nil || *set }
	shown, ok, err := connector.Connect(want.Bot, want.Account, isTrue(want.Enabled), isTrue(want.CanReply))
	switch {
	case err != nil:
		return problem(r, http.StatusInternalServerError, "The connection cannot be written.")
	case !ok:
		return invalid(r, "The connection is invalid.", []field{{"/bot", "must be a bot whose Business Mode is on"}})
	}
	return stage.Created(shown)
}
