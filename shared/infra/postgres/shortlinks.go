package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// ShortLinks stores short addresses of links in posts.
type ShortLinks struct{ db *DB }

// NewShortLinks returns the store.
func NewShortLinks(db *DB) *ShortLinks { return &ShortLinks{db: db} }

// ShortLink is the short address of a link in one channel's post of what a person wrote.
type ShortLink struct {
	Code        string
	WorkspaceID ident.Workspace
	Scratch     ident.Scratch
	Channel     ident.Channel
	Target      string
}

// Code stores a link, and returns its code: that of an earlier call for the same link, or the given one. The code is empty if
// another link has the given one.
func (s *ShortLinks) Code(ctx context.Context, l ShortLink, now time.Time) (code string, err error) {
	err = s.db.conn(ctx).Exec(`INSERT INTO short_link (code, workspace_id, scratch_id, channel_id, target, created_at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, l.Code, l.WorkspaceID, l.Scratch, l.Channel, l.Target, now).Error
	if err != nil {
		return "", classify(err)
	}
	var found []string
	err = s.db.conn(ctx).Table("short_link").Where("workspace_id = ? AND scratch_id = ? AND channel_id = ? AND md5(target) = md5(?)",
		l.WorkspaceID, l.Scratch, l.Channel, l.Target).Pluck("code", &found).Error
	if err != nil || len(found) == 0 {
		return "", classify(err)
	}
	return found[0], nil
}

// Target returns the target of a code; NOT_FOUND if there is no such code.
func (s *ShortLinks) Target(ctx context.Context, code string) (target string, err error) {
	var found []string
	err = s.db.conn(ctx).Table("short_link").Where("code = ?", code).Pluck("target", &found).Error
	if err == nil && len(found) == 0 {
		return "", notFound("short link")
	}
	if err != nil {
		return "", classify(err)
	}
	return found[0], nil
}

// LinkClicks is the number of clicks on a short link.
type LinkClicks struct {
	Code   string
	Target string
	Clicks int64
}

// Clicks returns the clicks on those of the codes that belong to a workspace, by their codes.
func (s *ShortLinks) Clicks(ctx context.Context, of ident.Workspace, codes []string) (map[string]LinkClicks, error) {
	var rows []LinkClicks
	err := s.db.conn(ctx).Table("short_link").Select("code, target, clicks").
		Where("workspace_id = ? AND code IN ?", of, codes).Scan(&rows).Error
	found := make(map[string]LinkClicks, len(rows))
	for _, r := range rows {
		found[r.Code] = r
	}
	return found, classify(err)
}
