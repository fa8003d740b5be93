package whatsappapi

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

const (
	reportsKept  = 7 * 24 * time.Hour
	longestPause = time.Hour
	mostReports  = 100 // of one request
)

// Person completes a person, whose ID is the phone number.
func (*business) Person(p chats.Person) (chats.Person, bool) {
	p.Platform = network
	p.ID = strings.TrimPrefix(cmp.Or(p.ID, phone("person "+p.Name)), "+")
	_, err := strconv.ParseUint(p.ID, 10, 64)
	return p, err == nil
}

// NewID returns the ID of a message.
func (*business) NewID(time.Time) string {
	return "wamid." + base64.StdEncoding.EncodeToString([]byte(rand.Text()+rand.Text()))
}

// scoped returns the ID of a person that only a business has.
func scoped(account string, p chats.Person) string {
	return "US." + stable(1e15, "scoped "+businessOf(account)+" "+p.ID)
}

// Report reports new messages. Businesses do not get what people edit or delete.
func (b *business) Report(happened stage.Happened, messages ...chats.Message) {
	if happened != stage.Written || !b.registered(messages[0].Account) {
		return
	}
	for _, m := range messages {
		if m.Origin == chats.FromPhone {
			b.report(m.Account, "smb_message_echoes", stage.Object{"message_echoes": []any{b.show(m)}})
			continue
		}
		b.report(m.Account, "messages", stage.Object{"contacts": []any{contact(m)}, "messages": []any{b.show(m)}})
	}
}

// contact describes the person of a message. A person with a user name shows no number.
func contact(m chats.Message) stage.Object {
	profile := stage.Object{"name": m.Person.NameOf()}
	shown := stage.Object{"profile": profile, "user_id": scoped(m.Account, m.Person)}
	if m.Person.Username != "" {
		profile["username"] = "@" + m.Person.Username
	} else {
		shown["wa_id"] = m.Person.ID
	}
	return shown
}

// show returns a message in WhatsApp's JSON.
func (b *business) show(m chats.Message) stage.Object {
	shown := stage.Object{"id": m.ID, "timestamp": strconv.FormatInt(m.At.Unix(), 10), "type": "text"}
	side := "from"
	if m.Origin == chats.FromPhone {
		shown["from"], side = phone(m.Account), "to"
	}
	if shown[side+"_user_id"] = scoped(m.Account, m.Person); m.Person.Username == "" {
		shown[side] = m.Person.ID
	}
	if original, ok := b.stage.Chats.Message(network, m.Account, m.ReplyTo); ok {
		from := phone(m.Account)
		if original.Origin == chats.FromPerson {
			from = m.Person.ID
		}
		shown["context"] = stage.Object{"from": from, "id": original.ID}
	}
	if m.File == nil {
		shown["text"] = stage.Object{"body": m.Text}
		return shown
	}
	file := stage.Object{"id": m.File.ID, "mime_type": m.File.ContentType, "sha256": m.File.SHA256}
	if m.Text != "" {
		file["caption"] = m.Text
	}
	kind := map[media.Type]string{media.Image: "image", media.GIF: "image", media.Video: "video"}[media.Type(m.File.Type)]
	if kind = cmp.Or(kind, "document"); kind == "document" {
		file["filename"] = m.File.Name
	}
	shown["type"], shown[kind] = kind, file
	return shown
}

// Status reports a status of a reply.
func (b *business) Status(m chats.Message, status string, code int) bool {
	errorOf := map[int][2]string{
		codeUndelivered: {"Message undeliverable", "Message Undeliverable."},
		codeWindow: {
			"Re-engagement message", "Message failed to send because more than 24 hours have passed since the customer last " +
				"replied to this number.",
		},
	}
	words, known := errorOf[code]
	if status != "sent" && status != "delivered" && status != "read" && (status != "failed" || !known) {
		return false
	}
	value := stage.Object{
		"id": m.ID, "status": status, "timestamp": strconv.FormatInt(b.stage.Clock.Now().Unix(), 10),
		"recipient_user_id": scoped(m.Account, m.Person),
	}
	if m.Person.Username == "" {
		value["recipient_id"] = m.Person.ID
	}
	if data := m.Details["biz_opaque_callback_data"]; data != "" {
		value["biz_opaque_callback_data"] = data
	}
	report := stage.Object{"statuses": []any{value}}
	if status == "failed" {
		value["errors"] = []any{stage.Object{
			"code": code, "title": words[0], "message": words[0], "error_data": stage.Object{"details": words[1]},
			"href": "https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes",
		}}
	} else {
		value["pricing"], report["contacts"] = b.pricing(m), []any{contact(m)}
	}
	_, err := b.stage.Chats.Change(m.ID, func(m *chats.Message) {
		details := map[string]string{"status": status}
		for name, value := range m.Details {
			details[name] = cmp.Or(details[name], value)
		}
		m.Details = details
	})
	b.report(m.Account, "messages", report)
	return err == nil
}

// pricing returns the price of a reply. Since October 2026 each reply costs.
func (b *business) pricing(m chats.Message) stage.Object {
	category := cmp.Or(m.Details["category"], "service")
	billed := category != "service" || !b.stage.Clock.Now().Before(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC))
	kind := "regular"
	if !billed {
		kind = "free_customer_service"
	}
	return stage.Object{"billable": billed, "pricing_model": "PMP", "category": category, "type": kind}
}

