package postgres

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/source"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type sourceRow struct {
	ID           ident.Source
	WorkspaceID  ident.Workspace
	AuthorID     ident.User
	URL          string `gorm:"column:url"`
	Title        string
	Template     string
	ChannelIDs   textArray `gorm:"column:channel_ids"`
	Paused       bool
	Failures     int
	Fault        string
	Etag         string
	LastModified string
	ReadAt       *time.Time
	NextAt       time.Time
	CreatedAt    time.Time
}

func fromSourceRow(r sourceRow) source.Source {
	return source.Source{
		ID: r.ID, WorkspaceID: r.WorkspaceID, AuthorID: r.AuthorID, URL: r.URL, Title: r.Title, Template: r.Template,
		Channels: fromIDArray[ident.Channel](r.ChannelIDs), Paused: r.Paused, Failures: r.Failures, Fault: r.Fault, ETag: r.Etag,
		Modified: r.LastModified, ReadAt: value(r.ReadAt), NextAt: r.NextAt, CreatedAt: r.CreatedAt,
	}
}

// Sources stores feeds of other sites.
type Sources struct{ db *DB }

// NewSources returns the store.
func NewSources(db *DB) *Sources { return &Sources{db: db} }

// List returns the sources of a workspace, oldest first.
func (s *Sources) List(ctx context.Context, of ident.Workspace) ([]source.Source, error) {
	var rows []sourceRow
	err := s.db.conn(ctx).Table("source").Where("workspace_id = ?", of).Order("id").Find(&rows).Error
	return each(rows, fromSourceRow), classify(err)
}

// Get returns a source; NOT_FOUND when the workspace has no such source.
func (s *Sources) Get(ctx context.Context, of ident.Workspace, id ident.Source) (source.Source, error) {
	var row sourceRow
	err := s.db.conn(ctx).Table("source").Where("id = ? AND workspace_id = ?", id, of).Take(&row).Error
	return fromSourceRow(row), rowError(err, "feed")
}

// Insert stores a source; ErrNameInUse if the workspace has its address.
func (s *Sources) Insert(ctx context.Context, of source.Source) error {
	return named(s.db.conn(ctx).Table("source").Create(map[string]any{
		"id": of.ID, "workspace_id": of.WorkspaceID, "author_id": of.AuthorID, "url": of.URL, "title": of.Title, "template": of.Template,
		"channel_ids": idArray(of.Channels), "paused": of.Paused, "failures": of.Failures, "fault": of.Fault, "etag": of.ETag,
		"last_modified": of.Modified, "read_at": optional(of.ReadAt), "next_at": of.NextAt, "created_at": of.CreatedAt,
	}).Error)
}

// Update stores what a person changed of a source; NOT_FOUND when the workspace has no such source.
func (s *Sources) Update(ctx context.Context, of source.Source) error {
	result := s.db.conn(ctx).Table("source").Where("id = ? AND workspace_id = ?", of.ID, of.WorkspaceID).Updates(map[string]any{
		"author_id": of.AuthorID, "template": of.Template, "channel_ids": idArray(of.Channels), "paused": of.Paused,
		"failures": of.Failures, "fault": of.Fault, "next_at": of.NextAt,
	})
	return affected(result, "feed")
}

// Heard stores the outcome of a reading. It changes nothing that people change, except that it may pause the source.
func (s *Sources) Heard(ctx context.Context, of source.Source) error {
	columns := map[string]any{
		"failures": of.Failures, "fault": of.Fault, "etag": of.ETag, "last_modified": of.Modified, "read_at": optional(of.ReadAt),
	}
	if of.Paused {
		columns["paused"] = true
	}
	return classify(s.db.conn(ctx).Table("source").Where("id = ?", of.ID).Updates(columns).Error)
}

// Delete deletes a source with what it has seen; its drafts stay. NOT_FOUND when the workspace has no such source.
func (s *Sources) Delete(ctx context.Context, of ident.Workspace, id ident.Source) error {
	return affected(s.db.conn(ctx).Table("source").Where("id = ? AND workspace_id = ?", id, of).Delete(nil), "feed")
}

// Due returns sources that are to be read at a time, in any workspace.
func (s *Sources) Due(ctx context.Context, now time.Time, limit int) (ids []ident.Source, err error) {
	err = s.db.conn(ctx).Table("source").Where("NOT paused AND next_at <= ?", now).Order("next_at, id").Limit(limit).Pluck("id", &ids).Error
	return ids, classify(err)
}

// Claim takes a due source until its next reading; false if another process took it, or it is paused or gone.
func (s *Sources) Claim(ctx context.Context, id ident.Source, now, next time.Time) (source.Source, bool, error) {
	var row sourceRow
	taken := s.db.conn(ctx).Table("source").Where("id = ? AND NOT paused AND next_at <= ?", id, now).Update("next_at", next)
	if taken.Error != nil || taken.RowsAffected == 0 {
		return source.Source{}, false, classify(taken.Error)
	}
	err := rowError(s.db.conn(ctx).Table("source").Where("id = ?", id).Take(&row).Error, "feed")
	if apperr.Is(err, apperr.NotFound) {
		return source.Source{}, false, nil
	}
	return fromSourceRow(row), err == nil, err
}

// See records an item of a source. It reports false if the item was recorded before.
func (s *Sources) See(ctx context.Context, of ident.Source, key [32]byte, now time.Time) (bool, error) {
	stored := s.db.conn(ctx).Table("source_item").Clauses(clause.OnConflict{DoNothing: true}).
		Create(map[string]any{"source_id": of, "key": key[:], "seen_at": now})
	return stored.RowsAffected > 0, classify(stored.Error)
}

// Seen returns the keys of the recorded items of a source.
func (s *Sources) Seen(ctx context.Context, of ident.Source) (map[[32]byte]bool, error) {
	var keys [][]byte
	err := s.db.conn(ctx).Table("source_item").Where("source_id = ?", of).Pluck("key", &keys).Error
	seen := make(map[[32]byte]bool, len(keys))
	for _, key := range keys {
		seen[[32]byte(key)] = true
	}
	return seen, classify(err)
}
