package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/ident"
)

// LeadFilter narrows a list of leads; zero fields do not filter.
type LeadFilter struct {
	Stage       lead.Stage
	Temperature lead.Temperature
	Owner       ident.User
	OverdueAt   time.Time // open leads whose follow-up is before it
	WonSince    time.Time // won leads that became so since then
	Search      string    // words of the name, the handle or the interest
	Sort        LeadSort
	Before      ident.Lead // the page starts after this lead; with the default order
	Offset      int        // the page starts after this number of leads; with another order
	Limit       int
}

// LeadSort is an order of leads. The zero value is the newest first.
type LeadSort string

// Orders of leads.
const (
	LeadsByChange   LeadSort = "changed"   // the one that was changed last first
	LeadsByFollowUp LeadSort = "follow-up" // the earliest follow-up first, those without one last
	LeadsByName     LeadSort = "name"
	LeadsByValue    LeadSort = "value" // the highest first, by currency
	LeadsByStage    LeadSort = "stage"
)

// leadOrders are the orders as SQL; each ends with the ID, so that pages neither repeat nor lose leads.
var leadOrders = map[LeadSort]string{
	"":              "id DESC",
	LeadsByChange:   "updated_at DESC, id DESC",
	LeadsByFollowUp: "(stage IN ('WON', 'LOST')), follow_up_at NULLS LAST, id DESC",
	LeadsByName:     "lower(name), id DESC",
	LeadsByValue:    "currency NULLS LAST, lead.value DESC NULLS LAST, id DESC",
	LeadsByStage:    "array_position(ARRAY['NEW', 'CONTACTED', 'QUALIFIED', 'PROPOSAL', 'WON', 'LOST'], stage), updated_at DESC, id DESC",
}

func (s *Leads) query(ctx context.Context, workspace ident.Workspace, f LeadFilter) *gorm.DB {
	query := s.db.conn(ctx).Table("lead").Where("workspace_id = ?", workspace)
	if f.Stage != "" {
		query = query.Where("stage = ?", string(f.Stage))
	}
	if f.Temperature != "" {
		query = query.Where("temperature = ?", string(f.Temperature))
	}
	if !f.Owner.IsZero() {
		query = query.Where("owner_id = ?", f.Owner)
	}
	if !f.OverdueAt.IsZero() {
		query = query.Where("follow_up_at < ? AND stage NOT IN ('WON', 'LOST')", f.OverdueAt)
	}
	if !f.WonSince.IsZero() {
		query = query.Where(`stage = 'WON' AND (created_at >= ? OR EXISTS (SELECT FROM lead_entry AS e WHERE e.lead_id = lead.id AND e.at >= ?
			AND e.changes @> '[{"field": "stage", "to": "WON"}]'))`, f.WonSince, f.WonSince)
	}
	for _, word := range strings.Fields(f.Search) {
		query = query.Where("concat_ws(' ', name, handle, interest) ILIKE ?", "%"+likeEscape.Replace(word)+"%")
	}
	return query
}

// likeEscape makes a text match itself in a pattern of LIKE.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// List returns leads of the workspace.
func (s *Leads) List(ctx context.Context, workspace ident.Workspace, f LeadFilter) ([]lead.Lead, error) {
	query := s.query(ctx, workspace, f)
	if !f.Before.IsZero() {
		query = query.Where("id < ?", f.Before)
	}
	var rows []leadRow
	err := query.Select(leadColumns).Order(leadOrders[f.Sort]).Offset(f.Offset).Limit(f.Limit).Scan(&rows).Error
	return each(rows, fromLeadRow), classify(err)
}

// Count returns the number of leads.
func (s *Leads) Count(ctx context.Context, workspace ident.Workspace, f LeadFilter) (count int, err error) {
	var n int64
	err = s.query(ctx, workspace, f).Count(&n).Error
	return int(n), classify(err)
}

// StageSum is the number of leads of a stage whose values have one currency, or none, and the sum of the values.
type StageSum struct {
	Stage    lead.Stage
	Currency string
	Count    int
	Sum      lead.Amount
}

