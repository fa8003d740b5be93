// Package telegramapi is the sandbox's Telegram API: the Bot API methods that posts, the operator's bot and business accounts
// require. It accepts files only as uploads.
//
// Every chat exists and every bot may post in it, except for some names: @missing… is not found, @kicked… has removed
// the bot, in @reader… the bot is not an administrator, and the group -777 has become the supergroup -1000000000777. Business
// Mode is on in all bots but plain….
package telegramapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
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

// tick is the floor of the ids at a time, which are small numbers.
func tick(now time.Time) int64 {
	const length = 100 * time.Millisecond
	return int64(now.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) / length)
}

// Network declares Telegram.
func Network() stage.Network {
	return stage.Network{
		ID:  channel.NetworkTelegram,
		IDs: ledger.IDs{Floor: tick},
		// A group takes twenty messages a minute. Channels are said to have the same limit.
		Limits: []stage.Limit{
			{Step: stage.StepCommit, Calls: 30, Window: time.Second, Shared: true},
			{Step: stage.StepCommit, Calls: 20, Window: time.Minute},
			{Step: stage.StepReply, Calls: 30, Window: time.Second, Shared: true},
		},
		Mount: mount,
	}
}

// mount opens the settings of bots and the connections of business accounts, and adds the calls.
func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	bots, err := openBots(s, filepath.Join(folder, "telegram-bots"))
	if err != nil {
		return nil, err
	}
	connections, err := mediastore.OpenUploads[connection](filepath.Join(folder, "telegram-connections"), s.Logger)
	if err != nil {
		return nil, errors.Join(err, bots.Close())
	}
	inbox := &business{bots, connections}
	s.Inboxes[channel.NetworkTelegram] = inbox
	register(mux, s, inbox)
	return inbox, nil
}

// api serves the calls of the Bot API.
type api struct {
	stage.Service

	bots     *bots
	business *business
}

