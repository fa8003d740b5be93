package stage

import (
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
