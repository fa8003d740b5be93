package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/ident"
)

// PlanImports stores the files that people import, each for the person alone.
type PlanImports struct{ db *DB }

// NewPlanImports returns the store.
func NewPlanImports(db *DB) *PlanImports { return &PlanImports{db: db} }

type planImportRow struct {
	ID          ident.PlanImport
	WorkspaceID ident.Workspace
	UserID      ident.User
	Name        string
	Format      string
	Settings    []byte
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

const planImportColumns = "id, workspace_id, user_id, name, format, settings, created_at, updated_at"

func fromPlanImportRow(r planImportRow) (plan.Import, error) {
	i := plan.Import{
		ID: r.ID, WorkspaceID: r.WorkspaceID, UserID: r.UserID, Name: r.Name, Format: r.Format, CreatedAt: r.CreatedAt,
		UpdatedAt: r.UpdatedAt,
	}
	if err := json.Unmarshal(r.Settings, &i.Settings); err != nil {
		return i, fmt.Errorf("decode settings of import: %w", err)
	}
	return i, nil
}

// tableRow is a row of a file as one statement inserts it.
type tableRow struct {
	Line  int      `json:"line"`
	Cells []string `json:"cells"`
	Key   string   `json:"key"`
}

// Insert stores an import with its rows, and deletes the oldest ones of the person beyond the number that is kept.
func (s *PlanImports) Insert(ctx context.Context, i plan.Import, rows []plan.Row) error {
	settings, err := jsonParam(i.Settings)
	if err != nil {
		return err
	}
	list := make([]tableRow, len(rows))
	for n, row := range rows {
		list[n] = tableRow(row)
	}
	raw, err := jsonParam(list)
	if err != nil {
		return err
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("plan_import").Create(map[string]any{
			"id": i.ID, "workspace_id": i.WorkspaceID, "user_id": i.UserID, "name": i.Name, "format": i.Format, "settings": settings,
			"created_at": i.CreatedAt, "updated_at": i.UpdatedAt,
		}).Error
		if err != nil {
			return classify(err)
		}
		err = s.db.conn(ctx).Exec(`INSERT INTO plan_import_row (import_id, line, key, cells)
			SELECT ?, r.line, r.key, r.cells FROM jsonb_to_recordset(CAST(? AS jsonb)) AS r(line integer, key text, cells jsonb)`,
			i.ID, raw).Error
		if err != nil {
			return classify(err)
		}
		return classify(s.db.conn(ctx).Exec(`DELETE FROM plan_import WHERE id IN (SELECT id FROM plan_import
			WHERE workspace_id = ? AND user_id = ? ORDER BY id DESC OFFSET ?)`, i.WorkspaceID, i.UserID, plan.MaxKept).Error)
	})
}

// of selects an import of a person.
func (s *PlanImports) of(ctx context.Context, workspace ident.Workspace, person ident.User) *gorm.DB {
	return s.db.conn(ctx).Table("plan_import").Where("workspace_id = ? AND user_id = ?", workspace, person)
}

// List returns the imports of a person, newest first.
func (s *PlanImports) List(ctx context.Context, workspace ident.Workspace, person ident.User) ([]plan.Import, error) {
	var rows []planImportRow
	if err := s.of(ctx, workspace, person).Select(planImportColumns).Order("id DESC").Find(&rows).Error; err != nil {
		return nil, classify(err)
	}
	list := make([]plan.Import, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromPlanImportRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Get returns an import of a person; NOT_FOUND if it does not exist. Within a transaction it is locked until the end.
func (s *PlanImports) Get(
	ctx context.Context, workspace ident.Workspace, person ident.User, id ident.PlanImport,
) (plan.Import, error) {
	var rows []planImportRow
	find := s.of(ctx, workspace, person).Select(planImportColumns).Where("id = ?", id)
	if s.db.InTx(ctx) {
		find = find.Clauses(locking("FOR UPDATE"))
	}
	if err := find.Find(&rows).Error; err != nil {
		return plan.Import{}, classify(err)
	}
	if len(rows) == 0 {
		return plan.Import{}, notFound("import")
	}
	return fromPlanImportRow(rows[0])
}

// Rows returns the rows of an import in their order.
func (s *PlanImports) Rows(ctx context.Context, id ident.PlanImport) ([]plan.Row, error) {
	var rows []struct {
		Line  int
		Key   string
		Cells []byte
	}
	err := s.db.conn(ctx).Table("plan_import_row").Select("line, key, cells").Where("import_id = ?", id).Order("line").
		Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	list := make([]plan.Row, len(rows))
	for i, r := range rows {
		list[i] = plan.Row{Line: r.Line, Key: r.Key}
		if err := json.Unmarshal(r.Cells, &list[i].Cells); err != nil {
			return nil, fmt.Errorf("decode row of import: %w", err)
		}
	}
	return list, nil
}

// Configure replaces the settings of an import.
func (s *PlanImports) Configure(ctx context.Context, id ident.PlanImport, settings plan.Settings, now time.Time) error {
	raw, err := jsonParam(settings)
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Table("plan_import").Where("id = ?", id).
		Updates(map[string]any{"settings": raw, "updated_at": now}).Error)
}

// SetCells replaces the cells of a row; NOT_FOUND if the import has no such row.
func (s *PlanImports) SetCells(ctx context.Context, id ident.PlanImport, line int, cells []string, now time.Time) error {
	raw, err := jsonParam(cells)
	if err != nil {
		return err
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		changed := s.db.conn(ctx).Table("plan_import_row").Where("import_id = ? AND line = ?", id, line).Update("cells", raw)
		if changed.Error != nil {
			return classify(changed.Error)
		}
		if changed.RowsAffected == 0 {
			return notFound("row")
		}
		return classify(s.db.conn(ctx).Table("plan_import").Where("id = ?", id).Update("updated_at", now).Error)
	})
}

// Delete deletes an import of a person; NOT_FOUND if it does not exist.
func (s *PlanImports) Delete(
	ctx context.Context, workspace ident.Workspace, person ident.User, id ident.PlanImport,
) error {
	deleted := s.of(ctx, workspace, person).Where("id = ?", id).Delete(nil)
	return affected(deleted, "import")
}

// Prune deletes the imports that have not changed since a time.
func (s *PlanImports) Prune(ctx context.Context, before time.Time) error {
	return classify(s.db.conn(ctx).Table("plan_import").Where("updated_at < ?", before).Delete(nil).Error)
}
