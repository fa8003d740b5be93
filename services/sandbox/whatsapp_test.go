package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

const (
	onWhatsApp    = "/whatsapp/v26.0/"
	whatsappToken = "sandbox-whatsapp-shop"
)

// number is a business with an application that gets its reports.
type number struct {
	*bundle

	app         *application
	waba, phone string
}

// connected connects an application to the business shop.
func connected(t *testing.T) number {
	t.Helper()
	n := number{bundle: setup(t)}
	n.app = n.application(t)
	n.waba = targets(t, n.bundle)
	n.phone = n.phones(t)[0]
	callback := n.form(t, onWhatsApp+"app1/subscriptions", "access_token", "app1|app-secret", "object",
		"whatsapp_business_account", "callback_url", n.app.server.URL+"/meta", "verify_token", "verify-me", "fields", "messages")
	require.Equal(t, http.StatusOK, callback.status, callback.body)
	require.Equal(t, http.StatusOK, n.post(t, n.waba+"/subscribed_apps", `{}`).status)
	return n
}

// targets returns the business account of the token.
func targets(t *testing.T, b *bundle) string {
	t.Helper()
	debug := b.get(t, "/whatsapp/v26.0/debug_token?access_token=app1%7Cs&input_token="+whatsappToken, "")
	scopes, ok := debug.at(t, "data", "granular_scopes").([]any)
	require.True(t, ok, debug.body)
	scope, ok := scopes[0].(map[string]any)
	require.True(t, ok)
	ids, ok := scope["target_ids"].([]any)
	require.True(t, ok)
	return fmt.Sprint(ids[0])
}

func (n number) phones(t *testing.T) []string {
	t.Helper()
	response := n.get(t, onWhatsApp+n.waba+"/phone_numbers?fields=display_phone_number,status", whatsappToken)
	require.Equal(t, http.StatusOK, response.status, response.body)
	var list struct{ Data []struct{ ID, Status string } }
	require.NoError(t, json.Unmarshal([]byte(response.body), &list))
	require.Equal(t, "CONNECTED", list.Data[0].Status)
	require.Equal(t, "PENDING", list.Data[1].Status)
	return []string{list.Data[0].ID, list.Data[1].ID}
}

func (n number) post(t *testing.T, path, body string) reply {
	t.Helper()
	return n.call(t.Context(), t, http.MethodPost, onWhatsApp+path, whatsappToken, "application/json", body)
}

// text sends a text message; more are further members.
func (n number) text(t *testing.T, to, text, more string) reply {
	t.Helper()
	return n.post(t, n.phone+"/messages",
		`{"messaging_product":"whatsapp","type":"text","text":{"body":"`+text+`"},`+to+more+`}`)
}

// writes writes a message of a person and returns it.
func (n number) writes(t *testing.T, from, text, more string) map[string]any {
	t.Helper()
	response := n.control(t, "/messages", `{"platform":"whatsapp","account":"shop","from":"`+from+`","text":"`+text+`"`+more+`}`)
	require.Equal(t, http.StatusCreated, response.status, response.body)
	return n.list(t, response)[0]
}

// values returns the values of the changes in requests, in order.
func values(t *testing.T, requests []pushed) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, r := range requests {
		var body struct {
			Object string
			Entry  []struct {
				Changes []struct {
					Field string
					Value map[string]any
				}
			}
		}
		if json.Unmarshal([]byte(r.body), &body) != nil {
			continue
		}
		require.Equal(t, "whatsapp_business_account", body.Object)
		for _, entry := range body.Entry {
			for _, change := range entry.Changes {
				all = append(all, change.Value)
			}
		}
	}
	return all
}

// first returns the first element of a list in a value.
func first(t *testing.T, value map[string]any, name string) map[string]any {
	t.Helper()
	list, ok := value[name].([]any)
	require.True(t, ok, "%s in %v", name, value)
	element, ok := list[0].(map[string]any)
	require.True(t, ok)
	return element
}

// statuses returns the statuses in requests.
func statuses(t *testing.T, requests []pushed) []string {
	t.Helper()
	var all []string
	for _, value := range values(t, requests) {
		if value["statuses"] != nil {
			all = append(all, fmt.Sprint(first(t, value, "statuses")["status"]))
		}
	}
	return all
}

