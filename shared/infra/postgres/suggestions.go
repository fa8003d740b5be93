package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Suggestions stores the people whom the Sales Lead agent suggests as leads.
type Suggestions struct {
	db       *DB
	leads    *Leads
	channels []ident.Channel // nil: of every channel
}

// NewSuggestions returns the store.
func NewSuggestions(db *DB) *Suggestions { return &Suggestions{db: db, leads: NewLeads(db)} }

// For returns the store for a member who is limited to channels; nil: to none.
func (s *Suggestions) For(channels []ident.Channel) *Suggestions {
	return &Suggestions{db: s.db, leads: s.leads, channels: channels}
}

type suggestionRow struct {
	ID             ident.Suggestion
	WorkspaceID    ident.Workspace
	PersonID       ident.Person
	ConversationID ident.Conversation
	State          string
	Score          int
	LeadID         *ident.Lead
	DecidedAt      *time.Time
	CreatedAt      time.Time
}

func fromSuggestionRow(r suggestionRow) lead.Suggestion {
	return lead.Suggestion{
		ID: r.ID, WorkspaceID: r.WorkspaceID, PersonID: r.PersonID, ConversationID: r.ConversationID,
		State: lead.SuggestionState(r.State), Score: r.Score, LeadID: value(r.LeadID), DecidedAt: value(r.DecidedAt), CreatedAt: r.CreatedAt,
	}
}

// rated adds a message to the suggestion of its person, or to the lead that it became. A person without one is suggested.
// The caller's transaction goes on one after the other with others of the person.
func (s *Suggestions) rated(ctx context.Context, m ratedMessage) error {
	if err := s.lock(ctx, m.PersonID); err != nil {
		return err
	}
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	last, err := s.last(ctx, m.PersonID)
	if err != nil {
		return err
	}
	if last.State == lead.SuggestionOpen {
		return s.raise(ctx, last, m)
	}
	open, err := s.openLeads(ctx, m.PersonID)
	if err != nil {
		return err
	}
	for _, id := range open {
		if last.State == lead.SuggestionAccepted && last.LeadID == id {
			return s.raise(ctx, last, m)
		}
	}
	if len(open) > 0 || last.Rests(now) || m.result.Score < score.Suggested {
		return nil
	}
	next := lead.Suggestion{
		ID: ident.New[ident.Suggestion](), WorkspaceID: m.WorkspaceID, PersonID: m.PersonID, ConversationID: m.ConversationID,
		State: lead.SuggestionOpen, Score: m.result.Score, CreatedAt: now,
	}
	err = s.db.conn(ctx).Table("lead_suggestion").Create(&suggestionRow{
		ID: next.ID, WorkspaceID: next.WorkspaceID, PersonID: next.PersonID, ConversationID: next.ConversationID,
		State: string(next.State), Score: next.Score, CreatedAt: now,
	}).Error
	if err != nil {
		return classify(err)
	}
	if err := s.signal(ctx, next.ID, m); err != nil || lead.AgentMode(m.Mode) != lead.AgentCreates {
		return err
	}
	_, err = s.accept(ctx, next, ident.User{}, now)
	if apperr.Is(err, apperr.ValidationFailed) { // members look at what is no lead by itself
		return nil
	}
	return err
}

// lock lets one transaction at a time decide about a person.
func (s *Suggestions) lock(ctx context.Context, person ident.Person) error {
	return classify(s.db.conn(ctx).Exec(`SELECT FROM person WHERE id = ? FOR NO KEY UPDATE`, person).Error)
}

// last returns the newest suggestion of a person; zero: there is none.
func (s *Suggestions) last(ctx context.Context, person ident.Person) (lead.Suggestion, error) {
	var rows []suggestionRow
	err := s.db.conn(ctx).Table("lead_suggestion").Where("person_id = ?", person).Order("state = 'MUTED' DESC, created_at DESC, id DESC").
		Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return lead.Suggestion{}, classify(err)
	}
	return fromSuggestionRow(rows[0]), nil
}

