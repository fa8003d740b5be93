package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/platform/platformtest"
)

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
		require.NoError(c, json.Unmarshal([]byte(b.get(t, "/_sandbox/deliveries", "").body), &deliveries))
		require.Len(c, deliveries, 4)
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
		response := b.form(t, inboxBot+"setWebhook", "url", test.url, "secret_token", test.secret)
		require.Equal(t, http.StatusBadRequest, response.status, name)
		require.Equal(t, "Bad Request: "+test.description, response.text(t, "description"), name)
		require.Empty(t, b.get(t, inboxBot+"getWebhookInfo", "").text(t, "result", "url"))
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
	require.Equal(t, "look", within(t, all[1], "business_message", "caption"))
	sizes, ok := within(t, all[1], "business_message", "photo").([]any)
	require.True(t, ok)
	require.Len(t, sizes, 1)
	size, ok := sizes[0].(map[string]any)
	require.True(t, ok)
	id := reply{json: size}.text(t, "file_id")
	require.Equal(t, "b.pdf", within(t, all[2], "business_message", "document", "file_name"))
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
	from := within(t, b.updates(t)[1], "business_message", "from")
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

func TestPeopleWriteOnTheirPage(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Contains(t, b.get(t, "/", "").body, `href="/people"`)
	require.Contains(t, b.get(t, "/people", "").body, "No messages yet")
	id := b.connect(t, "shop", "")
	talk := func(values ...string) reply {
		return b.form(t, "/people", append([]string{"platform", "telegram", "account", "shop"}, values...)...)
	}
	first := talk("from", "anna", "text", "<b>Hello</b>")
	require.Equal(t, http.StatusSeeOther, first.status)
	require.Equal(t, "/people#telegram-shop-anna", first.header.Get("Location"))
	update := b.updates(t)[1]
	person := personID(t, update)
	b.form(t, inboxBot+"sendMessage", "business_connection_id", id, "chat_id", person, "text", "An answer")
	talk("from", person, "text", "From the phone", "outgoing", "yes")
	message := numeric(t, update, "business_message", "message_id")
	talk("from", person, "text", "Hello again", "edit", message)
	page := b.get(t, "/people", "")
	for _, text := range []string{"Hello again", "edited", "An answer", "From the phone", "on the phone", "anna"} {
		require.Contains(t, page.body, text)
	}
	require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Equal(t, http.StatusSeeOther, talk("from", person, "delete", message).status)
	page = b.get(t, "/people", "")
	require.NotContains(t, page.body, "Hello again")
	require.Contains(t, page.body, "Deleted")
	refused := talk("from", person, "delete", message)
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.body, "The message was not written")
	talk("from", `"><script>`, "text", "<script>alert(1)</script>")
	require.NotContains(t, b.get(t, "/people", "").body, "<script>")
	require.Len(t, b.updates(t), 6)
}
