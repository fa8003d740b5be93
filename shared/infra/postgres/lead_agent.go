package postgres

import (
	"context"
	"encoding/json"
	"time"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/kernel/ident"
)

// Rate returns the score of a message, by rules that read nothing else; see score.Of.
type Rate func(score.Message, *score.Words) score.Result

// Rating returns the store with the Sales Lead agent: it rates what people write in the transaction that stores it, so that no
// crash loses a suggestion, and none is repeated.
func (s *Inbound) Rating(rate Rate) *Inbound { return &Inbound{db: s.db, rate: rate} }

// ratedMessage is a message with what is known of it.
type ratedMessage struct {
	ID             ident.Message
	WorkspaceID    ident.Workspace
	ConversationID ident.Conversation
	PersonID       ident.Person
	Text           string
	Mode           string
	Words          []byte
	First          bool
	Campaign       bool
	Followed       bool // the person is suggested, or became a lead

	result score.Result
}

// rated rates messages that are new. The rows name their IDs and the posts below which they are.
func (s *Inbound) rated(ctx context.Context, rows []map[string]any) error {
	raw, err := jsonParam(rows)
	if err != nil {
		return err
	}
	var messages []ratedMessage
	if err := s.db.conn(ctx).Raw(leadCircumstances, map[string]any{"rows": raw}).Scan(&messages).Error; err != nil {
		return classify(err)
	}
	if len(messages) == 0 {
		return nil
	}
	own, err := s.ownWords(ctx, messages)
	if err != nil {
		return err
	}
	suggestions := NewSuggestions(s.db)
	for _, m := range messages {
		known := score.Message{Text: m.Text, First: m.First, Campaign: m.Campaign}
		m.result = s.rate(known, own[m.WorkspaceID])
		if m.result.Score >= score.Suggested {
			if known.Repeated, err = s.repeated(ctx, m); err != nil {
				return err
			}
			if known.Repeated {
				m.result = s.rate(known, own[m.WorkspaceID])
			}
		}
		if len(m.result.Reasons) > 0 && (m.Followed || m.result.Score >= score.Suggested) {
			if err := suggestions.rated(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownWords returns the words of the workspaces of messages: their own, and the names of the products of their link pages.
func (s *Inbound) ownWords(ctx context.Context, messages []ratedMessage) (map[ident.Workspace]*score.Words, error) {
	own := make(map[ident.Workspace]*score.Words)
	var workspaces []ident.Workspace
	for _, m := range messages {
		if _, known := own[m.WorkspaceID]; !known {
			own[m.WorkspaceID] = nil
			workspaces = append(workspaces, m.WorkspaceID)
		}
	}
	var rows []struct {
		WorkspaceID ident.Workspace
		Name        string
	}
	err := s.db.conn(ctx).Raw(`SELECT DISTINCT p.workspace_id, b -> 'settings' ->> 'name' AS name FROM link_page p
		JOIN link_page_live l ON l.page_id = p.id, jsonb_array_elements(l.content -> 'blocks') b
		WHERE p.workspace_id = ANY(CAST(? AS uuid[])) AND b ->> 'type' = 'PRODUCT'`, idArray(workspaces)).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	products := make(map[ident.Workspace][]string)
	for _, r := range rows {
		products[r.WorkspaceID] = append(products[r.WorkspaceID], r.Name)
	}
	for _, m := range messages {
		if own[m.WorkspaceID] == nil {
			var words []string
			if err := json.Unmarshal(m.Words, &words); err != nil {
				return nil, err
			}
			own[m.WorkspaceID] = score.Own(words, products[m.WorkspaceID])
		}
	}
	return own, nil
}

// repeated reports whether two other people wrote the same text in the last days. Short texts are the same by chance, and
// long ones have no index.
func (s *Inbound) repeated(ctx context.Context, m ratedMessage) (bool, error) {
	const shortest, longest, others = 60, 2000, 2
	if len(m.Text) < shortest || len(m.Text) > longest {
		return false, nil
	}
	var count int
	err := s.db.conn(ctx).Raw(`SELECT count(DISTINCT v.person_id) FROM message m JOIN conversation v ON v.id = m.conversation_id
		WHERE ARRAY[m.workspace_id] && ARRAY[CAST(@workspace AS uuid)] AND m.text = @text AND m.direction = 'IN'
			AND v.person_id <> @person AND m.sent_at > now() - interval '7 days'`,
		map[string]any{"workspace": m.WorkspaceID, "text": m.Text, "person": m.PersonID}).Scan(&count).Error
	return count >= others, classify(err)
}

// LeadAgents stores the settings of the Sales Lead agent.
type LeadAgents struct{ db *DB }

// NewLeadAgents returns the store.
func NewLeadAgents(db *DB) *LeadAgents { return &LeadAgents{db} }

// Get returns the settings of a workspace, or the defaults.
func (s *LeadAgents) Get(ctx context.Context, of ident.Workspace) (lead.Agent, error) {
	var rows []struct {
		Mode  string
		Words []byte
	}
	err := s.db.conn(ctx).Table("lead_agent").Select("mode, to_jsonb(words) AS words").Where("workspace_id = ?", of).Find(&rows).Error
	agent := lead.Agent{Mode: lead.AgentSuggests}
	if err != nil || len(rows) == 0 {
		return agent, classify(err)
	}
	agent.Mode = lead.AgentMode(rows[0].Mode)
	return agent, json.Unmarshal(rows[0].Words, &agent.Words)
}

// Put stores the settings of a workspace.
func (s *LeadAgents) Put(ctx context.Context, of ident.Workspace, agent lead.Agent) error {
	return classify(s.db.conn(ctx).Table("lead_agent").
		Clauses(onConflict("ON CONFLICT (workspace_id) DO UPDATE SET mode = excluded.mode, words = excluded.words")).
		Create(map[string]any{"workspace_id": of, "mode": string(agent.Mode), "words": textArray(agent.Words)}).Error)
}

// now returns the time of the database, in the precision of stored times.
func (s *Suggestions) now(ctx context.Context) (now time.Time, err error) {
	err = s.db.conn(ctx).Raw(`SELECT date_trunc('milliseconds', now())`).Scan(&now).Error
	return now.UTC(), classify(err)
}
