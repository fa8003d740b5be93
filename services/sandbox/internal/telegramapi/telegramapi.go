// Package telegramapi is the sandbox's Telegram API: the Bot API methods that posts require. It accepts files only as
// uploads.
//
// Every chat exists and every bot may post in it, except for some names: @missing… is not found, @kicked… has removed
// the bot, in @reader… the bot is not an administrator, and the group -777 has become the supergroup -1000000000777.
package telegramapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network   = string(channel.NetworkTelegram)
	textLimit = 4096

	migratedFrom = "-777"
	migratedTo   = -1000000000777
)

// API serves the calls of the Bot API.
type API struct {
	stage *stage.Stage
}

// register adds the calls under /telegram.
func register(mux *http.ServeMux, s *stage.Stage) {
	a := &API{stage: s}
	mux.HandleFunc("/telegram/{bot}/{method}", a.serve)
	mux.HandleFunc("GET /telegram/c/{chat}/{id}",
		func(w http.ResponseWriter, r *http.Request) { toPage(w, r, r.PathValue("id")) })
	mux.HandleFunc("/telegram/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound,
			"Not Found")
	})
}

func toPage(w http.ResponseWriter, r *http.Request, id string) {
	http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: id}), http.StatusFound)
}

// request is a call of an authenticated bot.
type request struct {
	*http.Request

	bot    string
	chat   string
	values map[string]string
	files  []stage.FormFile
	held   stage.Held
}

// serve reads the token and the parameters, as JSON, form or query, and applies faults to the call. An address without
// a bot's token is a public link to a message.
func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	secret, isBot := strings.CutPrefix(r.PathValue("bot"), "bot")
	if !isBot || !strings.Contains(secret, ":") {
		toPage(w, r, r.PathValue("method"))
		return
	}
	values, files, ok := a.read(w, r)
	if !ok {
		return
	}
	bot, ok := token.Bot(secret)
	if !ok {
		dialect{}.Unauthorized(w)
		return
	}
	chat := values["chat_id"]
	step, method := a.method(r.PathValue("method"))
	call := stage.Call{Network: channel.NetworkTelegram, Account: chat, Step: step, Grant: token.Grant{Account: bot}}
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if !ok {
		return
	}
	if method == nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	method(w, request{Request: r, bot: bot, chat: chat, values: values, files: files, held: held})
}

func (a *API) method(name string) (fault.Step, func(http.ResponseWriter, request)) {
	switch strings.ToLower(name) {
	case "sendmessage":
		return fault.StepCommit, a.send
	case "sendrichmessage":
		return fault.StepCommit, a.sendRich
	case "sendphoto":
		return fault.StepCommit, a.sendFile(photo)
	case "sendvideo":
		return fault.StepCommit, a.sendFile(video)
	case "sendanimation":
		return fault.StepCommit, a.sendFile(animation)
	case "senddocument":
		return fault.StepCommit, a.sendFile(document)
	case "sendmediagroup":
		return fault.StepCommit, a.sendAlbum
	case "getme":
		return fault.StepStatus, a.me
	case "getchat":
		return fault.StepStatus, a.chat
	case "getchatmember":
		return fault.StepStatus, a.member
	case "getchatmembercount":
		return fault.StepStatus, a.count
	case "editmessagetext":
		return fault.StepCommit, a.editText
	case "editmessagecaption":
		return fault.StepCommit, a.editCaption
	case "deletemessage":
		return fault.StepCommit, a.remove
	case "deletemessages":
		return fault.StepCommit, a.removeSeveral
	default:
		return fault.StepOther, nil
	}
}

// read returns the parameters and files: of a multipart form, or of another body, which has no files.
func (a *API) read(w http.ResponseWriter, r *http.Request) (map[string]string, []stage.FormFile, bool) {
	if stage.IsMultipart(r) {
		form, err := a.stage.ReadForm(r, fileLimit)
		if err != nil {
			refuse(w, http.StatusBadRequest, "Bad Request: the form is incomplete")
			return nil, nil, false
		}
		return collect(r.URL.Query(), form.Values), form.Files, true
	}
	body, ok := stage.ReadBody(w, r)
	return parameters(r, body), nil, ok
}

