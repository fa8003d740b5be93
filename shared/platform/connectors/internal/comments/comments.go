// Package comments contains the parts that the polls of public comments and reviews share: the form of their events, the place of a
// poll in a list, and the search for an answer whose response was lost.
package comments

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
)

// version is the version of Reader.Read.
const version = 1

// Kinds of events.
const (
	kindComment = "comment"
	kindRefused = "refused" // an answer that the network refused after it accepted it
)

// Comment is a comment or a review, with what a network reports of it in other places of its response. It is the body of an event.
type Comment struct {
	Kind      inbox.Kind     `json:"kind"`
	ID        string         `json:"id"`
	Thread    string         `json:"thread"` // the ID of the comment that began the conversation
	ReplyTo   string         `json:"replyTo,omitempty"`
	Post      string         `json:"post,omitempty"`
	Permalink string         `json:"permalink,omitempty"`
	Own       bool           `json:"own,omitempty"` // the account wrote it
	Person    inbox.Identity `json:"person"`        // the author, or to whom the account wrote it
	Text      string         `json:"text"`
	Rating    int            `json:"rating,omitempty"`
	At        time.Time      `json:"at"`
	EditedAt  time.Time      `json:"editedAt,omitzero"`
	// Unsupported describes what Text lacks, as inbox.Written does.
	Unsupported string `json:"unsupported,omitempty"`
	// Refused is why the network refused the account's comment after it accepted it; empty: it did not.
	Refused string `json:"refused,omitempty"`
}

// Latest returns when the comment was written or last changed.
func (c Comment) Latest() time.Time {
	if c.EditedAt.After(c.At) {
		return c.EditedAt
	}
	return c.At
}

// event returns the event of the comment. Each version of it has a key of its own.
func (c Comment) event(account platform.Account) inbox.Event {
	kind, edited := kindComment, int64(0)
	if !c.EditedAt.IsZero() {
		edited = c.EditedAt.UnixMilli()
	}
	if c.Refused != "" {
		kind = kindRefused
	}
	body, _ := json.Marshal(c) // texts and times: cannot fail
	return inbox.Event{
		Network: account.Type.Network(), Account: account.ExternalID, Kind: kind, At: c.Latest(), Body: body,
		Key: "c/" + kind + "/" + c.ID + "/" + strconv.FormatInt(edited, 10),
	}
}

// Events returns the events of comments that are not older than the given time. A comment of the account that names no
// person belongs to no conversation.
func Events(account platform.Account, since time.Time, found []Comment) []inbox.Event {
	var events []inbox.Event
	for _, c := range found {
		if c.Latest().Before(since) || c.At.IsZero() || c.ID == "" || c.Thread == "" || c.Person.ID == "" {
			continue
		}
		refused := c.Refused
		c.Refused = ""
		if events = append(events, c.event(account)); refused != "" {
			c.Refused = refused
			events = append(events, c.event(account))
		}
	}
	return events
}

// Reader reads the events of a network whose comments are polled.
type Reader struct{ Of channel.Network }

var (
	_ platform.Reader = Reader{}

	errEvent = errors.New("the body is not a comment")
)

// Network returns the network.
func (r Reader) Network() channel.Network { return r.Of }

// Version returns the version of Read.
func (Reader) Version() int { return version }

// Read returns the comment as a message of its conversation, or the refusal of the account's.
func (Reader) Read(event inbox.Event) (inbox.Change, error) {
	var c Comment
	if err := json.Unmarshal(event.Body, &c); err != nil || c.ID == "" || c.Thread == "" {
		return inbox.Change{}, errEvent
	}
	if c.Refused != "" {
		return inbox.Change{Status: &inbox.Status{
			ExternalID: c.ID, State: inbox.Failed, At: event.At, FailureCode: CodeModerated, FailureMessage: c.Refused,
		}}, nil
	}
	direction := inbox.In
	if c.Own {
		direction = inbox.Out
	}
	return inbox.Change{Message: &inbox.Written{
		Kind: c.Kind, Post: c.Post, Permalink: c.Permalink, Rating: c.Rating, Thread: c.Thread, ExternalID: c.ID,
		Direction: direction, Person: c.Person, Text: c.Text, ReplyTo: c.ReplyTo, SentAt: c.At, EditedAt: c.EditedAt,
		Unsupported: c.Unsupported,
	}}, nil
}
