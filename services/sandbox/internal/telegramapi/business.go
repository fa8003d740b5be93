package telegramapi

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
)

// replyWindow is the time after a message of the person in which a bot may answer (Bot API: BusinessBotRights.can_reply).
const replyWindow = 24 * time.Hour

// connection is the connection of a bot to a business account.
type connection struct {
	ID, Bot, Account  string
	Date              int64
	Enabled, MayReply bool
}

// Key returns the key of the record.
func (c connection) Key() string { return c.ID }

// business is the inbox of the accounts that have a business connection.
type business struct {
	*bots
	connections *mediastore.Uploads[connection]
}

// Person completes a person, whose ID is a number.
func (*business) Person(p chats.Person) (chats.Person, bool) {
	p.Platform = network
	if p.ID == "" {
		p.ID = strconv.FormatInt(userID(p.Name), 10)
	}
	id, err := strconv.ParseInt(p.ID, 10, 64)
	return p, err == nil && id > 0
}

// NewID returns the number of a message.
func (b *business) NewID(at time.Time) string { return b.stage.Chats.Next(tick(at)) }

// Report sends updates to the bot of the account.
func (b *business) Report(happened stage.Happened, messages ...chats.Message) {
	for _, c := range b.enabled(messages[0].Account) {
		if happened == stage.Deleted {
			b.report(c.Bot, "deleted_business_messages", c.Account, stage.Object{
				"business_connection_id": c.ID, "chat": chatWith(messages[0].Person),
				"message_ids": stage.Each(messages, func(m chats.Message) int64 { return number(m.ID) }),
			})
			continue
		}
		kind := map[stage.Happened]string{
			stage.Written: "business_message", stage.Edited: "edited_business_message",
		}[happened]
		b.report(c.Bot, kind, c.Account, stage.Each(messages, func(m chats.Message) any { return b.show(c, m) })...)
	}
}

// enabled returns the connections of the account through which a bot takes part: at most one.
func (b *business) enabled(account string) []connection {
	return b.connections.List(func(c connection) bool { return c.Account == account && c.Enabled })
}

// Connect connects a bot to the account, in place of another one, or changes or disables its connection. A connection that was
// disabled gets another ID.
func (b *business) Connect(bot, account string, enabled, mayReply bool) (stage.Object, bool, error) {
	if !connectable(bot) {
		return nil, false, nil
	}
	c := connection{ID: rand.Text(), Bot: bot, Account: account, Date: b.stage.Clock.Now().Unix()}
	for _, old := range b.enabled(account) {
		if old.Bot == bot {
			c = old
			continue
		}
		old.Enabled = false
		if err := b.connections.Keep(old); err != nil {
			return nil, true, err
		}
		b.report(old.Bot, "business_connection", account, old.show())
	}
	c.Enabled, c.MayReply = enabled, mayReply
	if err := b.connections.Keep(c); err != nil {
		return nil, true, err
	}
	b.report(bot, "business_connection", account, c.show())
	return c.show(), true, nil
}

// Clear deletes everything.
func (b *business) Clear() error {
	return errors.Join(b.connections.Clear(), b.bots.Clear())
}

// Close stops the pushes and closes the files.
func (b *business) Close() error { return errors.Join(b.bots.Close(), b.connections.Close()) }

// connectable reports whether Business Mode of the bot is on.
func connectable(bot string) bool { return !strings.HasPrefix(bot, "plain") }

func (c connection) show() stage.Object {
	shown := stage.Object{
		"id": c.ID, "user": user(c.Account), "user_chat_id": userID(c.Account), "date": c.Date, "is_enabled": c.Enabled,
		"can_reply": c.Enabled && c.MayReply,
	}
	if rights := (stage.Object{"can_read_messages": true}); c.Enabled {
		if shown["rights"] = rights; c.MayReply {
			rights["can_reply"] = true
		}
	}
	return shown
}

// show returns a message in Telegram's JSON.
func (b *business) show(c connection, m chats.Message) stage.Object {
	shown := stage.Object{
		"business_connection_id": c.ID, "message_id": number(m.ID), "chat": chatWith(m.Person), "date": m.At.Unix(),
		"from": user(m.Account),
	}
	if m.Origin == chats.FromPerson {
		shown["from"] = stage.Object{"id": number(m.Person.ID), "is_bot": false, "first_name": m.Person.NameOf()}
		withUsername(shown["from"], m.Person)
	}
	if m.Origin == chats.FromReply {
		shown["sender_business_bot"] = stage.Object{
			"id": number(m.Details["bot"]), "is_bot": true, "first_name": c.Bot, "username": c.Bot + "_bot",
		}
	}
	if m.EditedAt != nil {
		shown["edit_date"] = m.EditedAt.Unix()
	}
	if original, ok := b.stage.Chats.Message(network, m.Account, m.ReplyTo); ok {
		original.ReplyTo = ""
		shown["reply_to_message"] = b.show(c, original)
	}
	if m.File == nil {
		shown["text"] = m.Text
		return shown
	}
	if m.Text != "" {
		shown["caption"] = m.Text
	}
	kind, file := fileOf(*m.File)
	shown[string(kind)] = file
	return shown
}