func TestWhatsAppConversation(t *testing.T) {
	t.Parallel()

	n := connected(t)
	n.control(t, "/people", `{"platform":"whatsapp","person":{"id":"4915112345678","name":"Änna"}}`)
	written := n.writes(t, "Änna", "Wie viel? 🙂", "")
	request := n.app.wait(t, 1)[0]
	code := hmac.New(sha256.New, []byte("app-secret"))
	_, _ = code.Write([]byte(request.body))
	require.Equal(t, "sha256="+hex.EncodeToString(code.Sum(nil)), request.header.Get("X-Hub-Signature-256"))
	require.Contains(t, request.body, `\u00c4nna`, "escaped, as by Meta")
	value := values(t, []pushed{request})[0]
	contact := first(t, value, "contacts")
	scoped := fmt.Sprint(contact["user_id"])
	require.Regexp(t, `^US\.\d+$`, scoped)
	require.Equal(t, map[string]any{
		"profile": map[string]any{"name": "Änna"}, "wa_id": "4915112345678", "user_id": scoped,
	}, contact)
	require.Equal(t, map[string]any{
		"from": "4915112345678", "from_user_id": scoped, "id": written["id"], "timestamp": "1772355600", "type": "text",
		"text": map[string]any{"body": "Wie viel? 🙂"},
	}, first(t, value, "messages"))
	require.Equal(t, n.phone, reply{json: value}.text(t, "metadata", "phone_number_id"))

	sent := n.text(t, `"to":"+4915112345678"`, "Zehn", `,"biz_opaque_callback_data":"m1","context":{"message_id":"`+
		fmt.Sprint(written["id"])+`"}`)
	require.Equal(t, http.StatusOK, sent.status, sent.body)
	id := fmt.Sprint(first(t, sent.json, "messages")["id"])
	require.Regexp(t, `^wamid\.`, id)
	all := n.app.wait(t, 3)
	require.Equal(t, []string{"sent", "delivered"}, statuses(t, all))
	status := first(t, values(t, all)[1], "statuses")
	require.Equal(t, map[string]any{
		"id": id, "status": "sent", "timestamp": "1772355600", "recipient_id": "4915112345678", "recipient_user_id": scoped,
		"biz_opaque_callback_data": "m1", "pricing": map[string]any{
			"billable": false, "pricing_model": "PMP", "category": "service", "type": "free_customer_service",
		},
	}, status)
	require.Equal(t, http.StatusCreated,
		n.control(t, "/statuses", `{"platform":"whatsapp","account":"shop","message":"`+id+`","status":"read"}`).status)
	require.Equal(t, []string{"sent", "delivered", "read"}, statuses(t, n.app.wait(t, 4)))
	read := n.post(t, n.phone+"/messages", `{"messaging_product":"whatsapp","status":"read","message_id":"`+
		fmt.Sprint(written["id"])+`"}`)
	require.Equal(t, true, read.at(t, "success"))
	n.writes(t, "Änna", "typed on the phone", `,"outgoing":true`)
	echo := first(t, values(t, n.app.wait(t, 5))[4], "message_echoes")
	require.Equal(t, "4915112345678", echo["to"])
	require.Len(t, n.list(t, n.get(t, "/_sandbox/messages?platform=whatsapp&account=shop&origin=reply&text=Zehn", "")), 1)
}

func TestWhatsAppPeopleWithoutNumbers(t *testing.T) {
	t.Parallel()

	n := connected(t)
	n.control(t, "/people", `{"platform":"whatsapp","person":{"name":"Ben","username":"ben"}}`)
	n.writes(t, "ben", "Hi", "")
	value := values(t, n.app.wait(t, 1))[0]
	scoped := fmt.Sprint(first(t, value, "contacts")["user_id"])
	require.Equal(t, map[string]any{"name": "Ben", "username": "@ben"}, first(t, value, "contacts")["profile"])
	require.NotContains(t, first(t, value, "contacts"), "wa_id")
	require.NotContains(t, first(t, value, "messages"), "from")
	require.Equal(t, scoped, first(t, value, "messages")["from_user_id"])
	sent := n.text(t, `"recipient":"`+scoped+`"`, "Hello", "")
	require.Equal(t, http.StatusOK, sent.status, sent.body)
	require.Equal(t, map[string]any{"input": scoped, "user_id": scoped}, first(t, sent.json, "contacts"))
	status := first(t, values(t, n.app.wait(t, 3))[1], "statuses")
	require.Equal(t, scoped, status["recipient_user_id"])
	require.NotContains(t, status, "recipient_id")
}

