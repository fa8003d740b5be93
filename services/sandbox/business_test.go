package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const inboxBot = "/telegram/bot77:sandbox-inbox/"

// application is an application to which networks push events.
type application struct {
	server *httptest.Server

	mu       sync.Mutex
	requests []pushed
	refuse   func(number int, r pushed) int // status of the response to a request; nil: 200
}

type pushed struct {
	header http.Header
	body   string
	json   map[string]any
}

func (b *bundle) application(t *testing.T) *application {
	t.Helper()
	a := &application{}
	a.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // the handshake of Meta
			_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
			return
		}
		body, _ := io.ReadAll(r.Body)
		got := pushed{header: r.Header, body: string(body)}
		_ = json.Unmarshal(body, &got.json)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.requests = append(a.requests, got)
		if a.refuse != nil {
			w.WriteHeader(a.refuse(len(a.requests), got))
		}
	}))
	t.Cleanup(a.server.Close)
	return a
}

// wait returns the requests when there are at least that many.
func (a *application) wait(t *testing.T, least int) []pushed {
	t.Helper()
	var all []pushed
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		a.mu.Lock()
		defer a.mu.Unlock()
		all = slices.Clone(a.requests)
		require.GreaterOrEqual(c, len(all), least)
	}, 5*time.Second, 2*time.Millisecond)
	return all
}

// texts returns the texts of the new messages in requests.
func texts(requests []pushed) []string {
	var all []string
	for _, r := range requests {
		if message, ok := r.json["business_message"].(map[string]any); ok {
			all = append(all, fmt.Sprint(message["text"]))
		}
	}
	return all
}

// connect connects the bot to an account and returns the connection's id.
func (b *bundle) connect(t *testing.T, account, more string) string {
	t.Helper()
	response := b.control(t, "/connections", `{"platform":"telegram","bot":"inbox","account":"`+account+`"`+more+`}`)
	require.Equal(t, http.StatusCreated, response.status, response.body)
	return response.text(t, "id")
}

// says writes a message as a person and returns its id.
func (b *bundle) says(t *testing.T, account, from, text, more string) string {
	t.Helper()
	response := b.control(t, "/messages",
		`{"platform":"telegram","account":"`+account+`","from":"`+from+`","text":"`+text+`"`+more+`}`)
	require.Equal(t, http.StatusCreated, response.status, response.body)
	return reply{json: b.list(t, response)[0]}.text(t, "id")
}

func (b *bundle) list(t *testing.T, response reply) []map[string]any {
	t.Helper()
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(response.body), &all), response.body)
	return all
}

// updates calls getUpdates.
func (b *bundle) updates(t *testing.T, values ...string) []map[string]any {
	t.Helper()
	response := b.form(t, inboxBot+"getUpdates", values...)
	require.Equal(t, http.StatusOK, response.status, response.body)
	var page struct{ Result []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(response.body), &page))
	return page.Result
}

func personID(t *testing.T, update map[string]any) string {
	t.Helper()
	return numeric(t, update, "business_message", "chat", "id")
}

// within returns a member of an update.
func within(t *testing.T, update map[string]any, path ...string) any {
	t.Helper()
	return reply{json: update}.at(t, path...)
}

// numeric returns a number in an update as a parameter.
func numeric(t *testing.T, update map[string]any, path ...string) string {
	t.Helper()
	number, ok := within(t, update, path...).(float64)
	require.True(t, ok, update)
	return strconv.FormatFloat(number, 'f', 0, 64)
}

