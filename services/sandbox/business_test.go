package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/platform/platformtest"
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
		assert.GreaterOrEqual(c, len(all), least)
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
	return b.list(t, response)[0]["id"].(string)
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
	message, ok := update["business_message"].(map[string]any)
	require.True(t, ok, update)
	chat, ok := message["chat"].(map[string]any)
	require.True(t, ok)
	return strconv.FormatFloat(chat["id"].(float64), 'f', 0, 64)
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
	connection, ok := all[0]["business_connection"].(map[string]any)
	require.True(t, ok)
	account := connection["user"].(map[string]any)["id"]
	require.Equal(t, map[string]any{
		"id": id, "user": connection["user"], "user_chat_id": account, "date": 1772355600.0, "is_enabled": true, "can_reply": true,
		"rights": map[string]any{"can_reply": true, "can_read_messages": true},
	}, connection)
	person := personID(t, all[1])
	number, _ := strconv.ParseFloat(message, 64)
	personNumber, _ := strconv.ParseFloat(person, 64)
	chat := map[string]any{"id": personNumber, "type": "private", "first_name": "anna"}
	require.Equal(t, map[string]any{
		"business_connection_id": id, "message_id": number, "date": 1772355601.0, "text": "How much?", "chat": chat,
		"from": map[string]any{"id": personNumber, "is_bot": false, "first_name": "anna"},
	}, all[1]["business_message"])
	phone := all[2]["business_message"].(map[string]any)
	require.Equal(t, account, phone["from"].(map[string]any)["id"])
	require.Equal(t, "How much?", phone["reply_to_message"].(map[string]any)["text"])
	require.NotContains(t, phone, "sender_business_bot")
	edited := all[3]["edited_business_message"].(map[string]any)
	require.Equal(t, "How much is it?", edited["text"])
	require.InDelta(t, 1772355601, edited["edit_date"], 0)
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
		t.Run(name, func(t *testing.T) {
			response := send("business_connection_id", test.connection, "chat_id", test.chat, "text", test.text,
				"reply_parameters", test.more)
			require.Equal(t, http.StatusBadRequest, response.status)
			require.Equal(t, test.description, response.text(t, "description"))
		})
	}
	answer := []string{"business_connection_id", id, "chat_id", anna, "text", "x"}
	require.Equal(t, http.StatusBadRequest, b.form(t, "/telegram/bot1:sandbox-other/sendMessage", answer...).status,
		"of another bot")
	b.clock.Advance(24*time.Hour - time.Millisecond)
	require.Equal(t, http.StatusOK, send(answer...).status)
	read := func() reply {
		return b.form(t, inboxBot+"readBusinessMessage", "business_connection_id", id, "chat_id", anna, "message_id", message)
	}
	require.Equal(t, true, read().at(t, "result"))
	b.control(t, "/clock", `{"offsetSeconds":1}`)
	require.Contains(t, send(answer...).text(t, "description"), "BUSINESS_PEER_USAGE_MISSING")
	require.Contains(t, read().text(t, "description"), "BUSINESS_PEER_USAGE_MISSING")
	b.says(t, "shop", "anna", "Still there?", "")
	require.Equal(t, http.StatusOK, send(answer...).status, "a message opens the window again")
	require.Equal(t, id, b.connect(t, "shop", `,"enabled":false`))
	require.Contains(t, send(answer...).text(t, "description"), "BUSINESS_CONNECTION_INVALID")
	require.NotEqual(t, id, b.connect(t, "shop", ""), "another connection")
	require.Len(t, b.list(t, b.get(t, "/_sandbox/messages?origin=reply", "")), 2)
	require.Equal(t, http.StatusNotFound, b.form(t, inboxBot+"sendPhoto", answer...).status, "the sandbox has no such reply")
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
	id := func(i int) string { return strconv.FormatFloat(all[i]["update_id"].(float64), 'f', 0, 64) }
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

// webhook sets the address of the bot's updates.
func (b *bundle) webhook(t *testing.T, a *application) {
	t.Helper()
	response := b.form(t, inboxBot+"setWebhook", "url", a.server.URL+"/hook", "secret_token", "s3cret_-")
	require.Equal(t, true, response.at(t, "result"), response.body)
}

