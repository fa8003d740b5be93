package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
)

// Workspaces stores the tenants.
type Workspaces struct {
	db    *DB
	ideas *Ideas
}

// NewWorkspaces returns the store.
func NewWorkspaces(db *DB) *Workspaces { return &Workspaces{db: db, ideas: NewIdeas(db)} }

type workspaceRow struct {
	ID        ident.Workspace
	Name      string
	Plan      string
	Timezone  string
	LiveID    *ident.Workspace
	CreatedAt time.Time

	ReconnectHoldSeconds int        `gorm:"default:86400"`
	PublishingStoppedAt  *time.Time `gorm:"->"`
	PublishingStoppedBy  string     `gorm:"->"`
	HolidayCountries     textArray  `gorm:"->"`
	AltTextRule          string     `gorm:"->"`
	ApprovalPolicy       int        `gorm:"->"`
	DeleteAt             *time.Time `gorm:"->"`
	DeleteBy             string     `gorm:"->"`
	Color                string     `gorm:"->"`
}

const workspaceColumns = `id, name, plan, timezone, live_id, created_at, reconnect_hold_seconds,
	publishing_stopped_at, publishing_stopped_by, holiday_countries, alt_text_rule, approval_policy,
	delete_at, delete_by, color`

func fromWorkspaceRow(r workspaceRow) workspace.Workspace {
	return workspace.Workspace{
		ID: r.ID, Name: r.Name, Plan: workspace.Plan(r.Plan), Timezone: r.Timezone, LiveID: value(r.LiveID),
		CreatedAt: r.CreatedAt, ReconnectHold: time.Duration(r.ReconnectHoldSeconds) * time.Second,
		StoppedAt: value(r.PublishingStoppedAt), StoppedBy: r.PublishingStoppedBy, Holidays: r.HolidayCountries,
		AltTexts: workspace.AltTextRule(r.AltTextRule), Approval: approval.Policy(r.ApprovalPolicy),
		DeleteAt: value(r.DeleteAt), DeleteBy: r.DeleteBy, Color: r.Color,
	}
}

// Insert stores a new workspace with its first idea board.
func (s *Workspaces) Insert(ctx context.Context, w workspace.Workspace) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("workspace").Create(&workspaceRow{
			ID: w.ID, Name: w.Name, Plan: string(w.Plan), Timezone: w.Timezone, LiveID: optional(w.LiveID),
			CreatedAt: w.CreatedAt,
		}).Error
		if err != nil {
			return err
		}
		err = s.db.conn(ctx).Table("event_sequence").Create(map[string]any{"workspace_id": w.ID}).Error
		if err != nil {
			return err
		}
		return s.ideas.InsertBoard(ctx, idea.DefaultBoard(w.ID, w.CreatedAt))
	})
}

// Get returns a workspace; NOT_FOUND if it does not exist.
func (s *Workspaces) Get(ctx context.Context, id ident.Workspace) (workspace.Workspace, error) {
	var row workspaceRow
	err := s.db.conn(ctx).Table("workspace").Select(workspaceColumns).Where("id = ?", id).Take(&row).Error
	return fromWorkspaceRow(row), rowError(err, "workspace")
}

// Change changes the name, the time zone and the limit of SetReconnectHold of a workspace and its test workspace;
// NOT_FOUND if it does not exist.
func (s *Workspaces) Change(ctx context.Context, id ident.Workspace, name, timezone string, hold time.Duration) error {
	result := s.db.conn(ctx).Table("workspace").Where("id = ? OR live_id = ?", id, id).
		Updates(map[string]any{"name": name, "timezone": timezone, "reconnect_hold_seconds": int(hold / time.Second)})
	return affected(result, "workspace")
}

// SetAltTextRule sets the rule about alternative texts of a workspace and its test workspace; NOT_FOUND if it does not exist.
func (s *Workspaces) SetAltTextRule(ctx context.Context, id ident.Workspace, rule workspace.AltTextRule) error {
	result := s.db.conn(ctx).Table("workspace").Where("id = ? OR live_id = ?", id, id).Update("alt_text_rule", string(rule))
	return affected(result, "workspace")
}

// SetColor sets the color of a workspace and its test workspace; NOT_FOUND if it does not exist.
func (s *Workspaces) SetColor(ctx context.Context, id ident.Workspace, color string) error {
	return affected(s.db.conn(ctx).Table("workspace").Where("id = ? OR live_id = ?", id, id).Update("color", color), "workspace")
}

// ChooseHolidays sets the countries whose holidays the calendar shows; NOT_FOUND if the workspace does not exist.
func (s *Workspaces) ChooseHolidays(ctx context.Context, id ident.Workspace, codes []string) error {
	result := s.db.conn(ctx).Table("workspace").Where("id = ?", id).Update("holiday_countries", textArray(codes))
	return affected(result, "workspace")
}

// List returns every live workspace, oldest first.
func (s *Workspaces) List(ctx context.Context) ([]workspace.Workspace, error) {
	var rows []workspaceRow
	err := s.db.conn(ctx).Table("workspace").Select(workspaceColumns).Where("NOT is_test").Order("id").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	return each(rows, fromWorkspaceRow), nil
}