func TestWhatsAppRefuses(t *testing.T) {
	t.Parallel()

	n := connected(t)
	n.control(t, "/people", `{"platform":"whatsapp","person":{"id":"491511","name":"anna"}}`)
	n.writes(t, "anna", "Hi", "")
	const to = `"messaging_product":"whatsapp","to":"491511",`
	for body, code := range map[string]float64{
		`{"to":"491511","type":"text","text":{"body":"x"}}`:                                         100,
		`{"messaging_product":"whatsapp","type":"text","text":{"body":"x"}}`:                        100,
		`{` + to + `"type":"text","text":{"body":" "}}`:                                             131008,
		`{` + to + `"type":"text","text":{"body":"` + strings.Repeat("a", 4097) + `"}}`:             100,
		`{` + to + `"type":"poll"}`:                                                                 131051,
		`{` + to + `"type":"image","image":{}}`:                                                     131008,
		`{` + to + `"type":"image","image":{"id":"1"}}`:                                             131009,
		`{` + to + `"type":"text","text":{"body":"x"},"context":{"message_id":"wamid.x"}}`:          131009,
		`{"messaging_product":"whatsapp","recipient":"US.1","type":"text","text":{"body":"x"}}`:     131009,
		`{"messaging_product":"whatsapp","status":"read","message_id":"wamid.x"}`:                   131009,
		`{` + to + `"type":"template","template":{"name":"none","language":{"code":"en"}}}`:         132001,
		`{` + to + `"type":"template","template":{"name":"new_offer","language":{"code":"en"}}}`:    132001,
		`{` + to + `"type":"template","template":{"name":"spring_sale","language":{"code":"en"}}}`:  132015,
		`{` + to + `"type":"template","template":{"name":"order_update","language":{"code":"en"}}}`: 132000,
		`{` + to + `"type":"template","template":{"name":"order_update","language":{"code":"de"}}}`: 132001,
		`{` + to + `"type":"template","template":{"name":"free_money","language":{"code":"en"}}}`:   132001,
		`{` + to + `"type":"template","template":{"name":"lookbook","language":{"code":"en"}}}`:     132012,
		`{` + to + `"type":"template","template":{"name":"hello_world","language":{"code":"en_US"},"components":[{"type":"body","parameters":[` +
			`{"type":"text","text":"x"}]}]}}`: 132000,
		`{` + to + `"type":"template","template":{"name":"order_update","language":{"code":"en"},"components":[{"type":"body","parameters":[` +
			`{"type":"text","text":"a\nb"},{"type":"text","text":"x"}]}]}}`: 132012,
		`{` + to + `"type":"template","template":{"name":"delivery","language":{"code":"en"},"components":[{"type":"body","parameters":[` +
			`{"type":"text","text":"x"},{"type":"text","text":"x"}]}]}}`: 132012,
	} {
		response := n.post(t, n.phone+"/messages", body)
		require.Equal(t, http.StatusBadRequest, response.status, body)
		require.InDelta(t, code, response.at(t, "error", "code"), 0, body)
		require.Equal(t, "whatsapp", response.text(t, "error", "error_data", "messaging_product"))
	}
	require.Empty(t, n.list(t, n.get(t, "/_sandbox/messages?origin=reply", "")))
	unregistered := n.phones(t)[1]
	message := `{` + to + `"type":"text","text":{"body":"x"}}`
	require.InDelta(t, 133010, n.post(t, unregistered+"/messages", message).at(t, "error", "code"), 0)
	pin := func(pin string) reply {
		return n.post(t, unregistered+"/register", `{"messaging_product":"whatsapp","pin":"`+pin+`"}`)
	}
	require.InDelta(t, 100, pin("12").at(t, "error", "code"), 0)
	require.Equal(t, true, pin("123456").at(t, "success"))
	require.InDelta(t, 133005, pin("654321").at(t, "error", "code"), 0)
	require.InDelta(t, 131047, n.post(t, unregistered+"/messages", message).at(t, "error", "code"), 0, "wrote to the other one")
	require.Equal(t, http.StatusBadRequest, n.post(t, "123/messages", message).status)
	other := n.call(t.Context(), t, http.MethodPost, onWhatsApp+n.phone+"/messages", "sandbox-whatsapp-other", "application/json",
		message)
	require.InDelta(t, 100, other.at(t, "error", "code"), 0, "of another business")
	require.InDelta(t, 190, n.get(t, onWhatsApp+n.waba+"/phone_numbers", "sandbox-x-a").at(t, "error", "code"), 0)

	n.control(t, "/limits", `{"strict":true}`)
	require.Equal(t, http.StatusOK, n.text(t, `"to":"491511"`, "one", "").status)
	require.InDelta(t, 131056, n.text(t, `"to":"491511"`, "two", "").at(t, "error", "code"), 0)
	n.clock.Advance(24 * time.Hour)
	require.InDelta(t, 131047, n.text(t, `"to":"491511"`, "late", "").at(t, "error", "code"), 0)
	template := n.post(t, n.phone+"/messages", `{`+to+`"type":"template","template":{"name":"order_update","language":`+
		`{"code":"en"},"components":[{"type":"body","parameters":[{"type":"text","text":"Anna"},{"type":"text","text":"7"}]}]}}`)
	require.Equal(t, http.StatusOK, template.status, template.body)
	require.Len(t, n.list(t, n.get(t, "/_sandbox/messages?text=Hello+Anna,+your+order+7+is+ready.", "")), 1)
	next := n.get(t, onWhatsApp+n.waba+"/message_templates?fields=name&status=APPROVED&after=3", whatsappToken)
	require.Contains(t, next.body, `"name":"delivery"`)
	require.NotContains(t, next.body, `"next"`)
	listed := n.get(t, onWhatsApp+n.waba+"/message_templates?fields=name,status", whatsappToken)
	require.Contains(t, listed.body, `{"id":"`)
	require.Contains(t, listed.body, `"name":"order_update","status":"APPROVED"`)
}