func TestUpdatesArePushed(t *testing.T) {
	t.Parallel()

	b := setup(t)
	a := b.application(t)
	a.refuse = func(number int, _ pushed) int {
		if number >= 2 && number <= 4 {
			return http.StatusServiceUnavailable
		}
		return http.StatusNoContent
	}
	b.connect(t, "shop", "")
	b.control(t, "/messages", `{"platform":"telegram","account":"shop","from":"anna","text":"n","times":3}`)
	b.webhook(t, a)
	all := a.wait(t, 7)
	require.Equal(t, []string{"n 1", "n 1", "n 1", "n 1", "n 2", "n 3"}, texts(all), "in order, repeated until accepted")
	for _, r := range all {
		require.Equal(t, "s3cret_-", r.header.Get("X-Telegram-Bot-Api-Secret-Token"))
		require.Equal(t, "application/json", r.header.Get("Content-Type"))
		require.Len(t, r.json, 2)
	}
	var deliveries []stage.Delivery
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.NoError(c, json.Unmarshal([]byte(b.get(t, "/_sandbox/deliveries", "").body), &deliveries))
		assert.Len(c, deliveries, 4)
	}, 5*time.Second, 2*time.Millisecond)
	require.Equal(t, []int{503, 503, 503, 204}, stage.Each(deliveries[1].Tries, func(t stage.Try) int { return t.Status }))
	require.Equal(t, "shop", deliveries[1].Account)
	require.Equal(t, "business_message", deliveries[1].Kind)
	info := b.get(t, inboxBot+"getWebhookInfo", "")
	require.Equal(t, a.server.URL+"/hook", info.text(t, "result", "url"))
	require.Equal(t, "Wrong response from the webhook: 503 Service Unavailable", info.text(t, "result", "last_error_message"))
	require.InDelta(t, 40, info.at(t, "result", "max_connections"), 0)

	b.restart(t)
	b.says(t, "shop", "anna", "after a restart", "")
	require.Contains(t, a.wait(t, 8)[7].body, "after a restart")
	require.Equal(t, "Webhook was deleted", b.get(t, inboxBot+"deleteWebhook", "").text(t, "description"))
	require.Equal(t, "Webhook is already deleted", b.get(t, inboxBot+"deleteWebhook", "").text(t, "description"))
	b.says(t, "shop", "anna", "polled", "")
	require.Len(t, b.updates(t), 1)
	require.InDelta(t, 1, b.get(t, inboxBot+"getWebhookInfo", "").at(t, "result", "pending_update_count"), 0)
	b.form(t, inboxBot+"setWebhook", "url", a.server.URL, "drop_pending_updates", "true")
	b.says(t, "shop", "anna", "last", "")
	require.Contains(t, a.wait(t, 9)[8].body, `"last"`)
}

func TestWebhookSettingsAreRefused(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for name, test := range map[string]struct{ url, secret, description string }{
		"no address":     {"a b", "", "invalid webhook URL specified"},
		"plain":          {"http://example.com/x", "", "bad webhook: An HTTPS URL must be provided for webhook"},
		"port":           {"https://example.com:9000/x", "", "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"},
		"secret":         {"https://example.com/", "a b", "secret token contains unallowed characters"},
		"long secret":    {"https://example.com/", strings.Repeat("a", 257), "secret token is too long"},
		"foreign scheme": {"ftp://localhost/", "", "bad webhook: An HTTPS URL must be provided for webhook"},
	} {
		t.Run(name, func(t *testing.T) {
			response := b.form(t, inboxBot+"setWebhook", "url", test.url, "secret_token", test.secret)
			require.Equal(t, http.StatusBadRequest, response.status)
			require.Equal(t, "Bad Request: "+test.description, response.text(t, "description"))
			require.Empty(t, b.get(t, inboxBot+"getWebhookInfo", "").text(t, "result", "url"))
		})
	}
}

