package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/kernel/ident"
)

// ClientLinks stores the links by which people without an account see posts. Secrets are stored only as their SHA-256.
type ClientLinks struct{ db *DB }

// NewClientLinks returns the store.
func NewClientLinks(db *DB) *ClientLinks { return &ClientLinks{db: db} }

type clientLinkRow struct {
	ID           ident.ClientLink
	WorkspaceID  ident.Workspace
	CreatedBy    ident.User
	Name         string
	Personal     bool
	MayComment   bool
	MayDecide    bool
	PasswordHash string
	CreatedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    *time.Time
	SeenAt       *time.Time
}

const clientLinkColumns = `id, workspace_id, created_by, name, personal, may_comment, may_decide, password_hash, created_at, expires_at,
	revoked_at, seen_at`

func fromClientLinkRow(r clientLinkRow) clientlink.Link {
	return clientlink.Link{
		ID: r.ID, WorkspaceID: r.WorkspaceID, CreatedBy: r.CreatedBy, Name: r.Name, Personal: r.Personal, Comments: r.MayComment,
		Decides: r.MayDecide, PasswordHash: r.PasswordHash, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
		RevokedAt: value(r.RevokedAt), SeenAt: value(r.SeenAt),
	}
}

// Insert stores a link with its posts.
func (s *ClientLinks) Insert(ctx context.Context, hash [32]byte, l clientlink.Link) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("client_link").Create(map[string]any{
			"id": l.ID, "workspace_id": l.WorkspaceID, "created_by": l.CreatedBy, "hash": hash[:], "name": l.Name,
			"personal": l.Personal, "may_comment": l.Comments, "may_decide": l.Decides, "password_hash": l.PasswordHash,
			"created_at": l.CreatedAt, "expires_at": l.ExpiresAt,
		}).Error
		if err != nil {
			return classify(err)
		}
		rows := make([]map[string]any, len(l.Posts))
		for i, p := range l.Posts {
			rows[i] = map[string]any{"link_id": l.ID, "n": i, "post_id": p.PostID, "planned_at": optional(p.PlannedAt)}
		}
		return classify(s.db.conn(ctx).Table("client_link_post").Create(rows).Error)
	})
}

// ByHash returns the link with a secret; NOT_FOUND if there is none.
func (s *ClientLinks) ByHash(ctx context.Context, hash [32]byte) (clientlink.Link, error) {
	return s.one(ctx, "hash = ?", hash[:])
}

func (s *ClientLinks) one(ctx context.Context, where string, args ...any) (clientlink.Link, error) {
	var row clientLinkRow
	err := s.db.conn(ctx).Table("client_link").Select(clientLinkColumns).Where(where, args...).Take(&row).Error
	if err != nil {
		return clientlink.Link{}, rowError(err, "link")
	}
	l := fromClientLinkRow(row)
	err = s.readPosts(ctx, []*clientlink.Link{&l})
	return l, err
}

// readPosts reads the posts of links.
func (s *ClientLinks) readPosts(ctx context.Context, links []*clientlink.Link) error {
	var rows []struct {
		LinkID    ident.ClientLink
		PostID    ident.Post
		PlannedAt *time.Time
	}
	err := s.db.conn(ctx).Table("client_link_post").Select("link_id, post_id, planned_at").
		Where("link_id = ANY(CAST(? AS uuid[]))", idArray(each(links, func(l *clientlink.Link) ident.ClientLink { return l.ID }))).
		Order("link_id, n").Find(&rows).Error
	for _, l := range links {
		for _, r := range rows {
			if r.LinkID == l.ID {
				l.Posts = append(l.Posts, clientlink.Shared{PostID: r.PostID, PlannedAt: value(r.PlannedAt)})
			}
		}
	}
	return classify(err)
}

// List returns the links of a workspace for guests, the newest first.
func (s *ClientLinks) List(ctx context.Context, workspace ident.Workspace) ([]clientlink.Link, error) {
	var rows []clientLinkRow
	err := s.db.conn(ctx).Table("client_link").Select(clientLinkColumns).Where("workspace_id = ? AND NOT personal", workspace).
		Order("id DESC").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	links := each(rows, fromClientLinkRow)
	into := make([]*clientlink.Link, len(links))
	for i := range links {
		into[i] = &links[i]
	}
	return links, s.readPosts(ctx, into)
}

// Get returns a link for guests; NOT_FOUND if the workspace has no such link.
func (s *ClientLinks) Get(ctx context.Context, workspace ident.Workspace, id ident.ClientLink) (clientlink.Link, error) {
	return s.one(ctx, "id = ? AND workspace_id = ? AND NOT personal", id, workspace)
}

// Revoke ends a link at once, unless it was revoked before.
func (s *ClientLinks) Revoke(ctx context.Context, id ident.ClientLink, now time.Time) error {
	return classify(s.db.conn(ctx).Table("client_link").Where("id = ? AND revoked_at IS NULL", id).Update("revoked_at", now).Error)
}

// RemovePost takes a post from a link; NOT_FOUND if it is not one of the link.
func (s *ClientLinks) RemovePost(ctx context.Context, id ident.ClientLink, of ident.Post) error {
	return affected(s.db.conn(ctx).Table("client_link_post").Where("link_id = ? AND post_id = ?", id, of).Delete(nil), "post")
}

// linkSeen is the precision of the time at which a link was last opened, so that not each request writes.
const linkSeen = time.Minute

// Seen records that the page of a link was opened.
func (s *ClientLinks) Seen(ctx context.Context, l clientlink.Link, now time.Time) error {
	if l.SeenAt.After(now.Add(-linkSeen)) {
		return nil
	}
	return classify(s.db.conn(ctx).Table("client_link").Where("id = ?", l.ID).Update("seen_at", now).Error)
}

// Prune deletes links that ended before a time.
func (s *ClientLinks) Prune(ctx context.Context, before time.Time) error {
	return classify(s.db.conn(ctx).Exec("DELETE FROM client_link WHERE LEAST(expires_at, revoked_at) < ?", before).Error)
}
