package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// MaxScratches is the number of scratches that a person can have in a workspace.
	MaxScratches = 100
	// ScratchLife is the time after its last change at which a scratch is deleted.
	ScratchLife = 90 * 24 * time.Hour
)

// Scratch holds the text of a person in the composer before it is a post. Only this person reads it.
type Scratch struct {
	ID          ident.Scratch
	WorkspaceID ident.Workspace
	UserID      ident.User
	Content     json.RawMessage
	Version     int // of the last save; counts from 1
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Scratches stores scratches.
type Scratches struct{ db *DB }

// NewScratches returns the store.
func NewScratches(db *DB) *Scratches { return &Scratches{db: db} }

type scratchRow struct {
	ID          ident.Scratch
	WorkspaceID ident.Workspace
	UserID      ident.User
	Content     []byte
	Version     int
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func fromScratchRow(r scratchRow) Scratch {
	return Scratch{r.ID, r.WorkspaceID, r.UserID, r.Content, r.Version, r.CreatedAt, r.UpdatedAt}
}

// of selects the scratches of a person in a workspace.
func (s *Scratches) of(ctx context.Context, workspace ident.Workspace, user ident.User) *gorm.DB {
	return s.db.conn(ctx).Table("scratch").Where("workspace_id = ? AND user_id = ?", workspace, user)
}

// List returns the scratches of a person in a workspace, last changed first.
func (s *Scratches) List(ctx context.Context, workspace ident.Workspace, user ident.User) ([]Scratch, error) {
	var rows []scratchRow
	err := s.of(ctx, workspace, user).Order("updated_at DESC, id DESC").Limit(MaxScratches).Find(&rows).Error
	return each(rows, fromScratchRow), classify(err)
}

// Get returns a scratch of a person; NOT_FOUND if the person has no such scratch in the workspace.
func (s *Scratches) Get(ctx context.Context, workspace ident.Workspace, user ident.User, id ident.Scratch) (Scratch, error) {
	var row scratchRow
	err := s.of(ctx, workspace, user).Where("id = ?", id).Take(&row).Error
	return fromScratchRow(row), rowError(err, "scratch")
}

// Save stores a scratch whose Version is the one that the person read, or zero for a new one. It returns the stored scratch,
// and whether it was stored: not if it was saved or deleted elsewhere since. Saving the same content twice is one save.
// QUOTA_EXCEEDED if the person has too many.
func (s *Scratches) Save(ctx context.Context, of Scratch) (saved Scratch, ok bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		var rows []scratchRow
		err := s.of(ctx, of.WorkspaceID, of.UserID).Model(&rows).Clauses(clause.Returning{}).
			Where("id = ? AND (version = ? OR content = CAST(? AS jsonb))", of.ID, of.Version, string(of.Content)).
			Updates(map[string]any{
				"content": gorm.Expr("CAST(? AS jsonb)", string(of.Content)), "version": gorm.Expr("version + 1"), "updated_at": of.UpdatedAt,
			}).Error
		if err != nil || len(rows) > 0 {
			if ok = err == nil; ok {
				saved = fromScratchRow(rows[0])
			}
			return err
		}
		if of.Version > 0 {
			return nil
		}
		var count int64
		if err := s.of(ctx, of.WorkspaceID, of.UserID).Count(&count).Error; err != nil {
			return err
		}
		if count >= MaxScratches {
			return apperr.New(apperr.QuotaExceeded, "You have %d unfinished posts. Finish or delete some of them.", count)
		}
		of.Version, of.CreatedAt = 1, of.UpdatedAt
		created := s.db.conn(ctx).Table("scratch").Clauses(clause.OnConflict{DoNothing: true}).Create(map[string]any{
			"id": of.ID, "workspace_id": of.WorkspaceID, "user_id": of.UserID, "content": string(of.Content), "version": 1,
			"created_at": of.CreatedAt, "updated_at": of.UpdatedAt,
		})
		saved, ok = of, created.RowsAffected > 0
		return created.Error
	})
	if _, known := errors.AsType[*apperr.Error](err); known {
		return Scratch{}, false, err
	}
	return saved, ok, classify(err)
}

// Delete deletes a scratch of a person, if there is one.
func (s *Scratches) Delete(ctx context.Context, workspace ident.Workspace, user ident.User, id ident.Scratch) error {
	return classify(s.of(ctx, workspace, user).Where("id = ?", id).Delete(nil).Error)
}

// Prune deletes up to limit scratches that have not changed within ScratchLife, and returns their number.
func (s *Scratches) Prune(ctx context.Context, limit int) (int, error) {
	old := s.db.conn(ctx).Table("scratch").Select("id").Where("updated_at < (?)", dbAgo(ScratchLife)).Limit(limit).
		Clauses(locking("FOR UPDATE SKIP LOCKED"))
	result := s.db.conn(ctx).Table("scratch").Where("id IN (?)", old).Delete(nil)
	if result.Error != nil {
		return 0, fmt.Errorf("prune scratches: %w", classify(result.Error))
	}
	return int(result.RowsAffected), nil
}
