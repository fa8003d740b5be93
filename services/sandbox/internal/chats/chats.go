// Package chats keeps what people write to the accounts of networks, and what the accounts answer. Tests use it to verify
// that no answer arrives twice.
//
// Every message is on disk before the call that wrote it ends.
package chats

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"fencepost.internal/services/sandbox/internal/mediastore"
)

// Person is a simulated person on a network.
type Person struct {
	Platform string `json:"platform"`
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username,omitempty"` // without a leading @
}

// Key returns the key of the record.
func (p Person) Key() string { return p.Platform + "/" + p.ID }

// Origin is the author of a message.
type Origin string

// The origins of a message.
const (
	FromPerson Origin = "person"
	FromPhone  Origin = "phone" // the account, in the network's own application
	FromReply  Origin = "reply" // the account, by a call of the API
)

// Origins lists the origins.
func Origins() []Origin { return []Origin{FromPerson, FromPhone, FromReply} }

// Kind is a kind of what people write in public.
type Kind string

// The kinds.
const (
	Comment Kind = "comment" // below a post of the account, or an answer to one
	Mention Kind = "mention" // of the account, elsewhere
	Review  Kind = "review"  // of a place
)

// Message is a message between a person and an account, in private or in public.
type Message struct {
	Platform  string     `json:"platform"`
	Account   string     `json:"account"`
	ID        string     `json:"id"`
	Person    Person     `json:"person"` // with whom the conversation is
	Origin    Origin     `json:"origin"`
	Text      string     `json:"text"`
	At        time.Time  `json:"at"`
	EditedAt  *time.Time `json:"editedAt,omitempty"`
	DeletedAt *time.Time `json:"deletedAt,omitempty"`
	ReadAt    *time.Time `json:"readAt,omitempty"`
	ReplyTo   string     `json:"replyTo,omitempty"` // id of the message that it answers
	File      *File      `json:"file,omitempty"`
	Kind      Kind       `json:"kind,omitempty"`   // empty: in private
	Post      string     `json:"post,omitempty"`   // id of the account's post below which a comment is
	Rating    int        `json:"rating,omitempty"` // stars of a review
	Hidden    bool       `json:"hidden,omitempty"` // by the account
	// Details are further properties in the network's words.
	Details map[string]string `json:"details,omitempty"`
}

// Key returns the key of the record.
func (m Message) Key() string { return m.ID }

// File is the file of a message, in the media store.
type File struct {
	ID          string `json:"id"` // the network's
	Name        string `json:"name"`
	SHA256      string `json:"sha256"`
	Size        int64  `json:"size"`
	ContentType string `json:"contentType"`
	Type        string `json:"type"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
}

// Book keeps the people and the messages over restarts. It is safe for concurrent use.
type Book struct {
	people   *mediastore.Uploads[Person]
	messages *mediastore.Uploads[Message]
}

// Open reads the book in the folders chats and people of the folder.
func Open(folder string, logger *slog.Logger) (*Book, error) {
	people, err := mediastore.OpenUploads[Person](filepath.Join(folder, "people"), logger)
	if err != nil {
		return nil, fmt.Errorf("chats: %w", err)
	}
	messages, err := mediastore.OpenUploads[Message](filepath.Join(folder, "chats"), logger)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("chats: %w", err), people.Close())
	}
	return &Book{people, messages}, nil
}

// Close closes the files.
func (b *Book) Close() error { return errors.Join(b.people.Close(), b.messages.Close()) }

// Clear deletes everything, on disk too.
func (b *Book) Clear() error { return errors.Join(b.people.Clear(), b.messages.Clear()) }

// Meet stores a person, in place of the earlier state.
func (b *Book) Meet(p Person) error { return b.people.Keep(p) }

// Person returns the person of a network with an id, a user name or a name. It returns false if there is none.
func (b *Book) Person(platform, name string) (Person, bool) {
	if p, ok := b.people.Get(platform + "/" + name); ok {
		return p, true
	}
	found := b.people.List(func(p Person) bool { return p.Platform == platform && (p.Username == name || p.Name == name) })
	if len(found) == 0 {
		return Person{}, false
	}
	return found[0], true
}

// People returns the people of a network.
func (b *Book) People(platform string) []Person {
	return b.people.List(func(p Person) bool { return p.Platform == platform })
}

// Next returns a new numeric id, at least the floor.
func (b *Book) Next(floor int64) string { return b.messages.Next(floor) }

// Add stores a message.
func (b *Book) Add(m Message) error { return b.messages.Keep(m) }

// Message returns the message with that id in the account. It returns false if there is none.
func (b *Book) Message(platform, account, id string) (Message, bool) {
	m, ok := b.messages.Get(id)
	return m, ok && m.Platform == platform && m.Account == account
}

// Change changes a message that exists, and returns it.
func (b *Book) Change(id string, change func(*Message)) (Message, error) {
	var changed Message
	err := b.messages.Change(id, func(m *Message) {
		change(m)
		changed = *m
	})
	return changed, err
}

// Filter selects messages. Zero members match any.
type Filter struct {
	Platform, Account, Person, Text string
	Origin                          Origin
	Kind                            Kind
	Post                            string
}

// List returns the messages that match, oldest first.
func (b *Book) List(f Filter) []Message {
	found := b.messages.List(func(m Message) bool {
		return (f.Platform == "" || m.Platform == f.Platform) && (f.Account == "" || m.Account == f.Account) &&
			(f.Person == "" || m.Person.ID == f.Person) && (f.Text == "" || m.Text == f.Text) &&
			(f.Origin == "" || m.Origin == f.Origin) && (f.Kind == "" || m.Kind == f.Kind) && (f.Post == "" || m.Post == f.Post)
	})
	slices.SortStableFunc(found, func(a, b Message) int { return a.At.Compare(b.At) })
	return found
}

// LastIn returns when the person last wrote to the account; zero: never.
func (b *Book) LastIn(platform, account, person string) time.Time {
	in := b.List(Filter{Platform: platform, Account: account, Person: person, Origin: FromPerson})
	if len(in) == 0 {
		return time.Time{}
	}
	return in[len(in)-1].At
}

// NameOf returns the name that the person shows.
func (p Person) NameOf() string { return cmp.Or(p.Name, p.Username, p.ID) }
