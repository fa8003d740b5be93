package whatsappapi

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/stage"
)

const (
	window      = 24 * time.Hour  // in which a business may answer in its own words
	pairPause   = 6 * time.Second // between messages to one person, if the sandbox is strict
	longestText = 4096
)

// outgoing is the body of a call that sends a message, or marks one as read.
type outgoing struct {
	Product   string `json:"messaging_product"`
	To        string `json:"to"`        // a phone number
	Recipient string `json:"recipient"` // a business-scoped ID
	Type      string `json:"type"`
	Status    string `json:"status"`
	MessageID string `json:"message_id"`
	Text      struct {
		Body string `json:"body"`
	} `json:"text"`
	Image    attachment   `json:"image"`
	Video    attachment   `json:"video"`
	Document attachment   `json:"document"`
	Template usedTemplate `json:"template"`
	Context  struct {
		MessageID string `json:"message_id"`
	} `json:"context"`
	Opaque string `json:"biz_opaque_callback_data"`
}

type attachment struct {
	ID       string `json:"id"`
	Caption  string `json:"caption"`
	Filename string `json:"filename"`
}

// send sends a message, or marks one as read.
func (a *api) send(r stage.Request) stage.Response {
	var out outgoing
	err := json.Unmarshal(r.Body, &out)
	bad := stage.If(err != nil || out.Product != "whatsapp",
		a.refuse(codeParameter, "The parameter messaging_product is required.", "")).
		Or(!a.registered(r.Account), a.refuse(codeUnregistered, "Account not registered",
			"The account is not registered with the Cloud API."))
	switch {
	case bad.Broken:
		return bad.Fault
	case out.Status != "":
		return a.markRead(r, out)
	}
	m, bad := a.compose(r, out)
	person, known := a.recipient(r.Account, out)
	m.Person = person
	quoted, ok := a.Stage.Chats.Message(network, r.Account, out.Context.MessageID)
	bad = stage.If(out.To == "" && out.Recipient == "", a.refuse(codeParameter, "The parameter to is required.", "")).
		Also(bad).
		Or(out.Context.MessageID != "" && (!ok || quoted.Person.ID != person.ID),
			a.refuse(codeValue, "Parameter value is not valid", "The message of the context does not exist.")).
		Or(!known && out.Recipient != "", a.refuse(codeValue, "Parameter value is not valid", "The recipient does not exist.")).
		Also(a.closed(m, known))
	if bad.Broken {
		return bad.Fault
	}
	return a.accept(r, m, known, cmp.Or(out.Recipient, out.To), out.Recipient != "")
}

// closed refuses a message outside of the window, and too many to one person.
func (a *api) closed(m chats.Message, known bool) stage.Check {
	now := a.Stage.Clock.Now()
	last := a.Stage.Chats.List(chats.Filter{
		Platform: network, Account: m.Account, Person: m.Person.ID, Origin: chats.FromReply,
	})
	fast := known && a.Stage.Strict() && len(last) > 0 && now.Sub(last[len(last)-1].At) < pairPause
	in := a.Stage.Chats.LastIn(network, m.Account, m.Person.ID)
	return stage.If(known && m.Details["template"] == "" && !in.Add(window).After(now),
		a.refuse(codeWindow, "Re-engagement message", "Message failed to send because more than 24 hours have passed since "+
			"the customer last replied to this number.")).
		Or(fast, a.refuse(codePair, "(Business Account, Consumer Account) pair rate limit hit", "Message failed to send because "+
			"there were too many messages sent from this phone number to the same phone number in a short period of time."))
}

