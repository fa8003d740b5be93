package platform

import "errors"

// Start is a message by which a person started the operator's bot with a code, in a chat that has a name.
type Start struct{ Chat, Name, Code string }

// ErrChatGone reports that the operator's bot may not write to a chat.
var ErrChatGone = errors.New("the bot may not write to the chat")