// Sums returns the sums of the stages by currency. Values in different currencies are not added.
func (s *Leads) Sums(ctx context.Context, workspace ident.Workspace, f LeadFilter) ([]StageSum, error) {
	var rows []struct {
		Stage    string
		Currency *string
		Count    int
		Sum      *string
	}
	err := s.query(ctx, workspace, f).Select("stage, currency, count(*) AS count, CAST(sum(value) AS text) AS sum").
		Group("stage, currency").Order("stage, sum(value) DESC NULLS LAST, currency").Scan(&rows).Error
	sums := make([]StageSum, len(rows))
	for i, r := range rows {
		sums[i] = StageSum{Stage: lead.Stage(r.Stage), Currency: value(r.Currency), Count: r.Count}
		if r.Sum != nil {
			sums[i].Sum = lead.Sum(*r.Sum)
		}
	}
	return sums, classify(err)
}

// LeadCounts are numbers of leads.
type LeadCounts struct{ All, Overdue, Hot, Mine int }

// Counts returns the numbers of the leads of a workspace, and of open ones in each view.
func (s *Leads) Counts(ctx context.Context, workspace ident.Workspace, viewer ident.User, now time.Time) (counts LeadCounts, err error) {
	err = s.db.conn(ctx).Table("lead").Where("workspace_id = ?", workspace).Select(`count(*) AS "all",
		count(*) FILTER (WHERE follow_up_at < ? AND stage NOT IN ('WON', 'LOST')) AS overdue,
		count(*) FILTER (WHERE temperature = 'HOT') AS hot, count(*) FILTER (WHERE owner_id = ?) AS mine`, now, viewer).
		Take(&counts).Error
	return counts, classify(err)
}

// Reasons returns the reasons for which leads of the workspace were lost, the most frequent first.
func (s *Leads) Reasons(ctx context.Context, workspace ident.Workspace, limit int) (reasons []string, err error) {
	err = s.db.conn(ctx).Table("lead").Where("workspace_id = ? AND stage = 'LOST' AND lost_reason IS NOT NULL", workspace).
		Group("lost_reason").Order("count(*) DESC, lost_reason").Limit(limit).Pluck("lost_reason", &reasons).Error
	return reasons, classify(err)
}

// Note adds an entry to the timeline of a lead.
func (s *Leads) Note(ctx context.Context, id ident.Lead, e lead.Entry) error {
	columns := map[string]any{
		"id": ident.New[ident.Event](), "lead_id": id, "user_id": optional(e.UserID), "kind": string(e.Kind), "text": e.Text,
		"revision": e.Revision, "at": e.At,
	}
	if len(e.Changes) > 0 {
		changes, err := jsonParam(e.Changes)
		if err != nil {
			return err
		}
		columns["changes"] = changes
	}
	return classify(s.db.conn(ctx).Table("lead_entry").Create(columns).Error)
}

// NamedEntry is an entry with the name of its member.
type NamedEntry struct {
	lead.Entry

	UserName string
}

// Entries returns the newest entries of the timeline of a lead, the newest first.
func (s *Leads) Entries(ctx context.Context, id ident.Lead, limit int) ([]NamedEntry, error) {
	var rows []struct {
		UserID     *ident.User
		Name       *string
		Kind, Text string
		Changes    []byte
		Revision   int64
		At         time.Time
	}
	err := s.db.conn(ctx).Table("lead_entry e").Joins("LEFT JOIN app_user u ON u.id = e.user_id").
		Select("e.user_id, u.name, e.kind, e.text, e.changes, e.revision, e.at").Where("e.lead_id = ?", id).
		Order("e.at DESC, e.id DESC").Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	list := make([]NamedEntry, len(rows))
	for i, r := range rows {
		list[i] = NamedEntry{
			Entry:    lead.Entry{Kind: lead.EntryKind(r.Kind), UserID: value(r.UserID), At: r.At, Revision: r.Revision, Text: r.Text},
			UserName: value(r.Name),
		}
		if len(r.Changes) == 0 {
			continue
		}
		if err := json.Unmarshal(r.Changes, &list[i].Changes); err != nil {
			return nil, fmt.Errorf("decode entry of lead: %w", err)
		}
	}
	return list, nil
}