// compose returns the message of a call without its person.
func (a *api) compose(r stage.Request, out outgoing) (chats.Message, stage.Check) {
	now := a.Stage.Clock.Now().Truncate(time.Millisecond)
	m := chats.Message{
		Platform: network, Account: r.Account, ID: a.NewID(now), Origin: chats.FromReply, At: now, ReplyTo: out.Context.MessageID,
		Details: map[string]string{"biz_opaque_callback_data": out.Opaque},
	}
	value := func(details string) stage.Response {
		return a.refuse(codeValue, "Parameter value is not valid", details)
	}
	switch kind := cmp.Or(out.Type, "text"); kind {
	case "text":
		m.Text = out.Text.Body
		return m, stage.If(strings.TrimSpace(m.Text) == "", a.refuse(codeMissing, "Required parameter is missing", "text.body")).
			Or(utf8.RuneCountInString(m.Text) > longestText,
				a.refuse(codeParameter, "Param text['body'] must be at most 4096 characters long.", ""))
	case "image", "video", "document":
		file := map[string]attachment{"image": out.Image, "video": out.Video, "document": out.Document}[kind]
		kept, ok := a.records.Get(file.ID)
		m.Text, m.File = file.Caption, &chats.File{
			ID: file.ID, Name: file.Filename, SHA256: kept.SHA256, Size: kept.Size, ContentType: kept.ContentType,
		}
		return m, stage.If(file.ID == "", a.refuse(codeMissing, "Required parameter is missing", kind+".id")).
			Or(!ok || kept.Account != r.Account, value("The media ID does not exist.")).
			Or(kind != "document" && !strings.HasPrefix(kept.ContentType, kind+"/"), value("The file has another type."))
	case "template":
		return m, a.fill(&m, out.Template)
	default:
		return m, stage.Refused(a.refuse(codeType, "Unsupported message type", "The sandbox has no messages of this type."))
	}
}

// recipient returns the person of a message. It returns false if there is none, whom WhatsApp recognizes only later.
func (b *business) recipient(account string, out outgoing) (chats.Person, bool) {
	if out.Recipient == "" {
		id := strings.TrimPrefix(out.To, "+")
		return b.stage.Chats.Person(network, id)
	}
	people := b.stage.Chats.People(network)
	at := slices.IndexFunc(people, func(p chats.Person) bool { return scoped(account, p) == out.Recipient })
	if at < 0 {
		return chats.Person{}, false
	}
	return people[at], true
}

// accept stores a message, and reports its statuses after the response unless a fault says otherwise.
func (a *api) accept(r stage.Request, m chats.Message, known bool, input string, byID bool) stage.Response {
	shown := stage.Object{"input": input}
	if !known {
		m.Person = chats.Person{Platform: network, ID: strings.TrimPrefix(input, "+")}
	}
	if byID {
		shown["user_id"] = input
	} else {
		shown["wa_id"] = m.Person.ID
	}
	if a.Stage.Chats.Add(m) != nil {
		return a.Broken
	}
	fault := a.Stage.Faults.TakeOf(a.Network, r.Account, stage.StepReply, stage.StatusKinds()...)
	statuses := func() {
		switch {
		case fault.Kind == stage.FaultNoStatus:
		case fault.Kind == stage.FaultWindowClosed:
			a.business.Status(m, "failed", codeWindow)
		case !known:
			a.business.Status(m, "failed", codeUndelivered)
		default:
			_ = a.business.Status(m, "sent", 0) && a.business.Status(m, "delivered", 0)
		}
	}
	if fault.Kind == stage.FaultStatusFirst {
		const longest = 2 * time.Second
		statuses()
		a.drained(r, longest)
	} else {
		// The context of a call ends when its response is about to be written.
		context.AfterFunc(r.Context(), func() {
			pause := 10 * time.Millisecond
			if fault.Kind == stage.FaultLateStatus {
				pause = fault.Delay()
			}
			if a.Stage.Wait(context.WithoutCancel(r.Context()), pause) {
				statuses()
			}
		})
	}
	return stage.OK(stage.Object{
		"messaging_product": "whatsapp", "contacts": []any{shown}, "messages": []any{stage.Object{"id": m.ID}},
	})
}

// drained waits until all reports are pushed, at most for the time.
func (a *api) drained(r stage.Request, longest time.Duration) {
	const step = 5 * time.Millisecond
	for range longest / step {
		a.mu.Lock()
		waiting := 0
		for _, queue := range a.queues {
			length, _ := queue.Len()
			waiting += length
		}
		a.mu.Unlock()
		if waiting == 0 || !a.Stage.Wait(r.Context(), step) {
			return
		}
	}
}

// markRead marks a message of a person as read.
func (a *api) markRead(r stage.Request, out outgoing) stage.Response {
	m, ok := a.Stage.Chats.Message(network, r.Account, out.MessageID)
	bad := stage.If(out.Status != "read" || !ok || m.Origin != chats.FromPerson,
		a.refuse(codeValue, "Parameter value is not valid", "The message does not exist."))
	if bad.Broken {
		return bad.Fault
	}
	now := a.Stage.Clock.Now()
	_, err := a.Stage.Chats.Change(m.ID, func(m *chats.Message) { m.ReadAt = &now })
	return a.After(err, success())
}
