package whatsapp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Reasons why an event cannot be read. They contain nothing of it.
var (
	errMessage = errors.New("the message has no ID or no time")
	errPerson  = errors.New("the message names no person")
	errStatus  = errors.New("the status has no message or no time")
)

// contact is a person, as a report describes them. People with a user name may have no phone number
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids).
type contact struct {
	Phone   string `json:"wa_id"`
	User    string `json:"user_id"`
	Parent  string `json:"parent_user_id"`
	Profile struct {
		Name     string `json:"name"`
		Username string `json:"username"`
	} `json:"profile"`
}

// one is the body of an event.
type one struct {
	Contacts []contact `json:"contacts"`
	Messages []message `json:"messages"`
	Echoes   []message `json:"message_echoes"`
	Statuses []status  `json:"statuses"`
}

// Read returns what a message or a status says. Other events say nothing.
func (Receiver) Read(event inbox.Event) (inbox.Change, error) {
	if !slices.Contains([]string{kindMessage, kindEcho, kindStatus}, event.Kind) {
		return inbox.Change{}, nil
	}
	var o one
	if err := json.Unmarshal(event.Body, &o); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return inbox.Change{}, fmt.Errorf("a member of the report has another type: %s", wrong.Field)
		}
		return inbox.Change{}, errReport
	}
	if len(o.Contacts) == 0 {
		o.Contacts = []contact{{}}
	}
	switch {
	case event.Kind == kindMessage && len(o.Messages) == 1:
		return o.Messages[0].change(o.Contacts[0], inbox.In)
	case event.Kind == kindEcho && len(o.Echoes) == 1:
		return o.Echoes[0].change(o.Contacts[0], inbox.Out)
	case event.Kind == kindStatus && len(o.Statuses) == 1:
		return o.Statuses[0].change()
	}
	return inbox.Change{}, errReport
}

const longestName = 200

var (
	phonePattern = regexp.MustCompile(`^[0-9]{3,20}$`)
	userPattern  = regexp.MustCompile(`^[A-Z]{2}(\.ENT)?\.[A-Za-z0-9]{1,128}$`)
)

// person returns the person of a message by the phone number, or by the user ID if the number is unknown. Messages that
// the business sent in its own app have the number alone.
func (c contact) person(phone, user, parent string) (inbox.Identity, error) {
	var ids []string
	for _, id := range []string{
		strings.TrimPrefix(cmp.Or(phone, c.Phone), "+"), cmp.Or(user, c.User), cmp.Or(parent, c.Parent),
	} {
		if phonePattern.MatchString(id) || userPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return inbox.Identity{}, errPerson
	}
	number := ids[0]
	if !phonePattern.MatchString(number) {
		number = ""
	}
	return inbox.Identity{
		ID: ids[0], Aliases: ids[1:], Phone: number, Name: httpcall.Text(c.Profile.Name, longestName),
		Username: httpcall.Text(strings.TrimPrefix(c.Profile.Username, "@"), longestName),
	}, nil
}

// message is a message of a person, or of the business.
type message struct {
	heading
	content

	FromParent string `json:"from_parent_user_id"`
	ToUser     string `json:"to_user_id"`
	Group      string `json:"group_id"`
	Context    struct {
		ID string `json:"id"`
	} `json:"context"`
	Revoke struct {
		Original string `json:"original_message_id"`
	} `json:"revoke"`
	Edit struct {
		Original string  `json:"original_message_id"`
		Message  content `json:"message"`
	} `json:"edit"`
}

// change returns what the message says. A message to a group says nothing, as this build has no groups.
func (m message) change(c contact, direction inbox.Direction) (inbox.Change, error) {
	phone, user, parent := m.From, m.FromUser, m.FromParent
	if direction == inbox.Out {
		phone, user, parent = m.To, m.ToUser, ""
	}
	person, err := c.person(phone, user, parent)
	switch {
	case m.Group != "" || m.Type == "system" || m.Type == "request_welcome":
		return inbox.Change{}, nil
	case !httpcall.Token(m.ID) || m.Time.IsZero():
		return inbox.Change{}, errMessage
	case err != nil:
		return inbox.Change{}, err
	case m.Type == "revoke" && httpcall.Token(m.Revoke.Original):
		return inbox.Change{Deleted: &inbox.Deletion{Thread: person.ID, Messages: []string{m.Revoke.Original}}}, nil
	}
	w := &inbox.Written{
		Thread: person.ID, ExternalID: m.ID, Direction: direction, Person: person, SentAt: m.Time.Time, Version: m.Time.Unix(),
	}
	said := m.content
	if m.Type == "edit" && httpcall.Token(m.Edit.Original) {
		w.ExternalID, w.EditedAt, said = m.Edit.Original, w.SentAt, m.Edit.Message
	}
	if id := cmp.Or(m.Context.ID, said.Reaction.Message); httpcall.Token(id) {
		w.ReplyTo = id
	}
	w.Text, w.Files = plaintext.Normalize(said.text()), said.files()
	if w.Text == "" && len(w.Files) == 0 {
		if said.Type == "reaction" { // was taken back
			return inbox.Change{}, nil
		}
		w.Unsupported = said.unsupported()
	}
	return inbox.Change{Message: w}, nil
}

// status is the state of a message of the business
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status).
type status struct {
	heading

	Opaque  string `json:"biz_opaque_callback_data"`
	Pricing struct {
		Billable *bool  `json:"billable"`
		Category string `json:"category"`
	} `json:"pricing"`
	Errors []fault `json:"errors"`
}

func (s status) change() (inbox.Change, error) {
	states := map[string]inbox.MessageState{
		"sent": inbox.Sent, "delivered": inbox.Delivered, "read": inbox.Read, "played": inbox.Read, "failed": inbox.Failed,
	}
	state, known := states[s.Status]
	switch {
	case !known:
		return inbox.Change{}, nil
	case !httpcall.Token(s.ID) || s.Time.IsZero():
		return inbox.Change{}, errStatus
	}
	change := &inbox.Status{ExternalID: s.ID, State: state, At: s.Time.Time, Opaque: httpcall.Text(s.Opaque, longestName)}
	change.Price = httpcall.Text(s.Pricing.Category, longestName)
	change.Free = change.Price != "" && s.Pricing.Billable != nil && !*s.Pricing.Billable
	if state == inbox.Failed {
		var f fault
		if len(s.Errors) > 0 {
			f = s.Errors[0]
		}
		var class platform.Class
		if class, change.FailureCode, change.FailureMessage = f.meaning(); class == platform.ClassUnknown {
			change.FailureCode, change.FailureMessage = networkCode(f.Code), "WhatsApp could not deliver the answer. Send it again."
		}
	}
	return inbox.Change{Status: change}, nil
}
