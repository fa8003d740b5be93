package postgres

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
)

// Leads stores leads, each change together with its event, its entry in the timeline and the plan of its follow-up.
type Leads struct {
	db     *DB
	events *Events
}

// NewLeads returns the store.
func NewLeads(db *DB) *Leads { return &Leads{db: db, events: NewEvents(db)} }

type leadRow struct {
	ID           ident.Lead
	WorkspaceID  ident.Workspace
	PersonID     *ident.Person
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
	OwnerID      *ident.User
	FollowUpBy   *ident.User
	RemindedAt   *time.Time
	Revision     int64
	Score        int
	CaptureKey   *string

	FollowUpBeyond bool
}

// leadColumns are the columns of leadRow. The amount is read as text, which keeps it exact.
const leadColumns = `id, workspace_id, person_id, name, handle, profile_url, platform, source, temperature, interest, stage,
	CAST(value AS text) AS value, currency, follow_up_at, contact_email, contact_phone, lost_reason, created_at, updated_at,
	owner_id, follow_up_by, reminded_at, revision, score, capture_key, follow_up_beyond`

func fromLeadRow(r leadRow) lead.Lead {
	l := lead.Lead{
		ID: r.ID, WorkspaceID: r.WorkspaceID, PersonID: value(r.PersonID), Name: r.Name, Handle: value(r.Handle),
		ProfileURL: value(r.ProfileURL),
		Platform:   lead.Platform(value(r.Platform)), Source: lead.Source(r.Source),
		Temperature: lead.Temperature(value(r.Temperature)),
		Interest:    value(r.Interest), Stage: lead.Stage(r.Stage), Currency: value(r.Currency),
		FollowUpAt:   value(r.FollowUpAt),
		ContactEmail: value(r.ContactEmail), ContactPhone: value(r.ContactPhone), LostReason: value(r.LostReason),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, OwnerID: value(r.OwnerID), FollowUpBy: value(r.FollowUpBy),
		RemindedAt: value(r.RemindedAt), Revision: r.Revision, Score: r.Score, CaptureKey: value(r.CaptureKey),
	}
	if r.Value != nil {
		l.Value, _ = lead.ParseAmount(*r.Value) // the column's type and check allow no other values
	}
	return l
}

func toLeadRow(l lead.Lead) *leadRow {
	return &leadRow{
		ID: l.ID, WorkspaceID: l.WorkspaceID, PersonID: optional(l.PersonID), Name: l.Name, Handle: optional(l.Handle),
		ProfileURL: optional(l.ProfileURL), Platform: optional(string(l.Platform)), Source: string(l.Source),
		Temperature: optional(string(l.Temperature)), Interest: optional(l.Interest), Stage: string(l.Stage),
		Value: optional(string(l.Value)), Currency: optional(l.Currency), FollowUpAt: optional(l.FollowUpAt),
		ContactEmail: optional(l.ContactEmail), ContactPhone: optional(l.ContactPhone),
		LostReason: optional(l.LostReason), CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, OwnerID: optional(l.OwnerID),
		FollowUpBy: optional(l.FollowUpBy), RemindedAt: optional(l.RemindedAt), Revision: l.Revision, Score: l.Score,
		CaptureKey: optional(l.CaptureKey),
	}
}

// ErrCaptured is returned for a lead whose capture has created one already; see ByCapture.
var ErrCaptured = errors.New("the capture has created a lead already")

// Insert stores a new lead. It returns NOT_FOUND if its workspace or its person no longer exists, and ErrCaptured.
func (s *Leads) Insert(ctx context.Context, change lead.Change) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		row := toLeadRow(change.Lead)
		row.FollowUpBeyond = s.beyond(change)
		stored := s.db.conn(ctx).Table("lead").
			Clauses(onConflict("ON CONFLICT (workspace_id, capture_key) WHERE capture_key IS NOT NULL DO NOTHING")).Create(row)
		switch {
		case isForeignKey(stored.Error):
			return notFound("workspace, person or member")
		case stored.Error != nil:
			return classify(stored.Error)
		case stored.RowsAffected == 0:
			return ErrCaptured
		}
		return s.wrote(ctx, change, lead.Entry{Kind: lead.EntryCreated})
	})
}

