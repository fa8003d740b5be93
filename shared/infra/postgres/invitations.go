package postgres

import (
	"context"
	"encoding/hex"
	"time"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Invitations stores the links by which people join workspaces, and the link of the first owner. Links are stored only
// as their SHA-256.
type Invitations struct{ db *DB }

// NewInvitations returns the store.
func NewInvitations(db *DB) *Invitations { return &Invitations{db: db} }

type invitationRow struct {
	ID          ident.Invitation
	WorkspaceID ident.Workspace
	Email       email.Address
	Role        string
	InvitedBy   ident.User
	CreatedAt   time.Time
	ExpiresAt   time.Time
	AcceptedAt  *time.Time
	RevokedAt   *time.Time
	Channels    *textArray
}

const invitationColumns = `id, workspace_id, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at, channels`

func fromInvitationRow(r invitationRow) member.Invitation {
	return member.Invitation{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Email: r.Email, Role: member.Role(r.Role), InvitedBy: r.InvitedBy,
		CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, AcceptedAt: value(r.AcceptedAt), RevokedAt: value(r.RevokedAt),
		Channels: fromChannels(r.Channels),
	}
}

// Insert stores a new invitation. It revokes the open invitations of the workspace to the same address.
func (s *Invitations) Insert(ctx context.Context, hash [32]byte, i member.Invitation) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("invitation").
			Where("workspace_id = ? AND "+sameEmail, i.WorkspaceID, i.Email.Folded()).
			Where("accepted_at IS NULL AND revoked_at IS NULL").Update("revoked_at", i.CreatedAt).Error
		if err != nil {
			return classify(err)
		}
		return classify(s.db.conn(ctx).Table("invitation").Create(map[string]any{
			"id": i.ID, "workspace_id": i.WorkspaceID, "email": i.Email, "role": string(i.Role), "hash": hash[:],
			"invited_by": i.InvitedBy, "created_at": i.CreatedAt, "expires_at": i.ExpiresAt, "channels": toChannels(i.Channels),
		}).Error)
	})
}

// ByHash returns an invitation by the hash of its link; NOT_FOUND if it does not exist.
func (s *Invitations) ByHash(ctx context.Context, hash [32]byte) (member.Invitation, error) {
	var rows []invitationRow
	err := s.db.conn(ctx).Table("invitation").Select(invitationColumns).Where("hash = ?", hash[:]).Find(&rows).Error
	if err != nil {
		return member.Invitation{}, classify(err)
	}
	if len(rows) == 0 {
		return member.Invitation{}, notFound("invitation")
	}
	return fromInvitationRow(rows[0]), nil
}

// Open returns the invitations of a workspace that can be accepted, newest first.
func (s *Invitations) Open(
	ctx context.Context, workspace ident.Workspace, now time.Time,
) ([]member.Invitation, error) {
	var rows []invitationRow
	err := s.db.conn(ctx).Table("invitation").Select(invitationColumns).
		Where("workspace_id = ? AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?", workspace, now).
		Order("id DESC").Find(&rows).Error
	return each(rows, fromInvitationRow), classify(err)
}

// CountSince returns how many invitations the workspace has made since a time, with those that have ended.
func (s *Invitations) CountSince(ctx context.Context, workspace ident.Workspace, since time.Time) (int64, error) {
	var created int64
	err := s.db.conn(ctx).Table("invitation").Where("workspace_id = ? AND created_at > ?", workspace, since).Count(&created).Error
	return created, classify(err)
}

// Accept marks an open invitation as accepted; false if it is no longer open. Of concurrent callers, one gets true.
func (s *Invitations) Accept(ctx context.Context, id ident.Invitation, now time.Time) (bool, error) {
	result := s.db.conn(ctx).Table("invitation").
		Where("id = ? AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?", id, now).
		Update("accepted_at", now)
	return result.RowsAffected == 1, classify(result.Error)
}

// Revoke ends an open invitation; NOT_FOUND if the workspace has no such open invitation.
func (s *Invitations) Revoke(
	ctx context.Context, workspace ident.Workspace, id ident.Invitation, now time.Time,
) (member.Invitation, error) {
	var rows []invitationRow
	result := s.db.conn(ctx).Table("invitation").Clauses(returning(invitationColumns)).Model(&rows).
		Where("id = ? AND workspace_id = ? AND accepted_at IS NULL AND revoked_at IS NULL", id, workspace).
		Update("revoked_at", now)
	if result.Error != nil {
		return member.Invitation{}, classify(result.Error)
	}
	if len(rows) == 0 {
		return member.Invitation{}, notFound("invitation")
	}
	return fromInvitationRow(rows[0]), nil
}

// StartSetup stores the link of the first owner in place of an earlier one; false if there are users already.
func (s *Invitations) StartSetup(ctx context.Context, hash [32]byte, now, expires time.Time) (bool, error) {
	result := s.db.conn(ctx).Exec(`INSERT INTO setup_link (hash, created_at, expires_at)
		SELECT decode(@hash, 'hex'), CAST(@now AS timestamptz), CAST(@expires AS timestamptz)
		WHERE NOT EXISTS (SELECT FROM app_user)
		ON CONFLICT (only_one) DO UPDATE
		SET hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		map[string]any{"hash": hex.EncodeToString(hash[:]), "now": now, "expires": expires})
	return result.RowsAffected == 1, classify(result.Error)
}

// SetupOpen reports whether the link of the first owner can be used.
func (s *Invitations) SetupOpen(ctx context.Context, hash [32]byte, now time.Time) (bool, error) {
	var found int64
	err := s.db.conn(ctx).Table("setup_link").Where("hash = ? AND expires_at > ?", hash[:], now).
		Where("NOT EXISTS (SELECT FROM app_user)").Count(&found).Error
	return found > 0, classify(err)
}

// TakeSetup uses the link of the first owner up; false if it cannot be used. Of concurrent callers, one gets true.
func (s *Invitations) TakeSetup(ctx context.Context, hash [32]byte, now time.Time) (bool, error) {
	result := s.db.conn(ctx).Table("setup_link").Where("hash = ? AND expires_at > ?", hash[:], now).
		Where("NOT EXISTS (SELECT FROM app_user)").Delete(nil)
	return result.RowsAffected == 1, classify(result.Error)
}
