package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/ident"
)

type dayNoteRow struct {
	ID          ident.Note
	WorkspaceID ident.Workspace
	Day         time.Time
	Content     string
	Author      string
	CreatedAt   time.Time
}

// DayNotes stores the notes on days of the calendar.
type DayNotes struct{ db *DB }

// NewDayNotes returns the store.
func NewDayNotes(db *DB) *DayNotes { return &DayNotes{db: db} }

// List returns the notes of a workspace from a day on, before another one, by day.
func (s *DayNotes) List(ctx context.Context, of ident.Workspace, from, to time.Time) ([]plan.Note, error) {
	var rows []dayNoteRow
	err := s.db.conn(ctx).Table("calendar_note").Where("workspace_id = ?", of).
		Where("day >= ?::date AND day < ?::date", from.Format(time.DateOnly), to.Format(time.DateOnly)).
		Order("day, created_at, id").Find(&rows).Error
	notes := make([]plan.Note, len(rows))
	for i, r := range rows {
		notes[i] = plan.Note{
			ID: r.ID, WorkspaceID: r.WorkspaceID, Day: r.Day.UTC(), Text: r.Content, Author: r.Author, CreatedAt: r.CreatedAt,
		}
	}
	return notes, classify(err)
}

// Insert stores a note.
func (s *DayNotes) Insert(ctx context.Context, n plan.Note) error {
	return classify(s.db.conn(ctx).Table("calendar_note").Create(map[string]any{
		"id": n.ID, "workspace_id": n.WorkspaceID, "day": n.Day.Format(time.DateOnly), "content": n.Text, "author": n.Author,
		"created_at": n.CreatedAt,
	}).Error)
}

// Delete deletes a note; NOT_FOUND when the workspace has no such note.
func (s *DayNotes) Delete(ctx context.Context, of ident.Workspace, id ident.Note) error {
	result := s.db.conn(ctx).Table("calendar_note").Where("id = ? AND workspace_id = ?", id, of).Delete(nil)
	return affected(result, "note")
}
