package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/kernel/ident"
)

// SuggestedPerson is an open suggestion with what a page shows of it.
type SuggestedPerson struct {
	lead.Suggestion

	Name        string
	Username    string
	ChannelName string
	ChannelType channel.Type
	Messages    []SuggestedMessage // the newest first
}

// SuggestedMessage is a message to which rules applied.
type SuggestedMessage struct {
	Text    string
	Reasons []score.Reason
}

// maxSignals is the number of messages of which a suggestion shows the reasons.
const maxSignals = 3

// seen returns the suggestions of a workspace that the member sees: of conversations of the member's channels.
func (s *Suggestions) seen(ctx context.Context, of ident.Workspace) *gorm.DB {
	query := s.db.conn(ctx).Table("lead_suggestion s").Joins("JOIN conversation v ON v.id = s.conversation_id").
		Joins("JOIN channel c ON c.id = v.channel_id").Where("s.workspace_id = ?", of)
	if s.channels != nil {
		query = query.Where("v.channel_id = ANY(CAST(? AS uuid[]))", idArray(s.channels))
	}
	return query
}

// Open returns the open suggestions of a workspace, or of a person if there is one, the highest score first.
func (s *Suggestions) Open(ctx context.Context, of ident.Workspace, person ident.Person, limit int) ([]SuggestedPerson, error) {
	var rows []struct {
		Row suggestionRow `gorm:"embedded"`

		Name        string
		Username    string
		ChannelName string
		ChannelType string
	}
	query := s.seen(ctx, of).Joins("JOIN person p ON p.id = s.person_id").
		Joins(`LEFT JOIN LATERAL (SELECT i.name, i.username FROM person_identity i WHERE i.person_id = p.id ORDER BY i.seen_at DESC LIMIT 1) i ON true`).
		Select(`s.*, COALESCE(NULLIF(p.name, ''), i.name, '') AS name, COALESCE(i.username, '') AS username, c.name AS channel_name, c.type AS channel_type`).
		Where("s.state = 'OPEN'")
	if !person.IsZero() {
		query = query.Where("s.person_id = ?", person)
	}
	if err := query.Order("s.score DESC, s.id").Limit(limit).Find(&rows).Error; err != nil {
		return nil, classify(err)
	}
	list := make([]SuggestedPerson, len(rows))
	at := make(map[ident.Suggestion]*SuggestedPerson, len(rows))
	ids := make([]ident.Suggestion, len(rows))
	for i, r := range rows {
		list[i] = SuggestedPerson{
			Suggestion: fromSuggestionRow(r.Row), Name: r.Name, Username: r.Username, ChannelName: r.ChannelName,
			ChannelType: channel.Type(r.ChannelType),
		}
		at[r.Row.ID], ids[i] = &list[i], r.Row.ID
	}
	return list, s.reasons(ctx, ids, at)
}

// Count counts the open suggestions of a workspace.
func (s *Suggestions) Count(ctx context.Context, of ident.Workspace) (int, error) {
	var count int64
	err := s.seen(ctx, of).Where("s.state = 'OPEN'").Count(&count).Error
	return int(count), classify(err)
}

// reasons reads the messages of suggestions with the rules that applied to them.
func (s *Suggestions) reasons(ctx context.Context, ids []ident.Suggestion, at map[ident.Suggestion]*SuggestedPerson) error {
	var rows []struct {
		SuggestionID ident.Suggestion
		Text         string
		Reasons      []byte
	}
	err := s.db.conn(ctx).Raw(`SELECT suggestion_id, text, reasons FROM (
			SELECT g.suggestion_id, m.text, m.sent_at, row_number() OVER (PARTITION BY g.suggestion_id ORDER BY m.sent_at DESC, m.id) AS n,
				jsonb_agg(jsonb_build_object('rule', g.rule, 'weight', g.weight, 'words', CASE WHEN m.edited_at IS NULL THEN g.words ELSE '[]' END)
					ORDER BY g.weight DESC, g.rule) AS reasons
			FROM lead_signal g JOIN message m ON m.id = g.message_id
			WHERE g.suggestion_id = ANY(CAST(? AS uuid[])) AND m.deleted_at IS NULL GROUP BY g.suggestion_id, m.id) AS signals
		WHERE n <= ? ORDER BY suggestion_id, n`, idArray(ids), maxSignals).Scan(&rows).Error
	if err != nil {
		return classify(err)
	}
	for _, r := range rows {
		m := SuggestedMessage{Text: r.Text}
		if err := json.Unmarshal(r.Reasons, &m.Reasons); err != nil {
			return fmt.Errorf("postgres: reasons of a suggestion: %w", err)
		}
		at[r.SuggestionID].Messages = append(at[r.SuggestionID].Messages, m)
	}
	return nil
}