// register adds the calls under /telegram. An address without a bot's token is a public link to a message.
func register(mux *http.ServeMux, s *stage.Stage, inbox *business) {
	a := &api{bots: inbox.bots, business: inbox, Service: stage.Service{
		Stage: s, Network: channel.NetworkTelegram, Prefix: "/telegram", Missing: unknown(), Broken: broken(), Forms: true,
		Words: stage.Words{
			Rejected:     invalid("can't parse entities"),
			Limited:      refuse(http.StatusTooManyRequests, "Too Many Requests: retry after"),
			Unavailable:  refuse(http.StatusServiceUnavailable, "Service Unavailable"),
			Unauthorized: refuse(http.StatusUnauthorized, "Unauthorized"),
			Wait: func(_ stage.Response, seconds int) stage.Response {
				return refuseWith(http.StatusTooManyRequests, fmt.Sprintf("Too Many Requests: retry after %d", seconds),
					"retry_after", seconds)
			},
		},
		Token: func(r stage.Request) string { return strings.TrimPrefix(r.PathValue("bot"), "bot") },
		Access: func(text string, _ ...string) (token.Grant, error) {
			bot, ok := token.Bot(text)
			return token.Grant{Account: bot}, stage.If(!ok, token.ErrInvalid).Fault
		},
	}}
	// The account of a call about a business chat is the business account, and that of a call about no chat the bot.
	a.Account = func(r stage.Request) string {
		c, ok := inbox.connections.Get(r.Values.Get("business_connection_id"))
		return stage.If(ok, c.Account).Or(chatless.MatchString(strings.ToLower(r.PathValue("method"))), r.Grant.Account).
			Else(r.Values.Get("chat_id"))
	}
	a.Steps = func(r stage.Request, step stage.Step) []stage.Step {
		return []stage.Step{cmp.Or(a.method(r).step, step)}
	}
	bots := http.NewServeMux()
	a.HandleAt(bots, stage.Route{
		Pattern: "/telegram/{bot}/{method}", Step: stage.StepOther, Files: fileLimit, Serve: a.serve,
	})
	a.Handle(mux, nil)
	s.ToPage(mux, channel.NetworkTelegram, "GET /telegram/c/{chat}/{id}")
	a.HandleAt(mux, stage.Route{
		Pattern: "GET /telegram/file/{bot}/{path...}", Step: stage.StepFile, Serve: a.download,
	})
	mux.HandleFunc("GET /telegram/{bot}", (&starts{bots: inbox.bots}).press)
	pages := http.NewServeMux()
	s.ToPage(pages, channel.NetworkTelegram, "/telegram/{chat}/{id}")
	mux.HandleFunc("/telegram/{bot}/{method}", func(w http.ResponseWriter, r *http.Request) {
		if bot := r.PathValue("bot"); strings.HasPrefix(bot, "bot") && strings.Contains(bot, ":") {
			bots.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// method is a method of the Bot API.
type method struct {
	step  stage.Step
	serve func(stage.Request) stage.Response
}

// method returns the method of a call. The case of its name does not matter.
func (a *api) method(r stage.Request) method {
	const commit, status, reply, other = stage.StepCommit, stage.StepStatus, stage.StepReply, stage.StepOther
	if name := strings.ToLower(r.PathValue("method")); r.Values.Has("business_connection_id") {
		return map[string]method{
			"sendmessage": {reply, a.reply}, "readbusinessmessage": {status, a.markRead},
			"getbusinessconnection": {status, a.showConnection}, "sendphoto": {reply, a.replyFile(photo)},
			"sendvideo": {reply, a.replyFile(video)}, "sendanimation": {reply, a.replyFile(animation)},
			"senddocument": {reply, a.replyFile(document)},
		}[name]
	}
	return map[string]method{
		"sendmessage": {commit, a.send}, "sendrichmessage": {commit, a.sendRich}, "sendpoll": {commit, a.sendPoll}, "sendphoto": {commit, a.sendFile(photo)},
		"sendvideo": {commit, a.sendFile(video)}, "sendanimation": {commit, a.sendFile(animation)},
		"senddocument": {commit, a.sendFile(document)}, "sendmediagroup": {commit, a.sendAlbum},
		"getme": {status, a.me}, "getchat": {status, a.chat}, "getchatmember": {status, a.member},
		"getchatmembercount": {status, a.count}, "editmessagetext": {commit, a.editText},
		"editmessagecaption": {commit, a.editCaption}, "deletemessage": {commit, a.remove}, "getupdates": {status, a.updates},
		"deletemessages": {commit, a.removeSeveral}, "getbusinessconnection": {status, a.showConnection},
		"readbusinessmessage": {status, a.markRead}, "getfile": {status, a.file}, "setwebhook": {other, a.setWebhook},
		"deletewebhook": {other, a.deleteWebhook}, "getwebhookinfo": {status, a.webhookInfo},
	}[strings.ToLower(r.PathValue("method"))]
}

// chatless are the methods that are not about a chat in which the bot is a member.
var chatless = regexp.MustCompile(`^(getme|getupdates|getfile|.*webhook.*|.*business.*)$`)

// serve calls a method.
func (a *api) serve(r stage.Request) stage.Response {
	method := a.method(r)
	bad := stage.If(r.Form.Err != nil, invalid("the form is incomplete")).Or(method.serve == nil, unknown())
	if !r.Values.Has("business_connection_id") && !chatless.MatchString(strings.ToLower(r.PathValue("method"))) {
		bad = bad.Also(closed(r.Account))
	}
	if bad.Broken {
		return bad.Fault
	}
	return method.serve(r)
}

// send publishes a message.
func (a *api) send(r stage.Request) stage.Response {
	text := strings.TrimSpace(r.Values.Get("text"))
	bad := stage.If(text == "", invalid("message text is empty")).
		Or(figures.UTF16(text) > textLimit, invalid("message is too long"))
	return a.publish(r, bad, ledger.Draft{Text: text}, func(post ledger.Post) any {
		sent := message(post, 0)
		sent["text"] = post.Text
		return sent
	})
}

// sendRich publishes a rich message of blocks.
func (a *api) sendRich(r stage.Request) stage.Response {
	text, bad := rich(r.Values.Get("rich_message"))
	return a.publish(r, bad, ledger.Draft{Text: text}, func(post ledger.Post) any { return message(post, 0) })
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
		bad.Or(figures.Characters(strings.Join(paragraphs, "")) > longest, invalid("message is too long"))
}

// publish adds the post to the ledger unless it is refused, and responds with its messages.
func (a *api) publish(r stage.Request, bad stage.Check, draft ledger.Draft, show func(ledger.Post) any) stage.Response {
	if bad.Broken {
		return bad.Fault
	}
	draft.Platform, draft.Account, draft.Author = network, r.Account, title(r.Account)
	draft.RequestID, draft.Origin = stage.RequestID(r.Request), "bot:"+r.Grant.Account
	for _, name := range []string{"disable_notification", "protect_content", "has_spoiler", "link_preview_options"} {
		draft.Detail(name, r.Values.Get(name))
	}
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

func (*api) me(r stage.Request) stage.Response {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.PathValue("bot"), "bot"), ":")
	number, _ := strconv.ParseInt(id, 10, 64)
	name := r.Grant.Account
	return result(stage.Object{
		"id": number, "is_bot": true, "first_name": name, "username": name + "_bot", "can_join_groups": true,
		"can_read_all_group_messages": false, "supports_inline_queries": false, "can_connect_to_business": connectable(name),
	})
}

func (*api) chat(r stage.Request) stage.Response { return result(describe(r.Account)) }

// member returns a user's status in the chat: administrator, except in @reader… chats.
func (*api) member(r stage.Request) stage.Response {
	user, err := strconv.ParseInt(r.Values.Get("user_id"), 10, 64)
	if err != nil {
		return invalid("invalid user_id specified")
	}
	bot := stage.Object{"id": user, "is_bot": true, "first_name": r.Grant.Account}
	shown := stage.Object{"user": bot, "status": "member"}
	if !strings.HasPrefix(r.Account, "@reader") {
		shown["status"], shown["can_post_messages"] = "administrator", true
	}
	return result(shown)
}

func (a *api) count(r stage.Request) stage.Response {
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