// openLeads returns the leads of a person that are worked on.
func (s *Suggestions) openLeads(ctx context.Context, person ident.Person) (ids []ident.Lead, err error) {
	err = s.db.conn(ctx).Table("lead").Where("person_id = ? AND stage NOT IN ('WON', 'LOST')", person).Pluck("id", &ids).Error
	return ids, classify(err)
}

// signal stores the rules that applied to a message.
func (s *Suggestions) signal(ctx context.Context, id ident.Suggestion, m ratedMessage) error {
	rows := make([]map[string]any, len(m.result.Reasons))
	for i, r := range m.result.Reasons {
		words, err := json.Marshal(r.Words)
		if err != nil {
			return fmt.Errorf("postgres: %w", err)
		}
		if r.Words == nil {
			words = []byte("[]")
		}
		rows[i] = map[string]any{
			"suggestion_id": id, "message_id": m.ID, "rule": string(r.Rule), "weight": r.Weight, "words": string(words),
		}
	}
	return classify(s.db.conn(ctx).Table("lead_signal").Clauses(onConflict("ON CONFLICT DO NOTHING")).Create(rows).Error)
}

// raise adds a message to a suggestion. Its score is that of all rules that applied, each once, and never falls. The lead
// that it became has the score too, with an entry in its timeline.
func (s *Suggestions) raise(ctx context.Context, to lead.Suggestion, m ratedMessage) error {
	if err := s.signal(ctx, to.ID, m); err != nil {
		return err
	}
	raised := s.db.conn(ctx).Exec(`UPDATE lead_suggestion s SET score = n.score FROM (SELECT LEAST(100, GREATEST(0, sum(weight))) AS score
		FROM (SELECT DISTINCT rule, weight FROM lead_signal WHERE suggestion_id = @id) AS applied) n
		WHERE s.id = @id AND n.score > s.score`, map[string]any{"id": to.ID})
	if raised.Error != nil || to.LeadID.IsZero() {
		return classify(raised.Error)
	}
	if raised.RowsAffected == 0 {
		return s.leads.Link(ctx, lead.Lead{ID: to.LeadID, WorkspaceID: to.WorkspaceID}, m.ConversationID)
	}
	return s.raiseLead(ctx, to, m)
}

// raiseLead gives a lead the score of its suggestion. The revision stays, so that no member who edits it is disturbed.
func (s *Suggestions) raiseLead(ctx context.Context, to lead.Suggestion, m ratedMessage) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	last, err := s.last(ctx, to.PersonID)
	if err != nil {
		return err
	}
	columns := map[string]any{"score": last.Score}
	if before, after := score.Temperature(to.Score), score.Temperature(last.Score); before != after {
		columns["temperature"] = string(after)
	}
	if err := s.db.conn(ctx).Table("lead").Where("id = ? AND score < ?", to.LeadID, last.Score).Updates(columns).Error; err != nil {
		return classify(err)
	}
	err = s.leads.Note(ctx, to.LeadID, lead.Entry{Kind: lead.EntryScored, At: now, Text: fmt.Sprintf("%d to %d", to.Score, last.Score)})
	if err != nil {
		return err
	}
	return s.leads.Link(ctx, lead.Lead{ID: to.LeadID, WorkspaceID: to.WorkspaceID}, m.ConversationID)
}

// Accept makes a lead of an open suggestion, and emits lead.created. NOT_FOUND if the member sees no such suggestion;
// INVALID_STATE if another member decided meanwhile.
func (s *Suggestions) Accept(
	ctx context.Context, of ident.Workspace, id ident.Suggestion, by ident.User,
) (created lead.Lead, err error) {
	err = s.decide(ctx, of, id, func(ctx context.Context, open lead.Suggestion, now time.Time) error {
		created, err = s.accept(ctx, open, by, now)
		return err
	})
	return created, err
}

// Reject ends an open suggestion, or lets the person never be suggested again. Errors: as Accept.
func (s *Suggestions) Reject(
	ctx context.Context, of ident.Workspace, id ident.Suggestion, by ident.User, never bool,
) error {
	state := lead.SuggestionRejected
	if never {
		state = lead.SuggestionMuted
	}
	return s.decide(ctx, of, id, func(ctx context.Context, open lead.Suggestion, now time.Time) error {
		return s.put(ctx, open.ID, state, ident.Lead{}, by, now)
	})
}

