package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Join adds a user to a workspace with a role. Joining again changes nothing. It returns NOT_FOUND if the workspace or
// the user does not exist.
func (s *Users) Join(
	ctx context.Context, id ident.User, workspaceID ident.Workspace, role member.Role, now time.Time,
) error {
	result := s.db.conn(ctx).Exec(joinWorkspace, map[string]any{
		"workspace": workspaceID, "user": id, "role": string(role), "now": now,
	})
	return affected(result, "workspace or user")
}

// Role returns the user's role in a workspace; empty if the user is not a member or may not sign in.
func (s *Users) Role(ctx context.Context, id ident.User, workspaceID ident.Workspace) (member.Role, error) {
	var role string
	err := s.db.conn(ctx).Table("workspace_member m").Joins("JOIN app_user u ON u.id = m.user_id").
		Where("m.user_id = ? AND m.workspace_id = ? AND u.disabled_at IS NULL", id, workspaceID).
		Select("m.role").Scan(&role).Error
	return member.Role(role), classify(err)
}

// Membership is a workspace of a user, with the user's role there. The members of a workspace are also those of its test
// workspace.
type Membership struct {
	Workspace workspace.Workspace
	Role      member.Role
	Channels  []ident.Channel // to which the member is limited; nil: every channel
	Sequence  int64           // of the workspace's last event
	Logo      media.Object    // thumbnail of the workspace's logo; zero: none
}

// Memberships returns the user's workspaces, live and test ones, with the user's roles, ordered by name.
func (s *Users) Memberships(ctx context.Context, id ident.User) ([]Membership, error) {
	var rows []struct {
		Workspace workspaceRow `gorm:"embedded"`
		Role      string
		Channels  *textArray
		Sequence  int64
		LogoKey   string
		LogoType  string
	}
	err := s.db.conn(ctx).Table("workspace w").
		Select(prefixed("w", "", workspaceColumns)+", m.role, m.channels, COALESCE(e.last, 0) AS sequence, "+
			"COALESCE(l.thumbnail_key, '') AS logo_key, COALESCE(l.thumbnail_type, '') AS logo_type").
		Joins("JOIN workspace_member m ON m.workspace_id = w.id OR m.workspace_id = w.live_id").
		Joins("LEFT JOIN event_sequence e ON e.workspace_id = w.id").
		Joins("LEFT JOIN media_reference r ON r.owner_type = ? AND r.owner_id = m.workspace_id", string(media.OwnerWorkspaceLogo)).
		Joins("LEFT JOIN media l ON l.id = r.media_id").Where("m.user_id = ?", id).
		Order("lower(w.name), w.id").Find(&rows).Error
	memberships := make([]Membership, len(rows))
	for i, row := range rows {
		memberships[i] = Membership{
			Workspace: fromWorkspaceRow(row.Workspace), Role: member.Role(row.Role), Channels: fromChannels(row.Channels), Sequence: row.Sequence,
			Logo: media.Object{Key: row.LogoKey, ContentType: row.LogoType},
		}
	}
	return memberships, classify(err)
}

type memberRow struct {
	UserID     ident.User
	Email      email.Address
	Name       string
	Role       string
	JoinedAt   time.Time
	DisabledAt *time.Time
	Channels   *textArray
}

// fromChannels returns the channels to which a member is limited; nil: every channel.
func fromChannels(column *textArray) []ident.Channel {
	if column == nil {
		return nil
	}
	return append([]ident.Channel{}, fromIDArray[ident.Channel](*column)...)
}

func toChannels(channels []ident.Channel) *textArray {
	if channels == nil {
		return nil
	}
	return new(idArray(channels))
}

// Limit limits a member to channels; nil: to none. NOT_FOUND if the user is not a member.
func (s *Users) Limit(ctx context.Context, id ident.User, workspaceID ident.Workspace, channels []ident.Channel) error {
	return affected(s.db.conn(ctx).Table("workspace_member").Where("user_id = ? AND workspace_id = ?", id, workspaceID).
		Update("channels", toChannels(channels)), "member")
}

func fromMemberRow(r memberRow) member.Member {
	return member.Member{
		UserID: r.UserID, Email: r.Email, Name: r.Name, Role: member.Role(r.Role), JoinedAt: r.JoinedAt,
		DisabledAt: value(r.DisabledAt), Channels: fromChannels(r.Channels),
	}
}