// report adds an entry of a number to the queue of the application that gets its reports.
func (b *business) report(account, field string, value stage.Object) {
	waba, _ := b.records.Get(accountID(businessOf(account)))
	app, _ := b.records.Get("app " + waba.App)
	address := cmp.Or(waba.Override, app.URL)
	if waba.App == "" || address == "" {
		return
	}
	value["messaging_product"] = "whatsapp"
	value["metadata"] = stage.Object{"display_phone_number": phone(account), "phone_number_id": phoneID(account)}
	body, _ := json.Marshal(stage.Object{ // the sandbox's own values
		"id": waba.ID, "changes": []any{stage.Object{"field": field, "value": value}},
	})
	now := b.stage.Clock.Now()
	id, _ := strconv.ParseInt(b.stage.Chats.Next(1), 10, 64)
	b.queue(address, cmp.Or(app.Secret, defaultSecret)).Add(stage.Event{
		ID: id, Account: account, Kind: field, Body: body, Until: now.Add(reportsKept),
	})
}

// queue returns the queue of the reports to an address.
func (b *business) queue(address, secret string) *stage.Queue {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := address + " " + secret
	if b.queues[name] == nil {
		b.queues[name] = b.stage.NewQueue(channel.NetworkWhatsApp)
		b.queues[name].Push(&stage.Hook{
			URL: address, Secret: secret, Encode: encode, Batch: mostReports, Sign: sign,
			Pause: func(failures int) time.Duration { return min(time.Second<<min(failures-1, 12), longestPause) },
		})
	}
	return b.queues[name]
}

// defaultSecret is the secret of an application that has set no address itself; see network.Placeholder.
const defaultSecret = "sandbox-secret"

// encode returns the body with the entries. As Meta does, it escapes slashes and all characters that are not ASCII.
func encode(events []stage.Event) []byte {
	entries := stage.Each(events, func(e stage.Event) json.RawMessage { return e.Body })
	plain, _ := json.Marshal(stage.Object{"object": "whatsapp_business_account", "entry": entries}) // valid entries
	var body []byte
	for _, r := range string(plain) {
		switch {
		case r == '/':
			body = append(body, `\/`...)
		case r < utf8.RuneSelf:
			body = utf8.AppendRune(body, r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				body = fmt.Appendf(body, `\u%04x`, unit)
			}
		}
	}
	return body
}

// sign returns the signature of a body.
func sign(body []byte, secret string) (name, value string) {
	code := hmac.New(sha256.New, []byte(secret))
	_, _ = code.Write(body)
	return "X-Hub-Signature-256", "sha256=" + hex.EncodeToString(code.Sum(nil))
}

// setCallback sets the address of an application's reports after a handshake with it.
func (a *api) setCallback(r stage.Request) stage.Response {
	app, secret, ok := strings.Cut(stage.AccessToken(r.Request, r.Values), "|")
	if !ok || app != r.PathValue("app") || secret == "" || !metaapi.Versioned(r.Request) {
		return a.Error(190, 0, "Invalid OAuth access token.") //nolint:mnd // Meta's code of tokens
	}
	address := r.Values.Get("callback_url")
	if r.Values.Get("object") != "whatsapp_business_account" || address == "" {
		return a.Invalid("(#100) The parameters object and callback_url are required.")
	}
	if bad := a.handshake(r, address); bad.Broken {
		return bad.Fault
	}
	return a.After(a.records.Keep(record{ID: "app " + app, URL: address, Secret: secret}), success())
}

// handshake asks an address to confirm the token of the call.
func (a *api) handshake(r stage.Request, address string) stage.Check {
	challenge := stable(1e9, rand.Text())
	query := url.Values{
		"hub.mode": {"subscribe"}, "hub.challenge": {challenge}, "hub.verify_token": {r.Values.Get("verify_token")},
	}
	status, body := a.Stage.Ask(r.Context(), address+"?"+query.Encode())
	words := "curl_errno = 7; curl_error = Failed to connect"
	if status != 0 {
		words = fmt.Sprintf("HTTP Status Code = %d; HTTP Message = %s", status, http.StatusText(status))
	}
	return stage.If(status != http.StatusOK || body != challenge, a.Error(codeCallback, 0,
		"(#2200) Callback verification failed with the following errors: "+words))
}

// subscribe lets the application of the token get the reports of the business account, also at another address.
func (a *api) subscribe(r stage.Request) stage.Response {
	app := r.Grant.App
	if app == "" { // The token belongs to the application that last set its address.
		apps := a.records.List(func(r record) bool { return strings.HasPrefix(r.ID, "app ") })
		app = "sandbox-client"
		if len(apps) > 0 {
			app = strings.TrimPrefix(apps[0].ID, "app ")
		}
	}
	override := r.Values.Get("override_callback_uri")
	if override != "" {
		if bad := a.handshake(r, override); bad.Broken {
			return bad.Fault
		}
	}
	return a.After(a.records.Keep(record{ID: accountID(r.Grant.Account), App: app, Override: override}), success())
}

// subscribed lists the application that gets the reports of the business account.
func (a *api) subscribed(r stage.Request) stage.Response {
	apps := []any{}
	if waba, _ := a.records.Get(accountID(r.Grant.Account)); waba.App != "" {
		shown := stage.Object{"whatsapp_business_api_data": stage.Object{
			"id": waba.App, "name": "Sandbox", "link": "https://www.facebook.com/games/?app_id=" + waba.App,
		}}
		if waba.Override != "" {
			shown["override_callback_uri"] = waba.Override
		}
		apps = append(apps, shown)
	}
	return stage.OK(stage.Object{"data": apps})
}

// Clear deletes everything.
func (b *business) Clear() error {
	b.close()
	return b.records.Clear()
}

// Close stops the pushes.
func (b *business) Close() error {
	b.close()
	return b.records.Close()
}

func (b *business) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, queue := range b.queues {
		queue.Close()
		delete(b.queues, name)
	}
}
