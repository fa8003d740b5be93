package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/ident"
)

// Leads stores leads, each change together with its event.
type Leads struct {
	db     *DB
	events *Events
}

// NewLeads returns the store.
func NewLeads(db *DB) *Leads { return &Leads{db: db, events: NewEvents(db)} }

type leadRow struct {
	ID           ident.Lead
	WorkspaceID  ident.Workspace
	PersonID     ident.Person
	Name         string
	Handle       *string
	ProfileURL   *string `gorm:"column:profile_url"`
	Platform     *string
	Source       string
	Temperature  *string
	Interest     *string
	Stage        string
	Value        *string
	Currency     *string
	FollowUpAt   *time.Time
	ContactEmail *string
	ContactPhone *string
	LostReason   *string
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// leadColumns are the columns of leadRow. The amount is read as text, which keeps it exact.
const leadColumns = `id, workspace_id, person_id, name, handle, profile_url, platform, source, temperature, interest, stage,
	CAST(value AS text) AS value, currency, follow_up_at, contact_email, contact_phone, lost_reason, created_at, updated_at`

func fromLeadRow(r leadRow) lead.Lead {
	l := lead.Lead{
		ID: r.ID, WorkspaceID: r.WorkspaceID, PersonID: r.PersonID, Name: r.Name, Handle: value(r.Handle),
		ProfileURL: value(r.ProfileURL),
		Platform:   lead.Platform(value(r.Platform)), Source: lead.Source(r.Source),
		Temperature: lead.Temperature(value(r.Temperature)),
		Interest:    value(r.Interest), Stage: lead.Stage(r.Stage), Currency: value(r.Currency),
		FollowUpAt:   value(r.FollowUpAt),
		ContactEmail: value(r.ContactEmail), ContactPhone: value(r.ContactPhone), LostReason: value(r.LostReason),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.Value != nil {
		l.Value, _ = lead.ParseAmount(*r.Value) // the column's type and check allow no other values
	}
	return l
}

func toLeadRow(l lead.Lead) *leadRow {
	return &leadRow{
		ID: l.ID, WorkspaceID: l.WorkspaceID, PersonID: l.PersonID, Name: l.Name, Handle: optional(l.Handle),
		ProfileURL: optional(l.ProfileURL), Platform: optional(string(l.Platform)), Source: string(l.Source),
		Temperature: optional(string(l.Temperature)), Interest: optional(l.Interest), Stage: string(l.Stage),
		Value: optional(string(l.Value)), Currency: optional(l.Currency), FollowUpAt: optional(l.FollowUpAt),
		ContactEmail: optional(l.ContactEmail), ContactPhone: optional(l.ContactPhone),
		LostReason: optional(l.LostReason), CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}
}

// Insert stores a new lead. It returns NOT_FOUND if its workspace no longer exists.
func (s *Leads) Insert(ctx context.Context, change lead.Change) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("lead").Create(toLeadRow(change.Lead)).Error
		if isForeignKey(err) {
			return notFound("workspace")
		}
		if err != nil {
			return err
		}
		return s.emit(ctx, change)
	})
}

// emit writes the event of a change, if it has one.
func (s *Leads) emit(ctx context.Context, change lead.Change) error {
	if change.Event == nil {
		return nil
	}
	return s.events.Insert(ctx, *change.Event, ident.Webhook{})
}

// Change calls decide to change a lead of the workspace and writes the result, in one transaction. The lead is locked
// while it is read, so that concurrent changes run one after the other, each on the result of the previous one. Change
// returns the decided change; NOT_FOUND if the workspace has no such lead.
func (s *Leads) Change(
	ctx context.Context, workspace ident.Workspace, id ident.Lead, decide func(lead.Lead) (lead.Change, error),
) (change lead.Change, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		found, err := s.get(ctx, workspace, id, locking("FOR UPDATE"))
		if err != nil {
			return err
		}
		if change, err = decide(found); err != nil || !change.Changed() {
			return err
		}
		next := change.Lead
		err = s.db.conn(ctx).Table("lead").Where("id = ?", next.ID).Updates(map[string]any{
			"stage": string(next.Stage), "lost_reason": optional(next.LostReason), "updated_at": next.UpdatedAt,
		}).Error
		if err != nil {
			return err
		}
		return s.emit(ctx, change)
	})
	return change, err
}

// Get returns one lead of the workspace; NOT_FOUND if it does not exist.
func (s *Leads) Get(ctx context.Context, workspace ident.Workspace, id ident.Lead) (lead.Lead, error) {
	return s.get(ctx, workspace, id, "")
}

func (s *Leads) get(
	ctx context.Context, workspace ident.Workspace, id ident.Lead, lock locking,
) (lead.Lead, error) {
	var row leadRow
	err := s.db.conn(ctx).Table("lead").Select(leadColumns).Where("id = ? AND workspace_id = ?", id, workspace).
		Clauses(lock).Take(&row).Error
	return fromLeadRow(row), rowError(err, "lead")
}

// LeadFilter narrows List; zero fields do not filter.
type LeadFilter struct {
	Stage  lead.Stage
	Before ident.Lead // the page starts after this lead
	Limit  int
}

// List returns leads of the workspace, newest first.
func (s *Leads) List(ctx context.Context, workspace ident.Workspace, filter LeadFilter) ([]lead.Lead, error) {
	query := s.db.conn(ctx).Table("lead").Select(leadColumns).Where("workspace_id = ?", workspace)
	if filter.Stage != "" {
		query = query.Where("stage = ?", string(filter.Stage))
	}
	if !filter.Before.IsZero() {
		query = query.Where("id < ?", filter.Before)
	}
	var rows []leadRow
	if err := query.Order("id DESC").Limit(filter.Limit).Scan(&rows).Error; err != nil {
		return nil, classify(err)
	}
	return each(rows, fromLeadRow), nil
}
