package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"strings"
	"time"

	"gorm.io/gorm"

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
	Permalink      string
	Rating         int
	HiddenAt       *time.Time
	Price          string
	Billed         *bool
	Template       templateColumn
}

// templateColumn stores the template of an answer as jsonb.
type templateColumn struct{ *inbox.TemplateUse } //nolint:recvcheck // database/sql calls Value on the value and Scan on the pointer

// GormDataType returns the type of the column.
func (templateColumn) GormDataType() string { return "jsonb" }

// Value returns the column's value.
func (t templateColumn) Value() (driver.Value, error) {
	if t.TemplateUse == nil {
		return nil, nil //nolint:nilnil // NULL
	}
	raw, err := json.Marshal(t.TemplateUse)
	return string(raw), err
}

// Scan reads the column.
func (t *templateColumn) Scan(src any) error {
	if t.TemplateUse = nil; src == nil {
		return nil
	}
	t.TemplateUse = new(inbox.TemplateUse)
	return scanJSON(src, t.TemplateUse)
}

// messageColumns are those of a message m.
const messageColumns = `m.id, m.conversation_id, m.workspace_id, m.channel_id, m.direction, m.external_id, m.user_id, m.text, m.reply_to,
	m.unsupported, m.sent_at, m.edited_at, m.deleted_at, m.state, m.failure_code, m.failure_message,
	m.permalink, m.rating, m.hidden_at, m.price, m.billed, m.template`

func fromMessageRow(r messageRow) inbox.Message {
	return inbox.Message{
		ID: r.ID, ConversationID: r.ConversationID, WorkspaceID: r.WorkspaceID, ChannelID: r.ChannelID,
		Direction: inbox.Direction(r.Direction), ExternalID: value(r.ExternalID), UserID: value(r.UserID), Text: r.Text, ReplyTo: r.ReplyTo,
		Unsupported: r.Unsupported, SentAt: r.SentAt, EditedAt: value(r.EditedAt), DeletedAt: value(r.DeletedAt),
		State: inbox.MessageState(value(r.State)), FailureCode: r.FailureCode, FailureMessage: r.FailureMessage,
		Permalink: r.Permalink, Rating: r.Rating, HiddenAt: value(r.HiddenAt),
		Price: r.Price, Free: r.Billed != nil && !*r.Billed, Template: r.Template.TemplateUse,
	}
}

// Said is a message with the name of the member who wrote it, or in public of the person; empty if it is not known.
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
		Joins(`LEFT JOIN LATERAL (SELECT COALESCE(NULLIF(i.name, ''), '@' || i.username) AS name FROM person_identity i
			WHERE i.person_id = m.person_id ORDER BY i.seen_at DESC LIMIT 1) i ON true`).
		Select(messageColumns+", COALESCE(u.name, i.name) AS by").Where("m.conversation_id = ?", of)
	if !before.SentAt.IsZero() {
		query = query.Where("(m.sent_at, m.id) < (?, ?)", before.SentAt, before.ID)
	}
	err := query.Order("m.sent_at DESC, m.id DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	said, ids := make([]Said, len(rows)), make([]ident.Message, len(rows))
	for i, row := range rows {
		said[len(rows)-1-i], ids[i] = Said{Message: fromMessageRow(row.Message), By: value(row.By)}, row.Message.ID
	}
	files, err := filesOf(ctx, s.db, ids...)
	for i := range said {
		said[i].Files = files[said[i].ID]
	}
	return said, err
}

// Message returns a message of a conversation; NOT_FOUND if the conversation has no such message.
func (s *Conversations) Message(ctx context.Context, of ident.Conversation, id ident.Message) (inbox.Message, error) {
	var row messageRow
	err := s.db.conn(ctx).Table("message m").Select(messageColumns).Where("m.conversation_id = ? AND m.id = ?", of, id).Take(&row).Error
	if err != nil {
		return inbox.Message{}, rowError(err, "message")
	}
	m := fromMessageRow(row)
	files, err := filesOf(ctx, s.db, id)
	m.Files = files[id]
	return m, err
}

// LastIn returns the external ID of the last message of a person in a conversation; empty if there is none at the network.
func (s *Conversations) LastIn(ctx context.Context, of ident.Conversation) (string, error) {
	var ids []string
	err := s.db.conn(ctx).Table("message").Where("conversation_id = ? AND direction = 'IN' AND deleted_at IS NULL AND external_id IS NOT NULL", of).
		Order("sent_at DESC, id DESC").Limit(1).Pluck("external_id", &ids).Error
	return strings.Join(ids, ""), classify(err)
}

// Hide records that the account has hidden a message at its network, or shows it again.
func (s *Conversations) Hide(ctx context.Context, m inbox.Message, hidden bool) error {
	return s.moderate(ctx, m, map[string]any{"hidden_at": gorm.Expr("CASE WHEN CAST(? AS boolean) THEN now() END", hidden)})
}

// Remove records that the account has removed a message from its network.
func (s *Conversations) Remove(ctx context.Context, m inbox.Message) error {
	return s.moderate(ctx, m, map[string]any{"text": "", "unsupported": "", "deleted_at": dbNow})
}

func (s *Conversations) moderate(ctx context.Context, m inbox.Message, columns map[string]any) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.db.conn(ctx).Table("message").Where("id = ?", m.ID).Updates(columns).Error; err != nil {
			return classify(err)
		}
		return previewed(ctx, s.db, []string{m.ConversationID.String()})
	})
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

// LastText returns the text of the last message of the person that has one; empty if there is none.
func (s *Conversations) LastText(ctx context.Context, id ident.Conversation) (text string, err error) {
	err = s.db.conn(ctx).Table("message").Select("text").Where("conversation_id = ? AND direction = 'IN' AND text <> ''", id).
		Order("sent_at DESC, id DESC").Limit(1).Scan(&text).Error
	return text, classify(err)
}