func TestBusinessConversation(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, true, b.get(t, inboxBot+"getMe", "").at(t, "result", "can_connect_to_business"))
	require.Equal(t, false, b.get(t, "/telegram/bot1:sandbox-plain1/getMe", "").at(t, "result", "can_connect_to_business"))
	id := b.connect(t, "shop", "")
	b.clock.Advance(time.Second)
	message := b.says(t, "shop", "anna", "How much?", "")
	b.says(t, "shop", "anna", "From the phone", `,"outgoing":true,"replyTo":"`+message+`"`)
	b.control(t, "/messages", `{"platform":"telegram","account":"shop","edit":"`+message+`","text":"How much is it?"}`)
	b.control(t, "/messages", `{"platform":"telegram","account":"shop","delete":["`+message+`"]}`)

	all := b.updates(t)
	require.Len(t, all, 5)
	account := within(t, all[0], "business_connection", "user", "id")
	require.Equal(t, map[string]any{
		"id": id, "user": within(t, all[0], "business_connection", "user"), "user_chat_id": account, "date": 1772355600.0, "is_enabled": true, "can_reply": true,
		"rights": map[string]any{"can_reply": true, "can_read_messages": true},
	}, all[0]["business_connection"])
	person := personID(t, all[1])
	number, _ := strconv.ParseFloat(message, 64)
	personNumber, _ := strconv.ParseFloat(person, 64)
	chat := map[string]any{"id": personNumber, "type": "private", "first_name": "anna"}
	require.Equal(t, map[string]any{
		"business_connection_id": id, "message_id": number, "date": 1772355601.0, "text": "How much?", "chat": chat,
		"from": map[string]any{"id": personNumber, "is_bot": false, "first_name": "anna"},
	}, all[1]["business_message"])
	require.Equal(t, account, within(t, all[2], "business_message", "from", "id"))
	require.Equal(t, "How much?", within(t, all[2], "business_message", "reply_to_message", "text"))
	require.Nil(t, within(t, all[2], "business_message", "sender_business_bot"))
	require.Equal(t, "How much is it?", within(t, all[3], "edited_business_message", "text"))
	require.InDelta(t, 1772355601, within(t, all[3], "edited_business_message", "edit_date"), 0)
	require.Equal(t, map[string]any{"business_connection_id": id, "chat": chat, "message_ids": []any{number}},
		all[4]["deleted_business_messages"])
	for i, update := range all[1:] {
		require.Greater(t, update["update_id"], all[i]["update_id"])
	}

	sent := b.form(t, inboxBot+"sendMessage", "business_connection_id", id, "chat_id", person, "text", " Ten euros ")
	require.Equal(t, http.StatusOK, sent.status, sent.body)
	require.Equal(t, "Ten euros", sent.text(t, "result", "text"))
	require.InDelta(t, 77, sent.at(t, "result", "sender_business_bot", "id"), 0)
	require.Equal(t, account, sent.at(t, "result", "from", "id"))
	replies := b.list(t, b.get(t, "/_sandbox/messages?platform=telegram&account=shop&from=anna&origin=reply&text=Ten+euros", ""))
	require.Len(t, replies, 1)
	require.Empty(t, b.posts(t, ""), "a reply is no post")
	require.Len(t, b.updates(t), 5, "the bot's own messages do not come back")
	b.restart(t)
	require.Len(t, b.list(t, b.get(t, "/_sandbox/messages?origin=reply", "")), 1)
	require.Equal(t, http.StatusOK, b.form(t, inboxBot+"getBusinessConnection", "business_connection_id", id).status)
}

func TestBusinessRepliesAreRefused(t *testing.T) {
	t.Parallel()

	b := setup(t)
	id, silent := b.connect(t, "shop", ""), b.connect(t, "silent", `,"canReply":false`)
	message := b.says(t, "shop", "anna", "Hello", "")
	b.says(t, "silent", "anna", "Hello", "")
	b.says(t, "shop", "ben", "To ben", `,"outgoing":true`)
	anna, ben := personID(t, b.updates(t)[2]), personID(t, b.updates(t)[4])
	send := func(values ...string) reply { return b.form(t, inboxBot+"sendMessage", values...) }
	for name, test := range map[string]struct {
		connection, chat, text, more, description string
	}{
		"unknown connection": {"other", anna, "x", "", "Bad Request: business connection not found"},
		"no number":          {id, "@anna", "x", "", "Bad Request: chat identifier must be a valid Integer"},
		"unknown person":     {id, "5", "x", "", "Bad Request: BUSINESS_PEER_INVALID"},
		"never wrote":        {id, ben, "x", "", "Bad Request: BUSINESS_PEER_INVALID"},
		"no right":           {silent, anna, "x", "", "Bad Request: BOT_ACCESS_FORBIDDEN"},
		"empty":              {id, anna, " ", "", "Bad Request: message text is empty"},
		"unknown original":   {id, anna, "x", `{"message_id":1}`, "Bad Request: message to be replied not found"},
	} {
		response := send("business_connection_id", test.connection, "chat_id", test.chat, "text", test.text,
			"reply_parameters", test.more)
		require.Equal(t, http.StatusBadRequest, response.status, name)
		require.Equal(t, test.description, response.text(t, "description"), name)
	}
	replying := []string{"business_connection_id", id, "chat_id", anna, "text", "x"}
	require.Equal(t, http.StatusBadRequest, b.form(t, "/telegram/bot1:sandbox-other/sendMessage", replying...).status,
		"of another bot")
	b.clock.Advance(24*time.Hour - time.Millisecond)
	require.Equal(t, http.StatusOK, send(replying...).status)
	read := func() reply {
		return b.form(t, inboxBot+"readBusinessMessage", "business_connection_id", id, "chat_id", anna, "message_id", message)
	}
	require.Equal(t, true, read().at(t, "result"))
	b.control(t, "/clock", `{"offsetSeconds":1}`)
	require.Contains(t, send(replying...).text(t, "description"), "BUSINESS_PEER_USAGE_MISSING")
	require.Contains(t, read().text(t, "description"), "BUSINESS_PEER_USAGE_MISSING")
	b.says(t, "shop", "anna", "Still there?", "")
	require.Equal(t, http.StatusOK, send(replying...).status, "a message opens the window again")
	require.Equal(t, id, b.connect(t, "shop", `,"enabled":false`))
	require.Contains(t, send(replying...).text(t, "description"), "BUSINESS_CONNECTION_INVALID")
	require.NotEqual(t, id, b.connect(t, "shop", ""), "another connection")
	require.Len(t, b.list(t, b.get(t, "/_sandbox/messages?origin=reply", "")), 2)
	require.Equal(t, http.StatusNotFound, b.form(t, inboxBot+"sendSticker", replying...).status, "the sandbox has no such reply")
}