// parameters returns the parameters, with numbers as they were written.
func parameters(r *http.Request, body []byte) map[string]string {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		form, _ := url.ParseQuery(string(body))
		return collect(r.URL.Query(), form)
	}
	values := collect(r.URL.Query())
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members)
	for name, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		values[name] = text
	}
	return values
}

func collect(lists ...url.Values) map[string]string {
	values := make(map[string]string)
	for _, list := range lists {
		for name, given := range list {
			values[name] = given[0]
		}
	}
	return values
}

// send publishes a message.
func (a *API) send(w http.ResponseWriter, r request) {
	text := strings.TrimSpace(r.values["text"])
	switch {
	case !a.mayPost(w, r.chat):
		return
	case text == "":
		refuse(w, http.StatusBadRequest, "Bad Request: message text is empty")
		return
	case count.UTF16(text) > textLimit:
		refuse(w, http.StatusBadRequest, "Bad Request: message is too long")
		return
	}
	if post, ok := a.publish(w, r, ledger.Draft{Text: text}); ok {
		sent := describeMessage(post, 0)
		sent["text"] = post.Text
		r.answer(w, sent)
	}
}

// sendRich publishes a rich message of blocks.
func (a *API) sendRich(w http.ResponseWriter, r request) {
	if !a.mayPost(w, r.chat) {
		return
	}
	text, ok := rich(w, r.values["rich_message"])
	if !ok {
		return
	}
	if post, ok := a.publish(w, r, ledger.Draft{Text: text}); ok {
		r.answer(w, describeMessage(post, 0))
	}
}

// rich returns the text of a rich message. If it is invalid, it writes the error response. The sandbox takes paragraphs
// of plain text.
func rich(w http.ResponseWriter, given string) (string, bool) {
	const mostBlocks, longest = 500, 32_768
	var message struct {
		Blocks []struct{ Type, Text string }
	}
	if json.Unmarshal([]byte(given), &message) != nil || len(message.Blocks) == 0 || len(message.Blocks) > mostBlocks {
		refuse(w, http.StatusBadRequest, "Bad Request: can't parse rich message")
		return "", false
	}
	paragraphs := make([]string, len(message.Blocks))
	for i, block := range message.Blocks {
		if paragraphs[i] = block.Text; block.Type != "paragraph" || strings.TrimSpace(block.Text) == "" {
			refuse(w, http.StatusBadRequest, "Bad Request: can't parse rich message block")
			return "", false
		}
	}
	text := strings.Join(paragraphs, "\n\n")
	if count.Characters(strings.Join(paragraphs, "")) > longest {
		refuse(w, http.StatusBadRequest, "Bad Request: message is too long")
		return "", false
	}
	return text, true
}

// publish adds the post to the ledger.
func (a *API) publish(w http.ResponseWriter, r request, draft ledger.Draft) (ledger.Post, bool) {
	draft.Platform, draft.Account, draft.Author = network, r.chat, title(r.chat)
	draft.RequestID, draft.Origin = stage.RequestID(r.Request), "bot:"+r.bot
	post, err := a.stage.Ledger.Publish(draft)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
		return ledger.Post{}, false
	}
	return post, true
}

// describeMessage returns one of the post's messages in Telegram's JSON, without its content.
func describeMessage(post ledger.Post, number int64) map[string]any {
	id, _ := strconv.ParseInt(post.ID, 10, 64)
	return map[string]any{
		"message_id": id + number, "date": post.CreatedAt.Unix(), "chat": describe(post.Account),
		"sender_chat": describe(post.Account),
	}
}

