package postgres

import (
	"context"
	"encoding/hex"
	"time"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/ident"
)

// InsertSession stores a session of a browser that has signed in.
func (s *Users) InsertSession(ctx context.Context, hash [32]byte, of user.Session) error {
	return classify(s.db.conn(ctx).Table("user_session").Create(map[string]any{
		"id": of.ID, "user_id": of.UserID, "hash": hash[:], "created_at": of.CreatedAt, "last_seen_at": of.CreatedAt,
		"agent": of.Agent, "place": of.Place, "method": string(of.Method), "confirmed_at": of.CreatedAt,
	}).Error)
}

type sessionRow struct {
	ID         ident.Session
	UserID     ident.User
	CreatedAt  time.Time
	LastSeenAt time.Time
	Agent      string
	Place      string
	Current    bool
	Method     string
}

func fromSessionRow(r sessionRow) user.Session {
	return user.Session{
		ID: r.ID, UserID: r.UserID, CreatedAt: r.CreatedAt, LastSeenAt: r.LastSeenAt, Agent: r.Agent, Place: r.Place,
		Current: r.Current, Method: user.Method(r.Method),
	}
}

// Sessions returns the sessions of a user that started after began and were last seen after seen, the one with the hash
// first, then by last use.
func (s *Users) Sessions(
	ctx context.Context, id ident.User, current [32]byte, began, seen time.Time,
) ([]user.Session, error) {
	var rows []sessionRow
	err := s.db.conn(ctx).Table("user_session").
		Select("id, user_id, created_at, last_seen_at, agent, place, method, hash = ? AS current", current[:]).
		Where("user_id = ? AND created_at > ? AND last_seen_at > ?", id, began, seen).
		Order("current DESC, last_seen_at DESC, id").Find(&rows).Error
	return each(rows, fromSessionRow), classify(err)
}

// Watching returns those of the hashes whose sessions are of members of the workspace, or of the live one of a test one, started after began and were last
// seen after seen. It does not count as a use of the sessions.
func (s *Users) Watching(
	ctx context.Context, workspaceID ident.Workspace, hashes [][32]byte, began, seen time.Time,
) ([][32]byte, error) {
	wanted := make(textArray, len(hashes))
	for i, hash := range hashes {
		wanted[i] = hex.EncodeToString(hash[:])
	}
	var found [][]byte
	err := s.db.conn(ctx).Table("user_session s").Joins("JOIN app_user u ON u.id = s.user_id").
		Joins("JOIN workspace_member m ON m.user_id = s.user_id").
		Where("m.workspace_id = (SELECT COALESCE(live_id, id) FROM workspace WHERE id = ?)", workspaceID).
		Where("u.disabled_at IS NULL").
		Where("s.hash IN (SELECT decode(h, 'hex') FROM unnest(CAST(? AS text[])) h)", wanted).
		Where("s.created_at > ? AND s.last_seen_at > ?", began, seen).Pluck("s.hash", &found).Error
	watching := make([][32]byte, 0, len(found))
	for _, hash := range found {
		watching = append(watching, [32]byte(hash))
	}
	return watching, classify(err)
}

// EndUserSession ends a session of the user; NOT_FOUND if the user has no such session.
func (s *Users) EndUserSession(ctx context.Context, of ident.User, id ident.Session) error {
	result := s.db.conn(ctx).Table("user_session").Where("id = ? AND user_id = ?", id, of).Delete(nil)
	return affected(result, "session")
}

// Rename changes the name of a user; NOT_FOUND if the user does not exist.
func (s *Users) Rename(ctx context.Context, id ident.User, name string) error {
	result := s.db.conn(ctx).Table("app_user").Where("id = ?", id).Update("name", name)
	return affected(result, "user")
}

// SetShortcuts turns the keyboard shortcuts of a single key on or off.
func (s *Users) SetShortcuts(ctx context.Context, id ident.User, off bool) error {
	return classify(s.db.conn(ctx).Table("app_user").Where("id = ?", id).Update("shortcuts_off", off).Error)
}

// PruneSessions deletes the sessions that started before began or were last seen before seen.
func (s *Users) PruneSessions(ctx context.Context, began, seen time.Time) (int64, error) {
	result := s.db.conn(ctx).Table("user_session").Where("created_at < ? OR last_seen_at < ?", began, seen).Delete(nil)
	return result.RowsAffected, classify(result.Error)
}