func TestReplyFaults(t *testing.T) {
	t.Parallel()

	for kind, test := range map[string]struct{ status, replies int }{
		"reject": {400, 0}, "rate_limit": {429, 0}, "unavailable": {503, 0}, "expired_token": {401, 0},
		"timeout_before": {0, 0}, "timeout_after_accept": {0, 1}, "error_after_accept": {503, 1}, "slow": {200, 1},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			id := b.connect(t, "shop", "")
			b.says(t, "shop", "anna", "Hello", "")
			anna := personID(t, b.updates(t)[1])
			require.Equal(t, http.StatusCreated,
				b.inject(t, `{"platform":"telegram","account":"shop","step":"reply","kind":"`+kind+`","delayMs":20}`).status)
			require.Equal(t, http.StatusOK, b.form(t, telegramBot+"sendMessage", "chat_id", "@acme", "text", "a post").status)
			require.Equal(t, test.status, b.form(t, inboxBot+"sendMessage", "business_connection_id", id, "chat_id", anna,
				"text", "Yes").status)
			require.Len(t, b.list(t, b.get(t, "/_sandbox/messages?origin=reply&text=Yes", "")), test.replies)
		})
	}
}

func TestUpdatesArePolled(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.connect(t, "shop", "")
	b.control(t, "/messages", `{"platform":"telegram","account":"shop","from":"anna","text":"n","times":5}`)
	all := b.updates(t)
	require.Len(t, all, 6)
	require.Equal(t, all, b.updates(t), "what was not confirmed comes again")
	require.Len(t, b.updates(t, "limit", "2"), 2)
	id := func(i int) string { return numeric(t, all[i], "update_id") }
	require.Len(t, b.updates(t, "offset", id(2)), 4)
	require.Len(t, b.updates(t, "offset", "-1"), 1, "from the end")
	last, _ := strconv.ParseInt(id(5), 10, 64)
	require.Empty(t, b.updates(t, "offset", strconv.FormatInt(last+1, 10), "allowed_updates", `["message"]`))
	b.says(t, "shop", "anna", "unwanted", "")
	require.Empty(t, b.updates(t))
	b.updates(t, "allowed_updates", `["business_message"]`)
	b.says(t, "shop", "anna", "wanted", "")
	b.connect(t, "shop", "")
	require.Len(t, b.updates(t), 1)
	b.clock.Advance(24*time.Hour + time.Second)
	require.Empty(t, b.updates(t), "kept for a day")

	b.inject(t, `{"platform":"telegram","account":"inbox","step":"status","kind":"unavailable"}`)
	require.Equal(t, http.StatusServiceUnavailable, b.form(t, inboxBot+"getUpdates").status)

	waiting := make(chan reply)
	poll := func() {
		response, _ := b.try(t.Context(), http.MethodGet, inboxBot+"getUpdates?timeout=50", "", "", "")
		waiting <- response
	}
	go poll()
	go poll()
	conflict := <-waiting
	require.Equal(t, http.StatusConflict, conflict.status)
	require.Equal(t, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
		conflict.text(t, "description"))
	b.says(t, "shop", "anna", "at last", "")
	require.Contains(t, (<-waiting).body, "at last")
	b.updates(t, "offset", "2000000000")
	go poll()
	go poll()
	<-waiting
	require.Equal(t, true, b.form(t, inboxBot+"setWebhook", "url", "http://127.0.0.1:1/").at(t, "result"))
	require.Equal(t, "Conflict: terminated by setWebhook request", (<-waiting).text(t, "description"))
	require.Equal(t, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook "+
		"first", b.form(t, inboxBot+"getUpdates").text(t, "description"))
}