func TestInboundFaults(t *testing.T) {
	t.Parallel()

	const secret = "X-Telegram-Bot-Api-Secret-Token"
	for kind, test := range map[string]struct {
		requests int
		check    func(t *testing.T, b *bundle, all []pushed)
	}{
		"duplicate": {5, func(t *testing.T, _ *bundle, all []pushed) {
			t.Helper()
			require.Equal(t, []string{"n 1", "n 1", "n 1", "n 2", "n 3"}, texts(all))
		}},
		"shuffle": {3, func(t *testing.T, _ *bundle, all []pushed) {
			t.Helper()
			require.NotEqual(t, "n 1", texts(all)[0])
			require.ElementsMatch(t, []string{"n 1", "n 2", "n 3"}, texts(all))
		}},
		"lost_push": {1, func(t *testing.T, b *bundle, all []pushed) {
			t.Helper()
			require.Equal(t, []string{"n 3"}, texts(all))
			b.form(t, inboxBot+"deleteWebhook")
			require.Len(t, b.updates(t), 2, "the others are found by polling")
		}},
		"unsigned": {5, func(t *testing.T, _ *bundle, all []pushed) {
			t.Helper()
			require.Empty(t, all[0].header.Values(secret))
			require.Empty(t, all[1].header.Values(secret))
			require.Equal(t, []string{"n 1", "n 1", "n 1", "n 2", "n 3"}, texts(all))
		}},
		"foreign_secret": {5, func(t *testing.T, _ *bundle, all []pushed) {
			t.Helper()
			require.NotEqual(t, "s3cret_-", all[0].header.Get(secret))
			require.Equal(t, "s3cret_-", all[2].header.Get(secret))
		}},
		"changed_body": {5, func(t *testing.T, _ *bundle, all []pushed) {
			t.Helper()
			require.False(t, json.Valid([]byte(all[0].body)))
			require.Equal(t, []string{"n 1", "n 2", "n 3"}, texts(all))
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			a := b.application(t)
			a.refuse = func(_ int, r pushed) int {
				if r.header.Get(secret) != "s3cret_-" || r.json == nil {
					return http.StatusUnauthorized
				}
				return http.StatusOK
			}
			b.connect(t, "shop", "")
			b.updates(t, "offset", "2000000000")
			fault := `{"platform":"telegram","account":"shop","step":"inbound","kind":"` + kind + `","times":2}`
			require.Equal(t, http.StatusCreated, b.inject(t, fault).status)
			b.control(t, "/messages", `{"platform":"telegram","account":"shop","from":"anna","text":"n","times":3}`)
			b.webhook(t, a)
			test.check(t, b, a.wait(t, test.requests))
			require.Equal(t, "[]\n", b.get(t, "/_sandbox/faults", "").body)
		})
	}
}

func TestPollFaults(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.connect(t, "shop", "")
	b.control(t, "/messages", `{"platform":"telegram","account":"shop","from":"anna","text":"n","times":2}`)
	all := b.updates(t)
	b.inject(t, `{"platform":"telegram","step":"inbound","kind":"shuffle"}`)
	shuffled := b.updates(t)
	slices.Reverse(shuffled)
	require.Equal(t, all, shuffled)
	b.inject(t, `{"platform":"telegram","step":"inbound","kind":"duplicate"}`)
	require.Len(t, b.updates(t, "offset", "2000000000"), 1, "confirmed, and repeated")
	require.Empty(t, b.updates(t, "offset", "2000000000"))
	for body, pointer := range map[string]string{
		`{"step":"inbound","kind":"reject"}`: "/kind", `{"step":"reply","kind":"duplicate"}`: "/kind",
		`{"step":"inbound","kind":"batch","platform":"telegram"}`: "/kind",
	} {
		response := b.inject(t, body)
		require.Equal(t, http.StatusUnprocessableEntity, response.status)
		require.Contains(t, response.body, `"pointer":"`+pointer+`"`)
	}
}