// wrote writes what goes with a stored change: its event, its entry, and the plan of the follow-up.
func (s *Leads) wrote(ctx context.Context, change lead.Change, entry lead.Entry) error {
	if change.Event != nil {
		if err := s.events.Insert(ctx, *change.Event, ident.Webhook{}); err != nil {
			return err
		}
	}
	entry.UserID, entry.At, entry.Revision = change.By, change.Lead.UpdatedAt, change.Lead.Revision
	if err := s.Note(ctx, change.Lead.ID, entry); err != nil {
		return err
	}
	if change.From.Due() == change.Lead.Due() && change.From.FollowUpAt.Equal(change.Lead.FollowUpAt) {
		return nil
	}
	in := flow.FollowupInput{LeadID: change.Lead.ID, WorkspaceID: change.Lead.WorkspaceID, Revision: change.Lead.Revision}
	if change.Lead.Due() {
		in.At, in.Beyond = change.Lead.FollowUpAt, s.beyond(change)
	}
	if change.From.ID.IsZero() && (in.At.IsZero() || in.Beyond) {
		return nil // a new lead has no workflow
	}
	return s.plan(ctx, in)
}

// patientFrom is the time from which the message of a follow-up is one of later.
const patientFrom = 2 * time.Minute

// plan writes the message with the plan of a follow-up.
func (s *Leads) plan(ctx context.Context, in flow.FollowupInput) error {
	payload, err := jsonParam(in)
	if err != nil {
		return err
	}
	columns := map[string]any{
		"kind": flow.KindFollowup, "subject": in.LeadID.String(), "workspace_id": in.WorkspaceID, "payload": payload, "trace": traceOf(ctx),
	}
	if !in.At.IsZero() {
		columns["due_at"] = in.At
		columns["lane"] = gorm.Expr("CAST(CAST(? AS timestamptz) > now() + CAST(? AS float8) * interval '1 second' AS integer)", in.At, patientFrom.Seconds())
	}
	return classify(s.db.conn(ctx).Table("outbox").Create(columns).Error)
}

// beyond reports whether the follow-up is due beyond the horizon, at the time of the change.
func (s *Leads) beyond(change lead.Change) bool {
	return change.Lead.Due() && change.Lead.FollowUpAt.After(change.Lead.UpdatedAt.Add(s.db.horizon))
}

// Change calls decide to change a lead of the workspace and writes the result, in one transaction. The lead is locked
// while it is read, so that concurrent changes run one after the other, each on the result of the previous one. Change
// returns the decided change; NOT_FOUND if the workspace has no such lead, or no such member or person.
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
		next := toLeadRow(change.Lead)
		err = s.db.conn(ctx).Table("lead").Where("id = ?", next.ID).Updates(map[string]any{
			"name": next.Name, "handle": next.Handle, "profile_url": next.ProfileURL, "platform": next.Platform,
			"temperature": next.Temperature, "interest": next.Interest, "stage": next.Stage, "value": next.Value,
			"currency": next.Currency, "follow_up_at": next.FollowUpAt, "contact_email": next.ContactEmail,
			"contact_phone": next.ContactPhone, "lost_reason": next.LostReason, "updated_at": next.UpdatedAt,
			"person_id": next.PersonID, "owner_id": next.OwnerID, "follow_up_by": next.FollowUpBy, "reminded_at": next.RemindedAt,
			"follow_up_beyond": s.beyond(change), "revision": next.Revision, "score": next.Score,
		}).Error
		if isForeignKey(err) {
			return notFound("person or member")
		}
		if err != nil {
			return classify(err)
		}
		return s.wrote(ctx, change, lead.Entry{Kind: lead.EntryChanged, Changes: change.Fields()})
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

