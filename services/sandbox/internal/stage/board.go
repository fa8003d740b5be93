package stage

import (
	"crypto/rand"
	"errors"
	"hash/fnv"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/channel"
)

// Board is the forum of a network on which people write below the posts of accounts, or rate them.
type Board struct {
	Stage   *Stage
	Network channel.Network
	Kind    chats.Kind // of what people write
	Floor   int64      // lowest number in an id
	Prefix  string     // of the ids of what is written
	People  string     // prefix of the ids of people
}

// room is the number of ids.
const room = 1_000_000_000_000

// Person completes a person. The same name yields the same id.
func (b Board) Person(p chats.Person) (chats.Person, bool) {
	p.Platform = string(b.Network)
	if p.ID == "" {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(p.Name)) // never fails
		p.ID = b.People + strconv.FormatInt(b.Floor+int64(hash.Sum64()%room), 10)
	}
	return p, p.NameOf() != ""
}

// NewID returns the id of a comment.
func (b Board) NewID(time.Time) string {
	number, _ := rand.Int(rand.Reader, big.NewInt(room)) // never fails
	return b.Prefix + strconv.FormatInt(b.Floor+number.Int64(), 10)
}

// Kinds returns what people write.
func (b Board) Kinds() []chats.Kind { return []chats.Kind{b.Kind} }

// List returns what was written to the account below a post, newest first; empty: below any.
func (b Board) List(account, post string) []chats.Message {
	found := b.Stage.Chats.List(chats.Filter{Platform: string(b.Network), Account: account, Kind: b.Kind, Post: post})
	slices.Reverse(found)
	return slices.DeleteFunc(found, func(m chats.Message) bool { return m.DeletedAt != nil })
}

// Get returns a comment below a post of the account. It returns false if there is none.
func (b Board) Get(account, id string) (chats.Message, bool) {
	m, ok := b.Stage.Chats.Message(string(b.Network), account, id)
	return m, ok && m.Kind == b.Kind && m.DeletedAt == nil
}

// Top returns the comment that began the conversation of another one.
func (b Board) Top(m chats.Message) chats.Message {
	for {
		above, ok := b.Stage.Chats.Message(m.Platform, m.Account, m.ReplyTo)
		if m.ReplyTo == "" || !ok {
			return m
		}
		m = above
	}
}

// Reply stores a reply of the account.
func (b Board) Reply(id, text string, to chats.Message) (chats.Message, error) {
	m := chats.Message{
		Platform: to.Platform, Account: to.Account, ID: id, Origin: chats.FromReply, Text: text, ReplyTo: to.ID, Post: to.Post,
		At: b.Stage.Clock.Now().Truncate(time.Millisecond), Kind: b.Kind,
	}
	return m, b.Stage.Chats.Add(m)
}

// Comment publishes a comment of the account directly below a post. The ledger has it as a post that replies to that one.
func (b Board) Comment(draft ledger.Draft, below ledger.Post) (chats.Message, error) {
	now := b.Stage.Clock.Now()
	draft.ID, draft.Parent = b.NewID(now), below.ID
	post, err := b.Stage.Ledger.Publish(draft)
	if err != nil {
		return chats.Message{}, err
	}
	return b.Reply(post.ID, post.Text, chats.Message{Platform: post.Platform, Account: post.Account, Post: below.ID})
}

// Remove deletes a comment.
func (b Board) Remove(m chats.Message) error {
	now := b.Stage.Clock.Now()
	_, err := b.Stage.Chats.Change(m.ID, func(m *chats.Message) { m.DeletedAt = &now })
	_, unlisted := b.Stage.Ledger.Delete(m.Platform, m.ID)
	return errors.Join(err, unlisted)
}

// NoComments in the text or the title of a post turns its comments off.
const NoComments = "[no comments]"

// TakesComments reports whether people and the account can comment below a post.
func TakesComments(post ledger.Post) bool { return !strings.Contains(post.Title+post.Text, NoComments) }

// IsOwn reports whether the account wrote the comment.
func IsOwn(m chats.Message) bool { return m.Origin != chats.FromPerson }

// Paged returns the page of a list after the element with the id, and the id of its last element if more follow.
func Paged(list []chats.Message, after string, size int) (page []chats.Message, next string) {
	if at := slices.IndexFunc(list, func(m chats.Message) bool { return m.ID == after }); at >= 0 {
		list = list[at+1:]
	}
	if len(list) <= size {
		return list, ""
	}
	return list[:size], list[size-1].ID
}
