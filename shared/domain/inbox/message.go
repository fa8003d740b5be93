package inbox

import (
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// MessageState is the state of an answer.
type MessageState string

// The states of an answer. Messages of others have none.
const (
	Queued    MessageState = "QUEUED"
	Sent      MessageState = "SENT"
	Delivered MessageState = "DELIVERED"
	Read      MessageState = "READ"
	Failed    MessageState = "FAILED"
	Unknown   MessageState = "UNKNOWN" // whether the network has it cannot be determined; a person must check
)

// Message is one message of a conversation.
type Message struct {
	ID             ident.Message
	ConversationID ident.Conversation
	WorkspaceID    ident.Workspace
	ChannelID      ident.Channel
	Direction      Direction
	ExternalID     string     // empty: not known yet, or a note
	UserID         ident.User // who wrote it here; zero: it was written elsewhere
	Text           string
	ReplyTo        string
	Unsupported    string
	SentAt         time.Time
	EditedAt       time.Time
	DeletedAt      time.Time // at the network; its text is erased
	State          MessageState
	FailureCode    string
	FailureMessage string
}

// LongestText returns the greatest number of characters of an answer at a network (Telegram: sendMessage; WhatsApp: text
// message, both 4,096).
func LongestText(channel.Type) int { return 4096 }

// LongestNote is the greatest number of characters of a note.
const LongestNote = 4000

// Compose returns the text of an answer or a note as it is stored; VALIDATION_FAILED with what is wrong.
func Compose(direction Direction, t channel.Type, text string) (string, error) {
	text = strings.TrimSpace(plaintext.Normalize(text))
	most := LongestNote
	if direction == Out {
		most = LongestText(t)
	}
	fault := ""
	switch length := len([]rune(text)); {
	case text == "":
		fault = "Write something first."
	case length > most:
		fault = fmt.Sprintf("The text has %d characters, %d more than possible. Shorten it.", length, length-most)
	}
	if fault == "" {
		return text, nil
	}
	return text, apperr.Invalid([]apperr.Field{{Pointer: "/text", Message: fault}})
}
