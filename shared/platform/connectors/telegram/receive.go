package telegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Kinds of updates about business accounts (https://core.telegram.org/bots/api#update).
const (
	kindConnection = "business_connection"
	kindMessage    = "business_message"
	kindEdited     = "edited_business_message"
	kindDeleted    = "deleted_business_messages"
	kindUnknown    = "unknown"
)

// updateKinds returns the kinds that the bot asks for.
func updateKinds() []string { return []string{kindConnection, kindMessage, kindEdited, kindDeleted} }

// Receiver reads updates of a bot that takes part in the conversations of business accounts.
type Receiver struct{}

var _ platform.Receiver = Receiver{}

// receiverVersion is the version of Receiver.Read.
const receiverVersion = 1

// Network returns Telegram.
func (Receiver) Network() channel.Network { return channel.NetworkTelegram }

// Version returns the version of Read.
func (Receiver) Version() int { return receiverVersion }

// Reasons why an update cannot be read. They contain nothing of it.
var (
	errUpdate     = errors.New("the body is not an update of Telegram")
	errUpdateID   = errors.New("the update has no number")
	errConnection = errors.New("the update names no business connection")
	errChat       = errors.New("the update names no chat")
	errSender     = errors.New("the message has no sender")
	errMessage    = errors.New("the message has no number or no date")
	errUser       = errors.New("the business connection has no user")
	errBot        = errors.New("the event does not name its bot")
	errDeleted    = errors.New("no message was deleted")
)

var (
	kindPattern = regexp.MustCompile(`^[a-z_]{1,64}$`)
	botPattern  = regexp.MustCompile(`^[0-9]{1,20}$`)
)

// Split returns the update as an event of the bot with the number account.
func (Receiver) Split(account string, body []byte, now time.Time) ([]inbox.Event, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return nil, errUpdate
	}
	var id *int64
	if err := json.Unmarshal(members["update_id"], &id); err != nil || id == nil || *id < 0 {
		return nil, errUpdateID
	}
	delete(members, "update_id")
	kind := kindUnknown
	for _, name := range append(updateKinds(), slices.Sorted(maps.Keys(members))...) {
		if _, has := members[name]; has && kindPattern.MatchString(name) {
			kind = name
			break
		}
	}
	var dated struct {
		Date     httpcall.Maybe[int64] `json:"date"`
		EditDate httpcall.Maybe[int64] `json:"edit_date"`
	}
	at := now
	// The date of a connection is that of its beginning in all its states, so the time of arrival orders them.
	if kind != kindConnection && json.Unmarshal(members[kind], &dated) == nil {
		for _, given := range []int64{dated.Date.Value, dated.EditDate.Value} {
			if date, ok := dateOf(given); ok {
				at = date
			}
		}
	}
	return []inbox.Event{{
		Network: channel.NetworkTelegram, Account: account, Key: "u/" + strconv.FormatInt(*id, 10), Kind: kind, At: at, Body: body,
	}}, nil
}

// latest is the end of the time that dates may have, in 2100. Later ones are an error.
const latest = 4_102_444_800

func dateOf(seconds int64) (time.Time, bool) {
	return time.Unix(seconds, 0).UTC(), seconds > 0 && seconds < latest
}

// inbound is an update about a business account.
type inbound struct {
	ID         int64       `json:"update_id"`
	Connection *connection `json:"business_connection"`
	Message    *received   `json:"business_message"`
	Edited     *received   `json:"edited_business_message"`
	Deleted    *struct {
		Connection string  `json:"business_connection_id"`
		Chat       party   `json:"chat"`
		Messages   []int64 `json:"message_ids"`
	} `json:"deleted_business_messages"`
}

// party is a user or a private chat, which has the number of its user.
type party struct {
	ID        int64  `json:"id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Username  string `json:"username"`
}

// connection lets the bot take part in the conversations of a user. Older Bot API servers have CanReply alone.
type connection struct {
	ID       string `json:"id"`
	User     party  `json:"user"`
	Enabled  bool   `json:"is_enabled"`
	CanReply bool   `json:"can_reply"`
	Rights   struct {
		CanReply bool `json:"can_reply"`
	} `json:"rights"`
}

// Read returns what an update says about the conversations of a business account. Others say nothing.
func (Receiver) Read(event inbox.Event) (inbox.Change, error) {
	if !slices.Contains(updateKinds(), event.Kind) {
		return inbox.Change{}, nil
	}
	var u inbound
	if err := json.Unmarshal(event.Body, &u); err != nil {
		return inbox.Change{}, fmt.Errorf("a member of the update has another type: %w", shape(err))
	}
	switch {
	case event.Kind == kindConnection && u.Connection != nil:
		state, err := u.Connection.state(event)
		return inbox.Change{Connection: state}, err
	case event.Kind == kindMessage && u.Message != nil:
		written, err := u.Message.written(event.Body, kindMessage, u.ID)
		return inbox.Change{Message: written}, err
	case event.Kind == kindEdited && u.Edited != nil:
		written, err := u.Edited.written(event.Body, kindEdited, u.ID)
		return inbox.Change{Message: written}, err
	case event.Kind == kindDeleted && u.Deleted != nil:
		deletion, err := u.deletion()
		return inbox.Change{Deleted: deletion}, err
	}
	return inbox.Change{}, errUpdate
}

// shape returns the member of an update that cannot be decoded, without its value.
func shape(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return errors.New(wrong.Field)
	}
	return errUpdate
}

func (c connection) state(event inbox.Event) (*inbox.Connection, error) {
	switch {
	case !httpcall.Token(c.ID):
		return nil, errConnection
	case c.User.ID <= 0:
		return nil, errUser
	case !botPattern.MatchString(event.Account):
		return nil, errBot
	}
	who := c.User.identity()
	return &inbox.Connection{
		ID: c.ID, ExternalID: event.Account + ":" + who.ID, Name: who.Name, Username: who.Username, Enabled: c.Enabled,
		MayReply: c.CanReply || c.Rights.CanReply, At: event.At,
	}, nil
}

func (u inbound) deletion() (*inbox.Deletion, error) {
	d := u.Deleted
	switch {
	case !httpcall.Token(d.Connection):
		return nil, errConnection
	case d.Chat.ID == 0:
		return nil, errChat
	case len(d.Messages) == 0:
		return nil, errDeleted
	}
	deletion := &inbox.Deletion{Connection: d.Connection, Thread: strconv.FormatInt(d.Chat.ID, 10)}
	for _, id := range d.Messages {
		deletion.Messages = append(deletion.Messages, d.Chat.message(id))
	}
	return deletion, nil
}

// longestName is the maximum length of a name, in characters.
const longestName = 200

// identity returns the party as a person. A deleted account has no name.
func (p party) identity() inbox.Identity {
	return inbox.Identity{
		ID:       strconv.FormatInt(p.ID, 10),
		Name:     httpcall.Text(p.FirstName+" "+p.LastName, longestName),
		Username: httpcall.Text(p.Username, longestName),
	}
}

// message returns the ID of a message of the chat. The bots of other accounts may use the number, but not the ID.
func (p party) message(id int64) string {
	return strconv.FormatInt(p.ID, 10) + "/" + strconv.FormatInt(id, 10)
}