// ByCapture returns the lead that a capture has created; NOT_FOUND if there is none.
func (s *Leads) ByCapture(ctx context.Context, workspace ident.Workspace, key string) (lead.Lead, error) {
	var row leadRow
	err := s.db.conn(ctx).Table("lead").Select(leadColumns).Where("workspace_id = ? AND capture_key = ?", workspace, key).
		Take(&row).Error
	return fromLeadRow(row), rowError(err, "lead")
}

// sameLimit is the number of open leads that Same returns.
const sameLimit = 5

// Same returns the open leads of a workspace that are of the same person as a lead: by the person, the mail address, the
// digits of the telephone number, or the profile. The newest is first.
func (s *Leads) Same(ctx context.Context, l lead.Lead) ([]lead.Lead, error) {
	same, traits := s.db.conn(ctx).Where("1 = 0"), l.Traits()
	if !l.PersonID.IsZero() {
		same = same.Or("person_id = ?", l.PersonID)
	}
	if traits.Email != "" {
		same = same.Or("lower(contact_email) = ?", traits.Email)
	}
	if traits.Phone != "" {
		same = same.Or("ltrim(regexp_replace(contact_phone, '[^0-9]', '', 'g'), '0') = ?", traits.Phone)
	}
	if traits.Profile != "" {
		same = same.Or(`rtrim(regexp_replace(lower(profile_url), '^https{0,1}://(www\.){0,1}', ''), '/') = ?`, traits.Profile)
	}
	var rows []leadRow
	err := s.db.conn(ctx).Table("lead").Select(leadColumns).Where("workspace_id = ? AND stage NOT IN ('WON', 'LOST')", l.WorkspaceID).
		Where(same).Order("id DESC").Limit(sameLimit).Scan(&rows).Error
	return each(rows, fromLeadRow), classify(err)
}

// Link adds a conversation of the same workspace to a lead; NOT_FOUND if it does not exist. Adding it again does nothing.
func (s *Leads) Link(ctx context.Context, l lead.Lead, conversation ident.Conversation) error {
	linked := s.db.conn(ctx).Exec(`INSERT INTO lead_conversation (lead_id, conversation_id)
		SELECT ?, id FROM conversation WHERE id = ? AND workspace_id = ? ON CONFLICT DO NOTHING`, l.ID, conversation, l.WorkspaceID)
	return classify(linked.Error)
}

// Of returns the leads of a conversation, or of a person if the conversation is zero, the newest first.
func (s *Leads) Of(
	ctx context.Context, workspace ident.Workspace, conversation ident.Conversation, person ident.Person,
) ([]lead.Lead, error) {
	query := s.db.conn(ctx).Table("lead").Select(leadColumns).Where("workspace_id = ?", workspace)
	if conversation.IsZero() {
		query = query.Where("person_id = ?", person)
	} else {
		query = query.Where("id IN (SELECT lead_id FROM lead_conversation WHERE conversation_id = ?)", conversation)
	}
	var rows []leadRow
	err := query.Order("id DESC").Limit(MaxAttention).Scan(&rows).Error
	return each(rows, fromLeadRow), classify(err)
}

// Conversations returns the IDs of the conversations of a lead.
func (s *Leads) Conversations(ctx context.Context, id ident.Lead) (ids []ident.Conversation, err error) {
	err = s.db.conn(ctx).Table("lead_conversation").Where("lead_id = ?", id).Pluck("conversation_id", &ids).Error
	return ids, classify(err)
}

// Delete deletes a lead of the workspace; NOT_FOUND if it does not exist.
func (s *Leads) Delete(ctx context.Context, workspace ident.Workspace, id ident.Lead) error {
	return affected(s.db.conn(ctx).Table("lead").Where("workspace_id = ? AND id = ?", workspace, id).Delete(nil), "lead")
}

// Names returns the names by which networks know a person.
func (s *Leads) Names(ctx context.Context, of ident.Person) (names []string, err error) {
	err = s.db.conn(ctx).Table("person_identity").Where("person_id = ?", of).Order("seen_at").Pluck("value", &names).Error
	return names, classify(err)
}