func TestWhatsAppStatusFaults(t *testing.T) {
	t.Parallel()

	for kind, want := range map[string][]string{
		"no_status": nil, "late_status": {"sent", "delivered"}, "status_before_response": {"sent", "delivered"},
		"window_closed_early": {"failed"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			n := connected(t)
			n.writes(t, "anna", "Hi", "")
			person := first(t, values(t, n.app.wait(t, 1))[0], "contacts")["wa_id"]
			fault := `{"platform":"whatsapp","account":"shop","step":"reply","kind":"` + kind + `","delayMs":20}`
			require.Equal(t, http.StatusCreated, n.inject(t, fault).status)
			require.Equal(t, http.StatusOK, n.text(t, `"to":"`+fmt.Sprint(person)+`"`, "x", "").status)
			if kind == "status_before_response" {
				require.Equal(t, want, statuses(t, n.app.wait(t, 1)), "all before the response")
			}
			n.writes(t, "anna", "Hi again", "") // comes last if nothing is reported
			all := n.app.wait(t, 2+len(want))
			require.Equal(t, want, statuses(t, all))
			if kind == "window_closed_early" {
				for _, value := range values(t, all) {
					if value["statuses"] != nil {
						require.InDelta(t, 131047, first(t, first(t, value, "statuses"), "errors")["code"], 0)
						require.NotContains(t, value, "contacts")
					}
				}
			}
		})
	}
	b := setup(t)
	require.Equal(t, http.StatusUnprocessableEntity, b.inject(t, `{"step":"commit","kind":"no_status"}`).status)
}

