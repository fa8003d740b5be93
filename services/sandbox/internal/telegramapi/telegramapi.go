// Package telegramapi is the sandbox's Telegram API: the Bot API methods that posts require. It accepts files only as
// uploads.
//
// Every chat exists and every bot may post in it, except for some names: @missing… is not found, @kicked… has removed
// the bot, in @reader… the bot is not an administrator, and the group -777 has become the supergroup -1000000000777.
package telegramapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network      = string(channel.NetworkTelegram)
	textLimit    = 4096
	migratedFrom = "-777"
	migratedTo   = -1000000000777
	deletableFor = 48 * time.Hour
	deletedMost  = 100 // messages of one call
)

// Network declares Telegram. Its ids are small numbers.
func Network() stage.Network {
	const idTick = 100 * time.Millisecond
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return stage.Network{
		ID:  channel.NetworkTelegram,
		IDs: ledger.IDs{Floor: func(now time.Time) int64 { return int64(now.Sub(first) / idTick) }},
		// A group takes twenty messages a minute. Channels are said to have the same limit.
		Limits: []stage.Limit{
			{Step: fault.StepCommit, Calls: 30, Window: time.Second, Shared: true},
			{Step: fault.StepCommit, Calls: 20, Window: time.Minute},
		},
		Mount: stage.Stateless(register),
	}
}

// api serves the calls of the Bot API.
type api struct{ stage.Service }

// register adds the calls under /telegram.
func register(mux *http.ServeMux, s *stage.Stage) {
	a := &api{stage.Service{Stage: s, Network: channel.NetworkTelegram, Broken: broken(), Words: stage.Words{
		Rejected:     invalid("can't parse entities"),
		Limited:      refuse(http.StatusTooManyRequests, "Too Many Requests: retry after"),
		Unavailable:  refuse(http.StatusServiceUnavailable, "Service Unavailable"),
		Unauthorized: refuse(http.StatusUnauthorized, "Unauthorized"),
		Wait: func(_ stage.Response, seconds int) stage.Response {
			return refuseWith(http.StatusTooManyRequests, fmt.Sprintf("Too Many Requests: retry after %d", seconds),
				"retry_after", seconds)
		},
	}}}
	mux.HandleFunc("/telegram/{bot}/{method}", a.serve)
	s.ToPage(mux, channel.NetworkTelegram, "GET /telegram/c/{chat}/{id}")
	mux.HandleFunc("/telegram/", func(w http.ResponseWriter, _ *http.Request) { unknown().Write(w) })
}

// request is a call of an authenticated bot in a chat, which is its account.
type request struct {
	stage.Request
	stage.Form
}

func (r request) bot() string { return r.Grant.Account }

func (r request) value(name string) string { return r.Request.Values.Get(name) }

// method is a method of the Bot API.
type method struct {
	step  fault.Step
	serve func(request) stage.Response
}

// methods returns the methods by their names, whose case does not matter.
func (a *api) methods() map[string]method {
	const commit, status = fault.StepCommit, fault.StepStatus
	return map[string]method{
		"sendmessage": {commit, a.send}, "sendrichmessage": {commit, a.sendRich}, "sendphoto": {commit, a.sendFile(photo)},
		"sendvideo": {commit, a.sendFile(video)}, "sendanimation": {commit, a.sendFile(animation)},
		"senddocument": {commit, a.sendFile(document)}, "sendmediagroup": {commit, a.sendAlbum},
		"getme": {status, a.me}, "getchat": {status, a.chat}, "getchatmember": {status, a.member},
		"getchatmembercount": {status, a.count}, "editmessagetext": {commit, a.editText},
		"editmessagecaption": {commit, a.editCaption}, "deletemessage": {commit, a.remove},
		"deletemessages": {commit, a.removeSeveral},
	}
}