func chatWith(p chats.Person) stage.Object {
	shown := stage.Object{"id": number(p.ID), "type": "private", "first_name": p.NameOf()}
	withUsername(shown, p)
	return shown
}

func withUsername(shown any, p chats.Person) {
	if object, ok := shown.(stage.Object); ok && p.Username != "" {
		object["username"] = p.Username
	}
}

// user returns a business account in Telegram's JSON.
func user(account string) stage.Object {
	return stage.Object{
		"id": userID(account), "is_bot": false, "first_name": account, "username": account, "is_premium": true,
	}
}

// userID returns the stable number of a person or an account.
func userID(name string) int64 {
	const floor, supergroups = 1_000_000_000, -1_000_000_000_000
	return floor + supergroups - numberOf(name)
}

func number(text string) int64 {
	id, _ := strconv.ParseInt(text, 10, 64)
	return id
}

// connection returns the connection of the call's bot that the call names.
func (a *api) connection(r stage.Request) (connection, stage.Check) {
	c, ok := a.business.connections.Get(r.Values.Get("business_connection_id"))
	return c, stage.If(!ok || c.Bot != r.Grant.Account, invalid("business connection not found"))
}

func (a *api) showConnection(r stage.Request) stage.Response {
	c, bad := a.connection(r)
	return bad.Else(result(c.show()))
}

// chatOf returns the connection and the person of a call about a chat of a business account.
func (a *api) chatOf(r stage.Request) (connection, chats.Person, stage.Check) {
	c, bad := a.connection(r)
	_, err := strconv.ParseInt(r.Values.Get("chat_id"), 10, 64)
	bad = stage.If(err != nil, invalid("chat identifier must be a valid Integer")).Also(bad).
		Or(!c.Enabled, invalid("BUSINESS_CONNECTION_INVALID"))
	person, known := a.Stage.Chats.Person(network, r.Values.Get("chat_id"))
	in := a.Stage.Chats.LastIn(network, c.Account, person.ID)
	return c, person, bad.Or(!known || in.IsZero(), invalid("BUSINESS_PEER_INVALID")).
		Or(!in.Add(replyWindow).After(a.Stage.Clock.Now()), invalid("BUSINESS_PEER_USAGE_MISSING"))
}

// reply sends a message of a business account to a person.
func (a *api) reply(r stage.Request) stage.Response {
	text := strings.TrimSpace(r.Values.Get("text"))
	return a.sendTo(r, stage.If(text == "", invalid("message text is empty")).
		Or(figures.UTF16(text) > textLimit, invalid("message is too long")), text, nil)
}

// replyFile sends a file of a business account to a person.
func (a *api) replyFile(as kind) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		in, file, bad := a.only(r, as)
		kept := in.keep(file)
		return a.sendTo(r, bad, in.caption(), &chats.File{
			ID: kept.ID, Name: file.Name, SHA256: kept.SHA256, Size: kept.Size, ContentType: kept.ContentType, Type: kept.Type,
			Width: kept.Width, Height: kept.Height,
		})
	}
}

// sendTo sends a message with a text, a file, or both to a person, unless it is refused.
func (a *api) sendTo(r stage.Request, bad stage.Check, text string, file *chats.File) stage.Response {
	c, person, refused := a.chatOf(r)
	var parameters struct {
		MessageID int64 `json:"message_id"`
	}
	_ = json.Unmarshal([]byte(r.Values.Get("reply_parameters")), &parameters) // absent: no quote
	now, replyTo := a.Stage.Clock.Now().Truncate(time.Millisecond), ""
	if parameters.MessageID != 0 {
		replyTo = strconv.FormatInt(parameters.MessageID, 10)
		original, ok := a.Stage.Chats.Message(network, c.Account, replyTo)
		refused = refused.Or(!ok || original.Person.ID != person.ID || original.DeletedAt != nil,
			invalid("message to be replied not found"))
	}
	if bad = bad.Also(refused).Or(!c.MayReply, invalid("BOT_ACCESS_FORBIDDEN")); bad.Broken {
		return bad.Fault
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(r.PathValue("bot"), "bot"), ":")
	m := chats.Message{
		Platform: network, Account: c.Account, ID: a.business.NewID(now), Person: person, Origin: chats.FromReply, Text: text,
		At: now, ReplyTo: replyTo, Details: map[string]string{"bot": id}, File: file,
	}
	if a.Stage.Chats.Add(m) != nil {
		return broken()
	}
	return result(a.business.show(c, m))
}

// markRead marks the messages of a person up to one as read.
func (a *api) markRead(r stage.Request) stage.Response {
	c, person, bad := a.chatOf(r)
	m, ok := a.Stage.Chats.Message(network, c.Account, r.Values.Get("message_id"))
	bad = bad.Or(!ok || m.Person.ID != person.ID || m.Origin != chats.FromPerson, invalid("MESSAGE_ID_INVALID"))
	if bad.Broken {
		return bad.Fault
	}
	now := a.Stage.Clock.Now()
	_, err := a.Stage.Chats.Change(m.ID, func(m *chats.Message) { m.ReadAt = &now })
	return a.After(err, result(true))
}