func TestWhatsAppPushes(t *testing.T) {
	t.Parallel()

	n := connected(t)
	n.app.refuse = func(number int, _ pushed) int { return map[bool]int{true: 500, false: 200}[number <= 2] }
	n.inject(t, `{"platform":"whatsapp","account":"shop","step":"inbound","kind":"unsigned"}`)
	n.writes(t, "anna", "one", "")
	all := n.app.wait(t, 3)
	require.Empty(t, all[0].header.Get("X-Hub-Signature-256"))
	require.Equal(t, all[1].body, all[2].body, "repeated until accepted")
	n.inject(t, `{"platform":"whatsapp","account":"shop","step":"inbound","kind":"batch","times":-1}`)
	n.control(t, "/messages", `{"platform":"whatsapp","account":"shop","from":"anna","text":"n","times":50}`)
	require.Eventually(t, func() bool {
		all = n.app.wait(t, 4)
		return len(values(t, all[3:])) >= 50
	}, 5*time.Second, 5*time.Millisecond)
	require.Less(t, len(all), 40, "several in one request")
	unsubscribed := n.control(t, "/messages", `{"platform":"whatsapp","account":"other","from":"anna","text":"unheard"}`)
	require.Equal(t, http.StatusCreated, unsubscribed.status)
	require.Equal(t, http.StatusBadRequest, n.form(t, onWhatsApp+"app2/subscriptions", "access_token", "app2|s", "object",
		"whatsapp_business_account", "callback_url", "http://127.0.0.1:1/x", "verify_token", "v").status)
	wrong := httptest.NewServer(http.NotFoundHandler())
	defer wrong.Close()
	refused := n.post(t, n.waba+"/subscribed_apps", `{"override_callback_uri":"`+wrong.URL+`","verify_token":"v"}`)
	require.Contains(t, refused.text(t, "error", "message"), "HTTP Status Code = 404; HTTP Message = Not Found")
	other := n.application(t)
	require.Equal(t, true, n.post(t, n.waba+"/subscribed_apps", `{"override_callback_uri":"`+other.server.URL+
		`","verify_token":"v"}`).at(t, "success"))
	require.Contains(t, n.get(t, onWhatsApp+n.waba+"/subscribed_apps", whatsappToken).body,
		`"override_callback_uri":"`+other.server.URL)
	n.writes(t, "anna", "elsewhere", "")
	require.Contains(t, other.wait(t, 1)[0].body, "elsewhere")
}

func TestWhatsAppFiles(t *testing.T) {
	t.Parallel()

	n := connected(t)
	picture := platformtest.Picture(t, 1)
	encoded, err := json.Marshal(picture.Bytes)
	require.NoError(t, err)
	n.writes(t, "anna", "look", `,"file":{"name":"a.jpg","content":`+string(encoded)+`}`)
	message := first(t, values(t, n.app.wait(t, 1))[0], "messages")
	require.Equal(t, "image", message["type"])
	id := reply{json: message}.text(t, "image", "id")
	found := n.get(t, onWhatsApp+id, whatsappToken)
	require.Equal(t, picture.SHA256(), found.text(t, "sha256"))
	path := strings.TrimPrefix(found.text(t, "url"), n.server.URL)
	require.Equal(t, string(picture.Bytes), n.get(t, path, whatsappToken).body)
	require.Equal(t, http.StatusNotFound, n.get(t, path, "sandbox-whatsapp-other").status)
	require.NotEqual(t, http.StatusOK, n.get(t, path, "").status, "needs the token")
	n.clock.Advance(5*time.Minute + time.Second)
	require.Equal(t, http.StatusNotFound, n.get(t, path, whatsappToken).status)

	kept := n.media(t, picture.Bytes, "image/jpeg")
	require.Equal(t, http.StatusOK, kept.status, kept.body)
	person := reply{json: message}.text(t, "from")
	sent := n.post(t, n.phone+"/messages", `{"messaging_product":"whatsapp","to":"`+person+`","type":"image","image":{"id":"`+
		kept.text(t, "id")+`","caption":"Here"}}`)
	require.Equal(t, http.StatusOK, sent.status, sent.body)
	replies := n.list(t, n.get(t, "/_sandbox/messages?origin=reply&text=Here", ""))
	require.Equal(t, picture.SHA256(), reply{json: replies[0]}.text(t, "file", "sha256"))
	require.InDelta(t, 131053, n.media(t, picture.Bytes, "video/mp4").at(t, "error", "code"), 0)
	require.InDelta(t, 131053, n.media(t, append(slices.Clone(picture.Bytes), make([]byte, 5<<20)...),
		"image/jpeg").at(t, "error", "code"), 0)
	n.clock.Advance(7 * 24 * time.Hour)
	require.Equal(t, http.StatusBadRequest, n.get(t, onWhatsApp+id, whatsappToken).status, "kept for seven days")
	require.Equal(t, http.StatusOK, n.get(t, onWhatsApp+kept.text(t, "id"), whatsappToken).status)
}

// media uploads a file.
func (n number) media(t *testing.T, content []byte, kind string) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(t, form.WriteField("messaging_product", "whatsapp"))
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", `form-data; name="file"; filename="a"`)
	header.Set("Content-Type", kind)
	part, err := form.CreatePart(header)
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return n.call(t.Context(), t, http.MethodPost, onWhatsApp+n.phone+"/media", whatsappToken, form.FormDataContentType(),
		body.String())
}