// serve reads the token and the parameters, as JSON, form or query, and applies faults to the call. An address without
// a bot's token is a public link to a message.
func (a *api) serve(w http.ResponseWriter, r *http.Request) {
	secret, isBot := strings.CutPrefix(r.PathValue("bot"), "bot")
	if !isBot || !strings.Contains(secret, ":") {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("method")}), http.StatusFound)
		return
	}
	call, ok := a.read(w, r)
	if !ok {
		return
	}
	bot, ok := token.Bot(secret)
	if !ok {
		a.Words.Unauthorized.Write(w)
		return
	}
	call.Account, call.Grant = call.value("chat_id"), token.Grant{Account: bot}
	name := strings.ToLower(r.PathValue("method"))
	method := a.methods()[name]
	a.Perform(w, call.Request, cmp.Or(method.step, fault.StepOther), func() stage.Response {
		bad := stage.If(method.serve == nil, unknown())
		if name != "getme" {
			refused := closed(call.Account)
			bad = bad.Or(refused.Broken, refused.Fault)
		}
		if bad.Broken {
			return bad.Fault
		}
		return method.serve(call)
	})
}

// read returns a call with its parameters and files: of a multipart form, or of another body, which has no files. Numbers
// stay as they were written.
func (a *api) read(w http.ResponseWriter, r *http.Request) (request, bool) {
	call := request{Request: stage.Request{Request: r, Values: r.URL.Query()}}
	if stage.IsMultipart(r) {
		var err error
		if call.Form, err = a.Stage.ReadForm(r, fileLimit); err != nil {
			invalid("the form is incomplete").Write(w)
			return request{}, false
		}
		for name, values := range call.Form.Values {
			call.Request.Values[name] = values
		}
		return call, true
	}
	body, ok := stage.ReadBody(w, r)
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		call.Request.Values = stage.Parameters(r, body)
		return call, ok
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members)
	for name, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		call.Request.Values.Set(name, text)
	}
	return call, ok
}

// send publishes a message.
func (a *api) send(r request) stage.Response {
	text := strings.TrimSpace(r.value("text"))
	bad := stage.If(text == "", invalid("message text is empty")).
		Or(count.UTF16(text) > textLimit, invalid("message is too long"))
	if bad.Broken {
		return bad.Fault
	}
	return a.publish(r, ledger.Draft{Text: text}, func(post ledger.Post) any {
		sent := message(post, 0)
		sent["text"] = post.Text
		return sent
	})
}

// sendRich publishes a rich message of blocks.
func (a *api) sendRich(r request) stage.Response {
	text, bad := rich(r.value("rich_message"))
	if bad.Broken {
		return bad.Fault
	}
	return a.publish(r, ledger.Draft{Text: text}, func(post ledger.Post) any { return message(post, 0) })
}

// rich returns the text of a rich message. The sandbox takes paragraphs of plain text.
func rich(given string) (string, stage.Check) {
	const mostBlocks, longest = 500, 32_768
	var message struct {
		Blocks []struct{ Type, Text string }
	}
	err := json.Unmarshal([]byte(given), &message)
	bad := stage.If(err != nil || len(message.Blocks) == 0 || len(message.Blocks) > mostBlocks,
		invalid("can't parse rich message"))
	paragraphs := make([]string, len(message.Blocks))
	for i, block := range message.Blocks {
		paragraphs[i] = block.Text
		bad = bad.Or(block.Type != "paragraph" || strings.TrimSpace(block.Text) == "",
			invalid("can't parse rich message block"))
	}
	return strings.Join(paragraphs, "\n\n"),
		bad.Or(count.Characters(strings.Join(paragraphs, "")) > longest, invalid("message is too long"))
}

// publish adds the post to the ledger, and responds with its messages.
func (a *api) publish(r request, draft ledger.Draft, show func(ledger.Post) any) stage.Response {
	draft.Platform, draft.Account, draft.Author = network, r.Account, title(r.Account)
	draft.RequestID, draft.Origin = stage.RequestID(r.Request.Request), "bot:"+r.bot()
	return a.Publish(draft, func(post ledger.Post) stage.Response { return result(show(post)) })
}