// mayPost reports whether the bot may post in the chat. If not, it writes the error response.
func (a *API) mayPost(w http.ResponseWriter, chat string) bool {
	_, err := strconv.ParseInt(chat, 10, 64)
	name, named := strings.CutPrefix(chat, "@")
	switch {
	case chat == migratedFrom:
		stage.JSON(w, http.StatusBadRequest, map[string]any{
			"ok": false, "error_code": http.StatusBadRequest,
			"description": "Bad Request: group chat was upgraded to a supergroup chat",
			"parameters":  map[string]int64{"migrate_to_chat_id": migratedTo},
		})
		return false
	case err != nil && (!named || name == ""), chat == "0", strings.HasPrefix(name, "missing"):
		refuse(w, http.StatusBadRequest, "Bad Request: chat not found")
		return false
	case strings.HasPrefix(name, "kicked"):
		refuse(w, http.StatusForbidden, "Forbidden: bot was kicked from the channel chat")
		return false
	default:
		return true
	}
}

func (a *API) me(w http.ResponseWriter, r request) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.PathValue("bot"), "bot"), ":")
	number, _ := strconv.ParseInt(id, 10, 64)
	r.answer(w, map[string]any{"id": number, "is_bot": true, "first_name": r.bot, "username": r.bot + "_bot"})
}

func (a *API) chat(w http.ResponseWriter, r request) {
	if a.mayPost(w, r.chat) {
		r.answer(w, describe(r.chat))
	}
}

// member returns a user's status in the chat: administrator, except in @reader… chats.
func (a *API) member(w http.ResponseWriter, r request) {
	user, err := strconv.ParseInt(r.values["user_id"], 10, 64)
	switch {
	case !a.mayPost(w, r.chat):
	case err != nil:
		refuse(w, http.StatusBadRequest, "Bad Request: invalid user_id specified")
	default:
		shown := map[string]any{
			"user": map[string]any{"id": user, "is_bot": true, "first_name": r.bot}, "status": "administrator",
			"can_post_messages": true,
		}
		if strings.HasPrefix(r.chat, "@reader") {
			shown = map[string]any{"user": shown["user"], "status": "member"}
		}
		r.answer(w, shown)
	}
}

func (a *API) count(w http.ResponseWriter, r request) {
	if a.mayPost(w, r.chat) {
		r.answer(w, figures.Of(network, r.chat).Followers(a.stage.Clock.Now()))
	}
}

// answer writes the result unless a fault withholds it.
func (r request) answer(w http.ResponseWriter, result any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"ok": true, "result": result})
	}
}

// describe returns the chat in Telegram's JSON. A chat addressed by name gets a stable number.
func describe(chat string) map[string]any {
	shown := map[string]any{"title": title(chat), "type": "channel"}
	if name, named := strings.CutPrefix(chat, "@"); named {
		shown["username"], shown["id"] = name, numberOf(name)
		return shown
	}
	number, _ := strconv.ParseInt(chat, 10, 64)
	shown["id"] = number
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

// dialect writes Telegram's error responses.
type dialect struct{}

// Rejected writes Telegram's response to text that it cannot parse.
func (dialect) Rejected(w http.ResponseWriter) {
	refuse(w, http.StatusBadRequest, "Bad Request: can't parse entities")
}

// RateLimited writes Telegram's response to too many calls, with the seconds to wait.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	stage.JSON(w, http.StatusTooManyRequests, map[string]any{
		"ok": false, "error_code": http.StatusTooManyRequests,
		"description": fmt.Sprintf("Too Many Requests: retry after %d", seconds),
		"parameters":  map[string]int{"retry_after": seconds},
	})
}

// Unavailable writes Telegram's response when its servers are down.
func (dialect) Unavailable(w http.ResponseWriter) {
	refuse(w, http.StatusServiceUnavailable, "Service Unavailable")
}

// Unauthorized writes Telegram's response to a revoked token.
func (dialect) Unauthorized(w http.ResponseWriter) {
	refuse(w, http.StatusUnauthorized, "Unauthorized")
}

// refuse writes Telegram's error shape.
func refuse(w http.ResponseWriter, status int, description string) {
	stage.JSON(w, status, map[string]any{"ok": false, "error_code": status, "description": description})
}