func (s *Users) members(ctx context.Context, workspaceID ident.Workspace) *gorm.DB {
	return s.db.conn(ctx).Table("workspace_member m").Joins("JOIN app_user u ON u.id = m.user_id").
		Select("m.user_id, u.email, u.name, m.role, m.created_at AS joined_at, u.disabled_at, m.channels").
		Where("m.workspace_id = ?", workspaceID)
}

// Members returns the members of a workspace, ordered by email address.
func (s *Users) Members(ctx context.Context, workspaceID ident.Workspace) ([]member.Member, error) {
	var rows []memberRow
	err := s.members(ctx, workspaceID).Order(`lower(u.email COLLATE "C")`).Scan(&rows).Error
	return each(rows, fromMemberRow), classify(err)
}

// LockMembers returns the members of a workspace and locks the workspace until the transaction ends, so that two
// changes of members do not both rely on the other's owner. It returns NOT_FOUND if the workspace does not exist.
func (s *Users) LockMembers(ctx context.Context, workspaceID ident.Workspace) ([]member.Member, error) {
	plan, err := lockPlan(ctx, s.db, workspaceID)
	if err != nil {
		return nil, classify(err)
	}
	if plan == "" {
		return nil, notFound("workspace")
	}
	return s.Members(ctx, workspaceID)
}

// SetRole changes the role of a member, and revokes what the member gave out and could not give out in the new role. It
// returns NOT_FOUND if the user is not a member.
func (s *Users) SetRole(
	ctx context.Context, id ident.User, workspaceID ident.Workspace, role member.Role, now time.Time,
) error {
	return classify(s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("workspace_member").Where("user_id = ? AND workspace_id = ?", id, workspaceID).
			Update("role", string(role))
		if result.Error == nil && result.RowsAffected == 0 {
			return notFound("member")
		}
		if result.Error != nil {
			return result.Error
		}
		return s.revokeBeyond(ctx, id, workspaceID, role, now)
	}))
}

// revokeBeyond revokes the open invitations, the API keys and the client links that a user made in a workspace and could not
// make with the given role; all of them for the empty role.
func (s *Users) revokeBeyond(
	ctx context.Context, id ident.User, workspaceID ident.Workspace, role member.Role, now time.Time,
) error {
	var beyond []string
	for _, offered := range member.Roles() {
		if !role.Allows(offered.Assigns()) {
			beyond = append(beyond, string(offered))
		}
	}
	if len(beyond) > 0 {
		err := s.db.conn(ctx).Table("invitation").Where("workspace_id = ? AND invited_by = ?", workspaceID, id).
			Where("accepted_at IS NULL AND revoked_at IS NULL AND role IN ?", beyond).Update("revoked_at", now).Error
		if err != nil {
			return err
		}
	}
	if !role.Allows(credential.PostsPublish) || !role.Allows(credential.PostsApprove) {
		err := s.db.conn(ctx).Table("client_link").
			Where("workspace_id IN (SELECT id FROM workspace WHERE id = ? OR live_id = ?)", workspaceID, workspaceID).
			Where("created_by = ? AND revoked_at IS NULL", id).Update("revoked_at", now).Error
		if err != nil {
			return err
		}
	}
	if role.Allows(credential.KeysManage) {
		return nil
	}
	return s.db.conn(ctx).Table("api_key").
		Where("workspace_id IN (SELECT id FROM workspace WHERE id = ? OR live_id = ?)", workspaceID, workspaceID).
		Where("created_by = ? AND revoked_at IS NULL", id).Update("revoked_at", now).Error
}

// Leave ends a membership and revokes what the user gave out in the workspace: OAuth grants, API keys and invitations,
// which stay revoked if the user joins again. It reports false if there was no membership.
func (s *Users) Leave(ctx context.Context, id ident.User, workspaceID ident.Workspace, now time.Time) (bool, error) {
	var remaining bool
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("workspace_member").
			Where("user_id = ? AND workspace_id = ?", id, workspaceID).Delete(nil)
		if remaining = result.RowsAffected > 0; result.Error != nil || !remaining {
			return result.Error
		}
		if err := s.revokeBeyond(ctx, id, workspaceID, "", now); err != nil {
			return err
		}
		return s.db.conn(ctx).Table("oauth_grant").
			Where("user_id = ? AND workspace_id = ? AND revoked_at IS NULL", id, workspaceID).
			Update("revoked_at", now).Error
	})
	return remaining, classify(err)
}