// message returns one of the post's messages in Telegram's JSON, without its content.
func message(post ledger.Post, number int64) stage.Object {
	id, _ := strconv.ParseInt(post.ID, 10, 64)
	return stage.Object{
		"message_id": id + number, "date": post.CreatedAt.Unix(), "chat": describe(post.Account),
		"sender_chat": describe(post.Account),
	}
}

// closed refuses a chat in which the bot may not post.
func closed(chat string) stage.Check {
	_, err := strconv.ParseInt(chat, 10, 64)
	name, named := strings.CutPrefix(chat, "@")
	return stage.If(chat == migratedFrom, refuseWith(http.StatusBadRequest,
		"Bad Request: group chat was upgraded to a supergroup chat", "migrate_to_chat_id", migratedTo)).
		Or(err != nil && (!named || name == "") || chat == "0" || strings.HasPrefix(name, "missing"),
			invalid("chat not found")).
		Or(strings.HasPrefix(name, "kicked"), refuse(http.StatusForbidden, "Forbidden: bot was kicked from the channel chat"))
}

func (*api) me(r request) stage.Response {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.PathValue("bot"), "bot"), ":")
	number, _ := strconv.ParseInt(id, 10, 64)
	return result(stage.Object{"id": number, "is_bot": true, "first_name": r.bot(), "username": r.bot() + "_bot"})
}

func (*api) chat(r request) stage.Response { return result(describe(r.Account)) }

// member returns a user's status in the chat: administrator, except in @reader… chats.
func (*api) member(r request) stage.Response {
	user, err := strconv.ParseInt(r.value("user_id"), 10, 64)
	if err != nil {
		return invalid("invalid user_id specified")
	}
	shown := stage.Object{"user": stage.Object{"id": user, "is_bot": true, "first_name": r.bot()}, "status": "member"}
	if !strings.HasPrefix(r.Account, "@reader") {
		shown["status"], shown["can_post_messages"] = "administrator", true
	}
	return result(shown)
}

func (a *api) count(r request) stage.Response {
	return result(figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()))
}

// describe returns the chat in Telegram's JSON. A chat addressed by name gets a stable number.
func describe(chat string) stage.Object {
	shown := stage.Object{"title": title(chat), "type": "channel"}
	if name, named := strings.CutPrefix(chat, "@"); named {
		shown["username"], shown["id"] = name, numberOf(name)
		return shown
	}
	shown["id"], _ = strconv.ParseInt(chat, 10, 64)
	return shown
}

func numberOf(name string) int64 {
	const supergroups, room = -1000000000000, 1_000_000_000
	sum := int64(0)
	for _, r := range name {
		sum = (sum*31 + int64(r)) % room
	}
	return supergroups - sum
}

func title(chat string) string {
	if name, named := strings.CutPrefix(chat, "@"); named {
		return name
	}
	return "Chat " + strings.TrimPrefix(chat, "-100")
}

// find returns the post that a message belongs to, and the message's number within it. Messages of an album have
// consecutive ids, of which the ledger keeps the first.
func (a *api) find(r request, id string) (post ledger.Post, number int, found bool) {
	wanted, err := strconv.ParseInt(id, 10, 64)
	for number := range albumMost {
		post, ok := a.Post(r.Request, strconv.FormatInt(wanted-int64(number), 10))
		if ok && err == nil && number < max(post.IDs, 1) {
			return post, number, true
		}
	}
	return ledger.Post{}, 0, false
}

// editable returns the message of the call, and its number within its post.
func (a *api) editable(r request) (ledger.Post, int, stage.Check) {
	post, number, found := a.find(r, r.value("message_id"))
	return post, number, stage.If(!found, invalid("message to edit not found")).
		Or(post.Origin != "bot:"+r.bot(), invalid("message can't be edited"))
}

