package stage

import (
	"context"
	"io"
	"net/http"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
)

// Inbox is the part of a network that reports the messages between people and accounts.
type Inbox interface {
	// Person completes a person who has at least a name. It returns false if the network does not have such people.
	Person(p chats.Person) (chats.Person, bool)
	// NewID returns the id of a message that is written at the time.
	NewID(at time.Time) string
	// Report reports messages of an account to the applications that may read them: new ones, or what happened to them.
	Report(happened Happened, messages ...chats.Message)
}

// Forum is the part of a network on which people write in public: comments, mentions and reviews. They are messages of the
// book, which applications read by calls.
type Forum interface {
	// Person and NewID are as those of Inbox.
	Person(p chats.Person) (chats.Person, bool)
	NewID(at time.Time) string
	// Kinds returns what people can write.
	Kinds() []chats.Kind
}

// Happened names an event in the life of a message.
type Happened string

// What happens to messages.
const (
	Written Happened = "written"
	Edited  Happened = "edited"
	Deleted Happened = "deleted" // all at once
)

// Connector is an inbox whose accounts choose the bot that takes part in their conversations.
type Connector interface {
	Inbox

	// Connect changes the connection of a bot to an account, and returns it in the network's JSON. It returns false if the
	// bot cannot be connected.
	Connect(bot, account string, enabled, mayReply bool) (Object, bool, error)
}

// Reader is an inbox whose network reports the status of each reply.
type Reader interface {
	Inbox

	// Status reports a status of a reply, with the code of an error. It returns false if the network does not have it.
	Status(m chats.Message, status string, code int) bool
}

// Ask calls an address of an application, and returns the status and the beginning of the body. The status is zero without a
// response.
func (s *Stage) Ask(ctx context.Context, address string) (status int, body string) {
	const longest = 1 << 10
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, ""
	}
	response, err := s.pushes.client.Do(request)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	raw, _ := io.ReadAll(io.LimitReader(response.Body, longest)) // a part is not what was expected
	return response.StatusCode, string(raw)
}
