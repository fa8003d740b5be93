package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type seriesRow struct {
	ID          ident.Series
	WorkspaceID ident.Workspace
	AuthorID    ident.User
	Rule        []byte
	Content     []byte
	NextDay     *time.Time
	NextAt      *time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func fromSeriesRow(r seriesRow) (series.Series, error) {
	s := series.Series{
		ID: r.ID, WorkspaceID: r.WorkspaceID, AuthorID: r.AuthorID, Content: r.Content, Next: value(r.NextDay).UTC(),
		NextAt: value(r.NextAt).UTC(), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if err := json.Unmarshal(r.Rule, &s.Rule); err != nil {
		return s, fmt.Errorf("decode the rule of a series: %w", err)
	}
	return s, nil
}

// Series stores recurring posts.
type Series struct{ db *DB }

// NewSeries returns the store.
func NewSeries(db *DB) *Series { return &Series{db: db} }

// Put stores a series in place of an earlier version.
func (s *Series) Put(ctx context.Context, of series.Series) error {
	rule, err := jsonParam(of.Rule)
	if err != nil {
		return err
	}
	values := map[string]any{
		"id": of.ID, "workspace_id": of.WorkspaceID, "author_id": of.AuthorID, "rule": rule, "content": string(of.Content),
		"next_day": nil, "next_at": nil, "created_at": of.CreatedAt, "updated_at": of.UpdatedAt,
	}
	if !of.Next.IsZero() {
		values["next_day"], values["next_at"] = of.Next.Format(time.DateOnly), of.NextAt
	}
	return classify(s.db.conn(ctx).Table("series").Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "id"}},
		DoUpdates: clause.AssignmentColumns([]string{"author_id", "rule", "content", "next_day", "next_at", "updated_at"}),
	}).Create(values).Error)
}

// List returns the series of a workspace: those that go on first, by their next time, then those that have ended.
func (s *Series) List(ctx context.Context, workspace ident.Workspace) ([]series.Series, error) {
	var rows []seriesRow
	err := s.db.conn(ctx).Table("series").Where("workspace_id = ?", workspace).Order("next_at NULLS LAST, id DESC").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	list := make([]series.Series, len(rows))
	for i, r := range rows {
		if list[i], err = fromSeriesRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Get returns a series; NOT_FOUND when the workspace has no such series.
func (s *Series) Get(ctx context.Context, workspace ident.Workspace, id ident.Series) (series.Series, error) {
	return s.take(s.db.conn(ctx).Where("workspace_id = ?", workspace), id)
}

// Lock is Get for a change in the transaction of ctx.
func (s *Series) Lock(ctx context.Context, workspace ident.Workspace, id ident.Series) (series.Series, error) {
	locked := s.db.conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
	return s.take(locked.Where("workspace_id = ?", workspace), id)
}

func (s *Series) take(query *gorm.DB, id ident.Series) (series.Series, error) {
	var row seriesRow
	if err := query.Table("series").Where("id = ?", id).Take(&row).Error; err != nil {
		return series.Series{}, rowError(err, "series")
	}
	return fromSeriesRow(row)
}

// Due returns series with a day to make whose time is before another one, and that no other process holds.
func (s *Series) Due(ctx context.Context, before time.Time, limit int) (ids []ident.Series, err error) {
	err = s.db.conn(ctx).Table("series").Where("next_at < ?", before).Order("next_at, id").Limit(limit).Pluck("id", &ids).Error
	return ids, classify(err)
}

// Claim locks a series of any workspace in the transaction of ctx; false if another process holds it, or it was deleted.
func (s *Series) Claim(ctx context.Context, id ident.Series) (series.Series, bool, error) {
	found, err := s.take(s.db.conn(ctx).Clauses(clause.Locking{
		Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked,
	}), id)
	if apperr.Is(err, apperr.NotFound) {
		return found, false, nil
	}
	return found, err == nil, err
}

// Delete deletes a series and its days; its posts stay. NOT_FOUND when the workspace has no such series.
func (s *Series) Delete(ctx context.Context, workspace ident.Workspace, id ident.Series) error {
	return affected(s.db.conn(ctx).Table("series").Where("id = ? AND workspace_id = ?", id, workspace).Delete(nil), "series")
}

type seriesDayRow struct {
	SeriesID ident.Series
	Day      time.Time
	At       time.Time
	GroupID  *ident.Group
	Why      string
}

// Record stores a day of a series. It reports false, and stores nothing, if the day was recorded before.
func (s *Series) Record(ctx context.Context, o series.Occurrence) (bool, error) {
	row := map[string]any{
		"series_id": o.SeriesID, "day": o.Day.Format(time.DateOnly), "at": o.At, "group_id": nil, "why": o.Why,
	}
	if !o.GroupID.IsZero() {
		row["group_id"] = o.GroupID
	}
	stored := s.db.conn(ctx).Table("series_day").Clauses(clause.OnConflict{DoNothing: true}).Create(row)
	return stored.RowsAffected > 0, classify(stored.Error)
}

// Unrecord deletes the record of a day, so that it can be made again.
func (s *Series) Unrecord(ctx context.Context, id ident.Series, day time.Time) error {
	return classify(s.db.conn(ctx).Table("series_day").Where("series_id = ? AND day = ?", id, day.Format(time.DateOnly)).
		Delete(nil).Error)
}

// maxSeriesDays is the maximum number of days that Days returns.
const maxSeriesDays = 500

// Days returns the recorded days of a series from a time on, earliest first.
func (s *Series) Days(ctx context.Context, id ident.Series, from time.Time) ([]series.Occurrence, error) {
	return s.days(s.db.conn(ctx).Where("series_id = ? AND at >= ?", id, from).Order("at").Limit(maxSeriesDays))
}

// Past returns up to limit recorded days of a series before a time, latest first.
func (s *Series) Past(ctx context.Context, id ident.Series, before time.Time, limit int) ([]series.Occurrence, error) {
	return s.days(s.db.conn(ctx).Where("series_id = ? AND at < ?", id, before).Order("at DESC").Limit(limit))
}

// Of returns the day of a series to which a set belongs; false if it belongs to none.
func (s *Series) Of(ctx context.Context, workspace ident.Workspace, set ident.Group) (series.Occurrence, bool, error) {
	found, err := s.days(s.db.conn(ctx).Where(
		"group_id = ? AND series_id IN (SELECT id FROM series WHERE workspace_id = ?)", set, workspace).Limit(1))
	if err != nil || len(found) == 0 {
		return series.Occurrence{}, false, err
	}
	return found[0], true, nil
}

func (s *Series) days(query *gorm.DB) ([]series.Occurrence, error) {
	var rows []seriesDayRow
	err := query.Table("series_day").Find(&rows).Error
	list := make([]series.Occurrence, len(rows))
	for i, r := range rows {
		list[i] = series.Occurrence{SeriesID: r.SeriesID, Day: r.Day.UTC(), At: r.At.UTC(), GroupID: value(r.GroupID), Why: r.Why}
	}
	return list, classify(err)
}
