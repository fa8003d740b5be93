package postgres

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/evergreen"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type evergreenRow struct {
	ID          ident.Evergreen
	WorkspaceID ident.Workspace
	ChannelID   ident.Channel
	AuthorID    ident.User
	Content     []byte
	Cooldown    int
	LastAt      *time.Time
	Fault       string
	CreatedAt   time.Time
}

func fromEvergreenRow(r evergreenRow) evergreen.Post {
	return evergreen.Post{
		ID: r.ID, WorkspaceID: r.WorkspaceID, ChannelID: r.ChannelID, AuthorID: r.AuthorID, Content: r.Content, Cooldown: r.Cooldown,
		LastAt: value(r.LastAt).UTC(), Fault: r.Fault, CreatedAt: r.CreatedAt,
	}
}

type evergreenRuleRow struct {
	ChannelID   ident.Channel
	WorkspaceID ident.Workspace
	Active      bool
	PerDay      int
	DaysAhead   int
}

func fromEvergreenRuleRow(r evergreenRuleRow) evergreen.Rule {
	return evergreen.Rule{ChannelID: r.ChannelID, WorkspaceID: r.WorkspaceID, Active: r.Active, PerDay: r.PerDay, Ahead: r.DaysAhead}
}

// Evergreens stores posts that fill free slots.
type Evergreens struct{ db *DB }

// NewEvergreens returns the store.
func NewEvergreens(db *DB) *Evergreens { return &Evergreens{db: db} }

// List returns the posts of a workspace, in the order of their creation.
func (s *Evergreens) List(ctx context.Context, of ident.Workspace) ([]evergreen.Post, error) {
	var rows []evergreenRow
	err := s.db.conn(ctx).Table("evergreen").Where("workspace_id = ?", of).Order("id").Find(&rows).Error
	return each(rows, fromEvergreenRow), classify(err)
}

// Of returns the posts of a channel, in the order of their creation. The caller must have checked the channel.
func (s *Evergreens) Of(ctx context.Context, id ident.Channel) ([]evergreen.Post, error) {
	var rows []evergreenRow
	err := s.db.conn(ctx).Table("evergreen").Where("channel_id = ?", id).Order("id").Find(&rows).Error
	return each(rows, fromEvergreenRow), classify(err)
}

// Get returns a post; NOT_FOUND when the workspace has no such post.
func (s *Evergreens) Get(ctx context.Context, of ident.Workspace, id ident.Evergreen) (evergreen.Post, error) {
	var row evergreenRow
	err := s.db.conn(ctx).Table("evergreen").Where("id = ? AND workspace_id = ?", id, of).Take(&row).Error
	return fromEvergreenRow(row), rowError(err, "evergreen post")
}

// Put stores a post in place of an earlier version.
func (s *Evergreens) Put(ctx context.Context, p evergreen.Post) error {
	return classify(s.db.conn(ctx).Table("evergreen").Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"author_id", "cooldown", "last_at", "fault"}),
	}).Create(map[string]any{
		"id": p.ID, "workspace_id": p.WorkspaceID, "channel_id": p.ChannelID, "author_id": p.AuthorID, "content": string(p.Content),
		"cooldown": p.Cooldown, "last_at": optional(p.LastAt), "fault": p.Fault, "created_at": p.CreatedAt,
	}).Error)
}

// Delete deletes a post; those that were made of it stay. NOT_FOUND when the workspace has no such post.
func (s *Evergreens) Delete(ctx context.Context, of ident.Workspace, id ident.Evergreen) error {
	return affected(s.db.conn(ctx).Table("evergreen").Where("id = ? AND workspace_id = ?", id, of).Delete(nil), "evergreen post")
}

// Rules returns the rules of a workspace's channels. A channel without one is missing.
func (s *Evergreens) Rules(ctx context.Context, of ident.Workspace) (map[ident.Channel]evergreen.Rule, error) {
	var rows []evergreenRuleRow
	err := s.db.conn(ctx).Table("evergreen_rule").Where("workspace_id = ?", of).Find(&rows).Error
	rules := make(map[ident.Channel]evergreen.Rule, len(rows))
	for _, r := range rows {
		rules[r.ChannelID] = fromEvergreenRuleRow(r)
	}
	return rules, classify(err)
}

// PutRule stores the rule of a channel, which the caller has checked.
func (s *Evergreens) PutRule(ctx context.Context, r evergreen.Rule) error {
	return classify(s.db.conn(ctx).Table("evergreen_rule").Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "channel_id"}}, DoUpdates: clause.AssignmentColumns([]string{"active", "per_day", "days_ahead"}),
	}).Create(map[string]any{
		"channel_id": r.ChannelID, "workspace_id": r.WorkspaceID, "active": r.Active, "per_day": r.PerDay, "days_ahead": r.Ahead,
	}).Error)
}

// Active returns the channels of all workspaces whose free slots are filled.
func (s *Evergreens) Active(ctx context.Context) (ids []ident.Channel, err error) {
	err = s.db.conn(ctx).Table("evergreen_rule").Where("active").Order("channel_id").Pluck("channel_id", &ids).Error
	return ids, classify(err)
}

// Claim locks the rule of a channel in the transaction of ctx; false if another process holds it, or it is not active.
func (s *Evergreens) Claim(ctx context.Context, id ident.Channel) (evergreen.Rule, bool, error) {
	var row evergreenRuleRow
	err := s.db.conn(ctx).Table("evergreen_rule").Where("channel_id = ? AND active", id).
		Clauses(locking("FOR UPDATE SKIP LOCKED")).Take(&row).Error
	if err = rowError(err, "rule"); apperr.Is(err, apperr.NotFound) {
		return evergreen.Rule{}, false, nil
	}
	return fromEvergreenRuleRow(row), err == nil, err
}

// Filled returns the slots of a channel in a period that were filled before.
func (s *Evergreens) Filled(ctx context.Context, id ident.Channel, from, until time.Time) (times []time.Time, err error) {
	err = s.db.conn(ctx).Table("evergreen_slot").Where("channel_id = ? AND at >= ? AND at <= ?", id, from, until).Pluck("at", &times).Error
	return times, classify(err)
}

// Fill records that a slot is filled. It reports false if it was recorded before.
func (s *Evergreens) Fill(ctx context.Context, of evergreen.Post, at time.Time, created ident.Post) (bool, error) {
	stored := s.db.conn(ctx).Table("evergreen_slot").Clauses(clause.OnConflict{DoNothing: true}).Create(map[string]any{
		"channel_id": of.ChannelID, "at": at, "evergreen_id": of.ID, "post_id": optional(created),
	})
	return stored.RowsAffected > 0, classify(stored.Error)
}
