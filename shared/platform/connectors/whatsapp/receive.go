package whatsapp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Kinds of events. The kind of others is the field of the report.
const (
	kindMessage = "message"
	kindEcho    = "message_echo" // a message that the business sent in the WhatsApp Business app
	kindStatus  = "status"
	kindUnknown = "unknown"
)

// Receiver reads the reports of the Cloud API
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages).
type Receiver struct{}

var _ platform.Receiver = Receiver{}

// receiverVersion is the version of Receiver.Read.
const receiverVersion = 1

// Network returns WhatsApp.
func (Receiver) Network() channel.Network { return channel.NetworkWhatsApp }

// Version returns the version of Read.
func (Receiver) Version() int { return receiverVersion }

var errReport = errors.New("the body is not a report of WhatsApp")

// report is the body of a request.
type report struct {
	Object string `json:"object"`
	Entry  []struct {
		ID      string `json:"id"` // of the business account
		Changes []struct {
			Field string          `json:"field"`
			Value json.RawMessage `json:"value"`
		} `json:"changes"`
	} `json:"entry"`
}

// value is what a report says of one number. Its members beside those of an event are those of the network.
type value struct {
	Metadata metadata          `json:"metadata"`
	Contacts []json.RawMessage `json:"contacts,omitempty"`
	Messages []json.RawMessage `json:"messages,omitempty"`
	Echoes   []json.RawMessage `json:"message_echoes,omitempty"`
	Statuses []json.RawMessage `json:"statuses,omitempty"`
}

type metadata struct {
	Number string `json:"display_phone_number,omitempty"`
	ID     string `json:"phone_number_id"`
}

// Split cuts the body into an event for each message and each status, with the contact that it names, and one for each
// other change. The account is that of the body: the ID of the number, or of the business account if there is none.
func (Receiver) Split(_ string, body []byte, now time.Time) ([]inbox.Event, error) {
	var r report
	if err := json.Unmarshal(body, &r); err != nil || r.Object != "whatsapp_business_account" {
		return nil, errReport
	}
	var events []inbox.Event
	for _, entry := range r.Entry {
		for _, change := range entry.Changes {
			var v value
			if json.Unmarshal(change.Value, &v) != nil || !idPattern.MatchString(v.Metadata.ID) {
				events = append(events, other(entry.ID, change.Field, change.Value, now))
				continue
			}
			found := v.split(now)
			if len(found) == 0 {
				found = []inbox.Event{other(v.Metadata.ID, change.Field, change.Value, now)}
			}
			events = append(events, found...)
		}
	}
	return events, nil
}

var (
	idPattern   = regexp.MustCompile(`^[0-9]{1,32}$`)
	kindPattern = regexp.MustCompile(`^[a-z_]{1,64}$`)
)

// other returns an event of a kind that Read ignores.
func other(account, field string, body json.RawMessage, now time.Time) inbox.Event {
	if !kindPattern.MatchString(field) || field == kindMessage || field == kindEcho || field == kindStatus {
		field = kindUnknown
	}
	if !idPattern.MatchString(account) {
		account = "0"
	}
	if len(body) == 0 {
		body = json.RawMessage("null")
	}
	sum := sha256.Sum256(body)
	return inbox.Event{
		Network: channel.NetworkWhatsApp, Account: account, Key: "x/" + hex.EncodeToString(sum[:]), Kind: field, At: now, Body: body,
	}
}

func (v value) split(now time.Time) []inbox.Event {
	contacts := v.byID()
	var events []inbox.Event
	for _, list := range []struct {
		kind   string
		bodies []json.RawMessage
		into   func(*value, json.RawMessage)
	}{
		{kindMessage, v.Messages, func(one *value, body json.RawMessage) { one.Messages = []json.RawMessage{body} }},
		{kindEcho, v.Echoes, func(one *value, body json.RawMessage) { one.Echoes = []json.RawMessage{body} }},
		{kindStatus, v.Statuses, func(one *value, body json.RawMessage) { one.Statuses = []json.RawMessage{body} }},
	} {
		for _, body := range list.bodies {
			var head heading
			if json.Unmarshal(body, &head) != nil || !httpcall.Token(head.ID) || len(head.ID) > longestID {
				events = append(events, other(v.Metadata.ID, kindUnknown, body, now))
				continue
			}
			one := value{Metadata: v.Metadata}
			for _, id := range head.people() {
				if contact, named := contacts[id]; named {
					one.Contacts = []json.RawMessage{contact}
					break
				}
			}
			list.into(&one, body)
			whole, _ := json.Marshal(one) // of decoded members: cannot fail
			events = append(events, inbox.Event{
				Network: channel.NetworkWhatsApp, Account: v.Metadata.ID, Key: head.key(list.kind), Kind: list.kind,
				At: head.Time.or(now), Body: whole,
			})
		}
	}
	return events
}

// longestID is far above the length of a message's ID, and below that of a key of the database.
const longestID = 500

// heading has the members by which messages and statuses are told apart.
type heading struct {
	ID              string  `json:"id"`
	Time            instant `json:"timestamp"`
	Status          string  `json:"status"`
	From            string  `json:"from"`
	FromUser        string  `json:"from_user_id"`
	To              string  `json:"to"`
	Recipient       string  `json:"recipient_id"`
	RecipientUserID string  `json:"recipient_user_id"`
}

func (h heading) people() []string {
	return []string{h.From, h.FromUser, h.To, h.Recipient, h.RecipientUserID}
}

func (h heading) key(kind string) string {
	if kind != kindStatus {
		return "m/" + h.ID
	}
	state := h.Status
	if !kindPattern.MatchString(state) {
		state = kindUnknown
	}
	return "s/" + h.ID + "/" + state
}

// byID returns the contacts by their phone numbers and user IDs.
func (v value) byID() map[string]json.RawMessage {
	contacts := make(map[string]json.RawMessage)
	for _, body := range v.Contacts {
		var c contact
		if json.Unmarshal(body, &c) == nil {
			contacts[c.Phone], contacts[c.User] = body, body
		}
	}
	delete(contacts, "")
	return contacts
}

// instant is a Unix second in quotes. Decoding never fails. A time that does not exist is zero.
type instant struct{ time.Time }

// UnmarshalJSON reads a number, or a number in quotes.
func (i *instant) UnmarshalJSON(data []byte) error {
	const latest = 4_102_444_800 // 2100
	var figure httpcall.Figure
	_ = figure.UnmarshalJSON(data) // never fails
	if seconds := figure.Value(); seconds != nil && *seconds > 0 && *seconds < latest {
		i.Time = time.Unix(*seconds, 0).UTC()
	}
	return nil
}

func (i instant) or(now time.Time) time.Time {
	if i.IsZero() {
		return now
	}
	return i.Time
}