// editText replaces the text of a message without a file.
func (a *api) editText(r request) stage.Response {
	text, given := strings.TrimSpace(r.value("text")), r.value("rich_message")
	post, _, bad := a.editable(r)
	if given != "" && !bad.Broken {
		text, bad = rich(given)
	}
	return a.edit(post, text, "text",
		bad.Or(len(post.Media) > 0, invalid("there is no text in the message to edit")).
			Or(text == "", invalid("message text is empty")).
			Or(given == "" && count.UTF16(text) > textLimit, invalid("MESSAGE_TOO_LONG")))
}

// editCaption replaces the caption of a message with a file. Only the first message of an album has one.
func (a *api) editCaption(r request) stage.Response {
	caption := strings.TrimSpace(r.value("caption"))
	post, number, bad := a.editable(r)
	return a.edit(post, caption, "caption",
		bad.Or(len(post.Media) == 0 || number > 0, invalid("there is no caption in the message to edit")).
			Or(count.UTF16(caption) > captionLimit, invalid("MEDIA_CAPTION_TOO_LONG")))
}

func (a *api) edit(post ledger.Post, text, member string, bad stage.Check) stage.Response {
	bad = bad.Or(text == post.Text, invalid("message is not modified: specified new message content and reply markup are "+
		"exactly the same as a current content and reply markup of the message"))
	if bad.Broken {
		return bad.Fault
	}
	post, ok, err := a.Stage.Ledger.Edit(network, post.ID, text)
	if err != nil || !ok {
		return broken()
	}
	shown := message(post, 0)
	shown["edit_date"], shown[member] = post.EditedAt.Unix(), post.Text
	return result(shown)
}

// remove deletes one message.
func (a *api) remove(r request) stage.Response {
	post, _, found := a.find(r, r.value("message_id"))
	bad := stage.If(!found, invalid("message to delete not found")).
		Or(a.tooOld(post), invalid("message can't be deleted for everyone")).
		Or(post.IDs > 1, invalid("message can't be deleted")) // the ledger has an album as one post
	return a.erase(bad, post)
}

// removeSeveral deletes messages and skips those that are not found. Albums are deleted whole.
func (a *api) removeSeveral(r request) stage.Response {
	var ids []int64
	err := json.Unmarshal([]byte(r.value("message_ids")), &ids)
	bad := stage.If(err != nil || len(ids) == 0 || len(ids) > deletedMost, invalid("message identifiers are not specified"))
	named := make(map[string]int)
	var posts []ledger.Post
	for _, id := range ids {
		post, _, found := a.find(r, strconv.FormatInt(id, 10))
		bad = bad.Or(found && a.tooOld(post), invalid("message can't be deleted for everyone"))
		if named[post.ID]++; found && named[post.ID] == max(post.IDs, 1) {
			posts = append(posts, post)
		}
	}
	return a.erase(bad, posts...)
}

func (a *api) tooOld(post ledger.Post) bool {
	return a.Stage.Clock.Now().Sub(post.CreatedAt) > deletableFor
}

func (a *api) erase(bad stage.Check, posts ...ledger.Post) stage.Response {
	for _, post := range posts {
		if bad.Broken {
			break
		}
		_, err := a.Stage.Ledger.Delete(network, post.ID)
		bad = bad.Or(err != nil, broken())
	}
	if bad.Broken {
		return bad.Fault
	}
	return result(true)
}

func result(value any) stage.Response { return stage.OK(stage.Object{"ok": true, "result": value}) }

func unknown() stage.Response { return refuse(http.StatusNotFound, "Not Found") }

// broken reports that the sandbox's own disk failed.
func broken() stage.Response { return refuse(http.StatusInternalServerError, "Internal Server Error") }

func invalid(description string) stage.Response {
	return refuse(http.StatusBadRequest, "Bad Request: "+description)
}

// refuse is Telegram's error shape.
func refuse(status int, description string) stage.Response {
	return stage.Refuse(status, stage.Object{"ok": false, "error_code": status, "description": description})
}

// refuseWith is an error with a parameter.
func refuseWith(status int, description, parameter string, value int) stage.Response {
	return stage.Refuse(status, stage.Object{
		"ok": false, "error_code": status, "description": description, "parameters": map[string]int{parameter: value},
	})
}