// SetReconnectHold sets the longest time for which due posts wait for their channel to be connected again, in whole
// seconds; NOT_FOUND if the workspace does not exist. Posts that wait already keep the end of their wait.
func (s *Workspaces) SetReconnectHold(ctx context.Context, id ident.Workspace, hold time.Duration) error {
	result := s.db.conn(ctx).Table("workspace").Where("id = ?", id).
		Update("reconnect_hold_seconds", int(hold/time.Second))
	return affected(result, "workspace")
}

// lockPlan locks the workspace's row until the transaction ends, so that counts that its plan limits stay valid, and
// returns its plan; empty if the workspace does not exist.
func lockPlan(ctx context.Context, db *DB, id ident.Workspace) (workspace.Plan, error) {
	var plan string
	err := db.conn(ctx).Table("workspace").Select("plan").Where("id = ?", id).
		Clauses(locking("FOR NO KEY UPDATE")).Scan(&plan).Error
	return workspace.Plan(plan), err
}

// Keys stores API keys: only their SHA-256, never their text.
type Keys struct{ db *DB }

// NewKeys returns the store.
func NewKeys(db *DB) *Keys { return &Keys{db: db} }

type keyRow struct {
	ID          ident.Credential
	WorkspaceID ident.Workspace
	Name        string
	Display     string
	Hash        []byte
	Scopes      textArray
	ExpiresAt   *time.Time
	RevokedAt   *time.Time
	LastUsedAt  *time.Time
	CreatedAt   time.Time
	CreatedBy   *ident.User
}

const keyColumns = `id, workspace_id, name, display, hash, scopes, expires_at, revoked_at, last_used_at, created_at, created_by`

func fromKeyRow(r keyRow) credential.Key {
	return credential.Key{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Display: r.Display, Hash: [32]byte(r.Hash),
		Scopes: fromArray[credential.Scope](r.Scopes), ExpiresAt: value(r.ExpiresAt), RevokedAt: value(r.RevokedAt),
		LastUsedAt: value(r.LastUsedAt), CreatedAt: r.CreatedAt, CreatedBy: value(r.CreatedBy),
	}
}

// Insert stores a new key.
func (s *Keys) Insert(ctx context.Context, k credential.Key) error {
	return classify(s.db.conn(ctx).Table("api_key").Create(&keyRow{
		ID: k.ID, WorkspaceID: k.WorkspaceID, Name: k.Name, Display: k.Display, Hash: k.Hash[:], Scopes: toArray(k.Scopes),
		ExpiresAt: optional(k.ExpiresAt), RevokedAt: optional(k.RevokedAt), LastUsedAt: optional(k.LastUsedAt),
		CreatedAt: k.CreatedAt, CreatedBy: optional(k.CreatedBy),
	}).Error)
}

// ByHash returns a key by the SHA-256 of its text, with the plan and the mode of its workspace; NOT_FOUND if it does not
// exist.
func (s *Keys) ByHash(ctx context.Context, hash [32]byte) (credential.Key, workspace.Plan, workspace.Mode, error) {
	var row struct {
		Key    keyRow `gorm:"embedded"`
		Plan   string
		IsTest bool
	}
	err := s.db.conn(ctx).Table("api_key k").Select(prefixed("k", "", keyColumns)+", w.plan, w.is_test").
		Joins("JOIN workspace w ON w.id = k.workspace_id").Where("k.hash = ?", hash[:]).Take(&row).Error
	if err != nil {
		return credential.Key{}, "", "", rowError(err, "API key")
	}
	return fromKeyRow(row.Key), workspace.Plan(row.Plan), workspace.ModeOf(row.IsTest), nil
}

// List returns the keys of a workspace, oldest first.
func (s *Keys) List(ctx context.Context, id ident.Workspace) ([]credential.Key, error) {
	var rows []keyRow
	err := s.db.conn(ctx).Table("api_key").Select(keyColumns).Where("workspace_id = ?", id).Order("id").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	return each(rows, fromKeyRow), nil
}

// Revoke ends a key at once. Revoking it again changes nothing. It returns NOT_FOUND if the workspace has no such key.
func (s *Keys) Revoke(ctx context.Context, workspaceID ident.Workspace, id ident.Credential, now time.Time) error {
	result := s.db.conn(ctx).Table("api_key").Where("id = ? AND workspace_id = ?", id, workspaceID).
		Update("revoked_at", gorm.Expr("COALESCE(revoked_at, ?)", now))
	return affected(result, "API key")
}

// Touch records the use of a key, at most once a minute.
func (s *Keys) Touch(ctx context.Context, id ident.Credential, now time.Time) error {
	return classify(s.db.conn(ctx).Table("api_key").Where("id = ?", id).
		Where("last_used_at IS NULL OR last_used_at < ?", now.Add(-time.Minute)).Update("last_used_at", now).Error)
}
