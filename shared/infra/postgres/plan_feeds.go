package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/ident"
)

// Feeds stores the calendar feeds of people, one for each person and workspace. Addresses are stored only as their SHA-256.
type Feeds struct{ db *DB }

// NewFeeds returns the store.
func NewFeeds(db *DB) *Feeds { return &Feeds{db: db} }

// Put stores a feed in place of an earlier one of the person. It returns NOT_FOUND unless the person is a member of the
// workspace, or of its live one.
func (s *Feeds) Put(ctx context.Context, hash [32]byte, f plan.Feed) error {
	stored := s.db.conn(ctx).Exec(`INSERT INTO calendar_feed (workspace_id, user_id, member_of, hash, created_at)
		SELECT w.id, m.user_id, m.workspace_id, ?, ? FROM workspace w JOIN workspace_member m ON m.workspace_id = COALESCE(w.live_id, w.id)
		WHERE w.id = ? AND m.user_id = ?
		ON CONFLICT (workspace_id, user_id) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at, read_at = NULL`,
		hash[:], f.CreatedAt, f.WorkspaceID, f.UserID)
	return affected(stored, "workspace")
}

type feedRow struct {
	WorkspaceID ident.Workspace
	UserID      ident.User
	CreatedAt   time.Time
	ReadAt      *time.Time
}

func fromFeedRow(r feedRow) plan.Feed {
	return plan.Feed{WorkspaceID: r.WorkspaceID, UserID: r.UserID, CreatedAt: r.CreatedAt, ReadAt: value(r.ReadAt)}
}

// Get returns the feed of a person; zero if there is none.
func (s *Feeds) Get(ctx context.Context, workspace ident.Workspace, person ident.User) (plan.Feed, error) {
	var rows []feedRow
	err := s.db.conn(ctx).Table("calendar_feed").Select("workspace_id, user_id, created_at, read_at").
		Where("workspace_id = ? AND user_id = ?", workspace, person).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return plan.Feed{}, classify(err)
	}
	return fromFeedRow(rows[0]), nil
}

// feedSeen is the precision of the time at which a feed was last read, so that not each request writes.
const feedSeen = time.Hour

// Read returns the person of a feed and their membership by the hash of the feed's address, and records that it was read.
// NOT_FOUND if there is none, if it was revoked, and while the person may not sign in.
func (s *Feeds) Read(ctx context.Context, hash [32]byte, now time.Time) (ident.User, Membership, error) {
	var rows []struct {
		Workspace workspaceRow `gorm:"embedded"`
		Role      string
		UserID    ident.User
		ReadAt    *time.Time
	}
	err := s.db.conn(ctx).Table("calendar_feed f").
		Select(prefixed("w", "", workspaceColumns)+", m.role, f.user_id, f.read_at").
		Joins("JOIN workspace w ON w.id = f.workspace_id").
		Joins("JOIN workspace_member m ON m.user_id = f.user_id AND m.workspace_id = f.member_of").
		Joins("JOIN app_user u ON u.id = f.user_id AND u.disabled_at IS NULL").
		Where("f.hash = ?", hash[:]).Find(&rows).Error
	if err != nil {
		return ident.User{}, Membership{}, classify(err)
	}
	if len(rows) == 0 {
		return ident.User{}, Membership{}, notFound("calendar")
	}
	r := rows[0]
	if value(r.ReadAt).Before(now.Add(-feedSeen)) {
		err = s.db.conn(ctx).Table("calendar_feed").Where("hash = ?", hash[:]).Update("read_at", now).Error
	}
	return r.UserID, Membership{Workspace: fromWorkspaceRow(r.Workspace), Role: member.Role(r.Role)}, classify(err)
}

// Delete ends the feed of a person, if there is one.
func (s *Feeds) Delete(ctx context.Context, workspace ident.Workspace, person ident.User) error {
	return classify(s.db.conn(ctx).Table("calendar_feed").Where("workspace_id = ? AND user_id = ?", workspace, person).
		Delete(nil).Error)
}
