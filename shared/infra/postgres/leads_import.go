package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/ident"
)

// LeadImports stores the files of leads that people import, each for the person alone.
type LeadImports struct{ db *DB }

// NewLeadImports returns the store.
func NewLeadImports(db *DB) *LeadImports { return &LeadImports{db: db} }

// Insert stores an import.
func (s *LeadImports) Insert(ctx context.Context, i lead.Import) error {
	columns, err1 := jsonParam(i.Columns)
	rows, err2 := jsonParam(i.Rows)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Table("lead_import").Create(map[string]any{
		"id": i.ID, "workspace_id": i.WorkspaceID, "user_id": i.UserID, "name": i.Name, "columns": columns, "rows": rows,
		"created_at": i.CreatedAt,
	}).Error)
}

// Get returns an import of a person; NOT_FOUND if it does not exist. Within a transaction it is locked until the end.
func (s *LeadImports) Get(
	ctx context.Context, workspace ident.Workspace, person ident.User, id ident.LeadImport,
) (lead.Import, error) {
	var row struct {
		Name                         string
		Columns, Rows                []byte
		Anyway                       bool
		Done, Created, Known, Faulty int
		CreatedAt                    time.Time
	}
	find := s.db.conn(ctx).Table("lead_import").Where("id = ? AND workspace_id = ? AND user_id = ?", id, workspace, person)
	if s.db.InTx(ctx) {
		find = find.Clauses(locking("FOR UPDATE"))
	}
	if err := find.Take(&row).Error; err != nil {
		return lead.Import{}, rowError(err, "import")
	}
	i := lead.Import{
		ID: id, WorkspaceID: workspace, UserID: person, Name: row.Name, Anyway: row.Anyway, Done: row.Done, Created: row.Created,
		Known: row.Known, Faulty: row.Faulty, CreatedAt: row.CreatedAt,
	}
	if err := errors.Join(json.Unmarshal(row.Columns, &i.Columns), json.Unmarshal(row.Rows, &i.Rows)); err != nil {
		return i, fmt.Errorf("decode import of leads: %w", err)
	}
	return i, nil
}

// Advance stores how far an import is.
func (s *LeadImports) Advance(ctx context.Context, i lead.Import) error {
	return classify(s.db.conn(ctx).Table("lead_import").Where("id = ?", i.ID).Updates(map[string]any{
		"anyway": i.Anyway, "done": i.Done, "created": i.Created, "known": i.Known, "faulty": i.Faulty,
	}).Error)
}

// Prune deletes the imports that were stored before a time.
func (s *LeadImports) Prune(ctx context.Context, before time.Time) error {
	return classify(s.db.conn(ctx).Table("lead_import").Where("created_at < ?", before).Delete(nil).Error)
}