// errDecided reports a suggestion about which another member decided.
var errDecided = apperr.New(apperr.InvalidState, "Another member has decided about this suggestion meanwhile.")

func (s *Suggestions) decide(
	ctx context.Context, of ident.Workspace, id ident.Suggestion, decided func(context.Context, lead.Suggestion, time.Time) error,
) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		var row suggestionRow
		if err := s.seen(ctx, of).Select("s.*").Where("s.id = ?", id).Take(&row).Error; err != nil {
			return rowError(err, "suggestion")
		}
		if err := s.lock(ctx, row.PersonID); err != nil { // first, as those who add messages do
			return err
		}
		if err := s.seen(ctx, of).Select("s.*").Where("s.id = ?", id).Take(&row).Error; err != nil {
			return rowError(err, "suggestion")
		}
		if lead.SuggestionState(row.State) != lead.SuggestionOpen {
			return errDecided
		}
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		return decided(ctx, fromSuggestionRow(row), now)
	})
}

// accept creates the lead of a suggestion: the conversation, who the person is, and the message with the highest score.
func (s *Suggestions) accept(ctx context.Context, of lead.Suggestion, by ident.User, now time.Time) (lead.Lead, error) {
	var row struct {
		Name        string
		Username    string
		ChannelType string
		Text        string
		Earlier     int
	}
	err := s.db.conn(ctx).Raw(`SELECT COALESCE(NULLIF(p.name, ''), NULLIF(i.name, ''), i.username, '') AS name, COALESCE(i.username, '') AS username,
			c.type AS channel_type, COALESCE((SELECT m.text FROM lead_signal g JOIN message m ON m.id = g.message_id
				WHERE g.suggestion_id = @id GROUP BY m.id, m.text, m.sent_at ORDER BY sum(g.weight) DESC, m.sent_at DESC LIMIT 1), '') AS text,
			(SELECT count(*) FROM lead l WHERE l.workspace_id = v.workspace_id AND starts_with(l.capture_key, 'agent/' || p.id || '/')) AS earlier
		FROM conversation v JOIN channel c ON c.id = v.channel_id JOIN person p ON p.id = @person
		LEFT JOIN LATERAL (SELECT i.name, i.username FROM person_identity i WHERE i.person_id = p.id ORDER BY i.seen_at DESC LIMIT 1) i ON true
		WHERE v.id = @conversation`, map[string]any{"id": of.ID, "person": of.PersonID, "conversation": of.ConversationID}).Take(&row).Error
	if err != nil {
		return lead.Lead{}, rowError(err, "conversation")
	}
	names, err := s.leads.Names(ctx, of.PersonID)
	if err != nil {
		return lead.Lead{}, err
	}
	in := lead.Suggested(row.Name, row.Username, lead.PlatformOf(string(channel.Type(row.ChannelType))), names, row.Text)
	in.WorkspaceID, in.PersonID, in.Score, in.Temperature = of.WorkspaceID, of.PersonID, of.Score, score.Temperature(of.Score)
	in.CaptureKey = fmt.Sprintf("agent/%s/%d", of.PersonID, row.Earlier+1)
	change, err := lead.Create(in, now)
	if err != nil {
		return lead.Lead{}, err
	}
	change.By = by
	if err := s.leads.Insert(ctx, change); err != nil {
		return lead.Lead{}, err
	}
	if err := s.leads.Link(ctx, change.Lead, of.ConversationID); err != nil {
		return lead.Lead{}, err
	}
	return change.Lead, s.put(ctx, of.ID, lead.SuggestionAccepted, change.Lead.ID, by, now)
}

func (s *Suggestions) put(
	ctx context.Context, id ident.Suggestion, state lead.SuggestionState, became ident.Lead, by ident.User, now time.Time,
) error {
	return affected(s.db.conn(ctx).Table("lead_suggestion").Where("id = ? AND state = 'OPEN'", id).Updates(map[string]any{
		"state": string(state), "lead_id": optional(became), "decided_by": optional(by), "decided_at": now,
	}), "suggestion")
}