func TestFilesOfPeople(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.connect(t, "shop", "")
	picture, paper := platformtest.Picture(t, 1), platformtest.Document()
	attach := func(name string, content []byte) string {
		encoded, err := json.Marshal(content)
		require.NoError(t, err)
		return `,"file":{"name":"` + name + `","content":` + string(encoded) + `}`
	}
	b.says(t, "shop", "anna", "look", attach("a.jpg", picture.Bytes))
	b.says(t, "shop", "anna", "", attach("b.pdf", paper.Bytes))
	all := b.updates(t)
	message := all[1]["business_message"].(map[string]any)
	require.Equal(t, "look", message["caption"])
	sizes := message["photo"].([]any)
	require.Len(t, sizes, 1)
	id := sizes[0].(map[string]any)["file_id"].(string)
	require.Equal(t, "b.pdf", all[2]["business_message"].(map[string]any)["document"].(map[string]any)["file_name"])
	found := b.form(t, inboxBot+"getFile", "file_id", id)
	require.InDelta(t, len(picture.Bytes), found.at(t, "result", "file_size"), 0)
	path := "/telegram/file/bot77:sandbox-inbox/" + found.text(t, "result", "file_path")
	require.Equal(t, string(picture.Bytes), b.get(t, path, "").body)
	require.Equal(t, http.StatusNotFound, b.get(t, "/telegram/file/bot1:sandbox-other/"+found.text(t, "result", "file_path"),
		"").status)
	require.Contains(t, b.form(t, inboxBot+"getFile", "file_id", "x").text(t, "description"), "invalid file_id")
	b.clock.Advance(time.Hour + time.Second)
	require.Equal(t, http.StatusNotFound, b.get(t, path, "").status, "valid for an hour")
}

func TestPeopleOfControlAPI(t *testing.T) {
	t.Parallel()

	b := setup(t)
	person := b.control(t, "/people", `{"platform":"telegram","person":{"id":"4711","name":"Anna B","username":"annab"}}`)
	require.Equal(t, http.StatusCreated, person.status, person.body)
	b.connect(t, "shop", "")
	b.says(t, "shop", "annab", "Hi", `,"at":"2026-02-28T09:00:00Z"`)
	from := b.updates(t)[1]["business_message"].(map[string]any)["from"]
	require.Equal(t, map[string]any{"id": 4711.0, "is_bot": false, "first_name": "Anna B", "username": "annab"}, from)
	for path, bodies := range map[string]map[string]string{
		"/people": {
			`{"platform":"x","person":{"name":"a"}}`:                      "/platform",
			`{"platform":"telegram","person":{"id":"x","name":"a"}}`:      "/person",
			`{"platform":"telegram","person":{"id":"-1","name":"group"}}`: "/person",
		},
		"/messages": {
			`{"platform":"telegram","account":"shop","from":"annab"}`:                                  "/text",
			`{"platform":"telegram","account":"shop","text":"x"}`:                                      "/from",
			`{"platform":"telegram","from":"annab","text":"x"}`:                                        "/account",
			`{"platform":"telegram","account":"shop","edit":"9","text":"x"}`:                           "/edit",
			`{"platform":"telegram","account":"shop","delete":["9"]}`:                                  "/edit",
			`{"platform":"telegram","account":"shop","from":"a","text":"x","times":10001}`:             "/times",
			`{"platform":"telegram","account":"shop","from":"a","file":{"name":"a","content":"eA=="}}`: "/file",
		},
		"/connections": {
			`{"platform":"x","bot":"a","account":"b"}`:            "/platform",
			`{"platform":"telegram","bot":"plain","account":"b"}`: "/bot",
			`{"platform":"telegram","account":"b"}`:               "/bot",
			`{"platform":"telegram","bot":"inbox","account":""}`:  "/account",
		},
	} {
		for body, pointer := range bodies {
			response := b.control(t, path, body)
			require.Equal(t, http.StatusUnprocessableEntity, response.status, body)
			require.Contains(t, response.body, `"pointer":"`+pointer+`"`, body)
		}
	}
	require.Empty(t, b.list(t, b.get(t, "/_sandbox/messages?platform=telegram&from=unknown", "")))
	require.Equal(t, http.StatusUnprocessableEntity, b.get(t, "/_sandbox/messages?origin=x", "").status)
	require.Equal(t, http.StatusNoContent, b.call(t.Context(), t, http.MethodDelete, "/_sandbox/posts", "", "", "").status)
	require.Empty(t, b.list(t, b.get(t, "/_sandbox/messages", "")))
	require.Empty(t, b.updates(t))
}
