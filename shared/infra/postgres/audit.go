package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/kernel/ident"
)

// Audit stores the audit logs of workspaces.
type Audit struct{ db *DB }

// NewAudit returns the store.
func NewAudit(db *DB) *Audit { return &Audit{db: db} }

type auditRow struct {
	ID          ident.Audit
	WorkspaceID ident.Workspace
	At          time.Time
	UserID      *ident.User
	Actor       string
	Action      string
	Subject     string
	Detail      string
}

func fromAuditRow(r auditRow) audit.Entry {
	return audit.Entry{
		ID: r.ID, WorkspaceID: r.WorkspaceID, At: r.At, UserID: value(r.UserID), Actor: r.Actor,
		Action: audit.Action(r.Action), Subject: r.Subject, Detail: r.Detail,
	}
}

// Insert stores a new entry.
func (s *Audit) Insert(ctx context.Context, e audit.Entry) error {
	row := auditRow{
		ID: e.ID, WorkspaceID: e.WorkspaceID, At: e.At, Actor: e.Actor, Action: string(e.Action), Subject: e.Subject,
		Detail: e.Detail,
	}
	if !e.UserID.IsZero() {
		row.UserID = &e.UserID
	}
	return classify(s.db.conn(ctx).Table("audit_entry").Create(&row).Error)
}

// CountOfPerson returns how often a person took an action since the given time. Such an action is in the log of every
// workspace that the person had then: the longest log counts.
func (s *Audit) CountOfPerson(ctx context.Context, id ident.User, action audit.Action, since time.Time) (int64, error) {
	var found int64
	err := s.db.conn(ctx).Table("audit_entry").Select("count(*) AS found").
		Where("user_id = ? AND action = ? AND at > ?", id, string(action), since).
		Group("workspace_id").Order("found DESC").Limit(1).Scan(&found).Error
	return found, classify(err)
}

// List returns a page of a workspace's log before an entry, newest first. A zero entry starts at the newest. With kinds
// of objects, such as key, it returns only actions on them.
func (s *Audit) List(
	ctx context.Context, workspace ident.Workspace, before ident.Audit, limit int, kinds ...string,
) ([]audit.Entry, error) {
	query := s.db.conn(ctx).Table("audit_entry").
		Select("id, workspace_id, at, user_id, actor, action, subject, detail").Where("workspace_id = ?", workspace)
	if !before.IsZero() {
		query = query.Where("id < ?", before)
	}
	if len(kinds) > 0 {
		query = query.Where("split_part(action, '.', 1) = ANY(CAST(? AS text[]))", textArray(kinds))
	}
	var rows []auditRow
	err := query.Order("id DESC").Limit(limit).Find(&rows).Error
	return each(rows, fromAuditRow), classify(err)
}
