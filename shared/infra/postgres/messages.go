package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/ident"
)

type messageRow struct {
	ID             ident.Message
	ConversationID ident.Conversation
	WorkspaceID    ident.Workspace
	ChannelID      ident.Channel
	Direction      string
	ExternalID     *string
	UserID         *ident.User
	Text           string
	ReplyTo        string
	Unsupported    string
	SentAt         time.Time
	EditedAt       *time.Time
	DeletedAt      *time.Time
	State          *string
	FailureCode    string
	FailureMessage string
}

// messageColumns are those of a message m.
const messageColumns = `m.id, m.conversation_id, m.workspace_id, m.channel_id, m.direction, m.external_id, m.user_id, m.text, m.reply_to,
	m.unsupported, m.sent_at, m.edited_at, m.deleted_at, m.state, m.failure_code, m.failure_message`

func fromMessageRow(r messageRow) inbox.Message {
	return inbox.Message{
		ID: r.ID, ConversationID: r.ConversationID, WorkspaceID: r.WorkspaceID, ChannelID: r.ChannelID,
		Direction: inbox.Direction(r.Direction), ExternalID: value(r.ExternalID), UserID: value(r.UserID), Text: r.Text, ReplyTo: r.ReplyTo,
		Unsupported: r.Unsupported, SentAt: r.SentAt, EditedAt: value(r.EditedAt), DeletedAt: value(r.DeletedAt),
		State: inbox.MessageState(value(r.State)), FailureCode: r.FailureCode, FailureMessage: r.FailureMessage,
	}
}

// Said is a message with the name of the member who wrote it; empty if none of the members did.
type Said struct {
	inbox.Message

	By string
}

// MessagePlace is the place of a message in its conversation. The zero place is after the last one.
type MessagePlace struct {
	SentAt time.Time
	ID     ident.Message
}

// Messages returns the messages of a conversation before a place, at most limit of them, oldest first.
func (s *Conversations) Messages(ctx context.Context, of ident.Conversation, before MessagePlace, limit int) ([]Said, error) {
	var rows []struct {
		Message messageRow `gorm:"embedded"`
		By      *string
	}
	query := s.db.conn(ctx).Table("message m").Joins("LEFT JOIN app_user u ON u.id = m.user_id").
		Select(messageColumns+", u.name AS by").Where("m.conversation_id = ?", of)
	if !before.SentAt.IsZero() {
		query = query.Where("(m.sent_at, m.id) < (?, ?)", before.SentAt, before.ID)
	}
	err := query.Order("m.sent_at DESC, m.id DESC").Limit(limit).Find(&rows).Error
	said := make([]Said, len(rows))
	for i, row := range rows {
		said[len(rows)-1-i] = Said{Message: fromMessageRow(row.Message), By: value(row.By)}
	}
	return said, classify(err)
}

// Message returns a message of a conversation; NOT_FOUND if the conversation has no such message.
func (s *Conversations) Message(ctx context.Context, of ident.Conversation, id ident.Message) (inbox.Message, error) {
	var row messageRow
	err := s.db.conn(ctx).Table("message m").Select(messageColumns).Where("m.conversation_id = ? AND m.id = ?", of, id).Take(&row).Error
	return fromMessageRow(row), rowError(err, "message")
}

// Entries returns what members did with a conversation, oldest first.
func (s *Conversations) Entries(ctx context.Context, of ident.Conversation) ([]inbox.Entry, error) {
	var rows []struct {
		UserID *ident.User
		Name   *string
		Kind   string
		Detail string
		At     time.Time
	}
	err := s.db.conn(ctx).Table("conversation_entry e").Joins("LEFT JOIN app_user u ON u.id = e.user_id").
		Select("e.user_id, u.name, e.kind, e.detail, e.at").Where("e.conversation_id = ?", of).Order("e.at, e.id").Find(&rows).Error
	entries := make([]inbox.Entry, len(rows))
	for i, r := range rows {
		entries[i] = inbox.Entry{UserID: value(r.UserID), By: value(r.Name), Kind: inbox.EntryKind(r.Kind), Detail: r.Detail, At: r.At}
	}
	return entries, classify(err)
}
