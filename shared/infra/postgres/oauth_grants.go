package postgres

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// Grants stores the authorizations that users give to clients: requests, grants, codes and tokens. Values held by a
// client or a browser are stored only as SHA-256 hashes.
type Grants struct {
	db  *DB
	box *secretbox.Keyring
}

// NewGrants returns the store. The keyring seals the seeds from which successors of refresh tokens are derived.
func NewGrants(db *DB, box *secretbox.Keyring) *Grants { return &Grants{db: db, box: box} }

type grantRow struct {
	ID          ident.Grant
	ClientID    string
	UserID      ident.User
	WorkspaceID ident.Workspace
	Scopes      textArray
	Resource    string
	CreatedAt   time.Time
	RevokedAt   *time.Time
}

const grantColumns = `id, client_id, user_id, workspace_id, scopes, resource, created_at, revoked_at`

func fromGrantRow(r grantRow) oauth.Grant {
	return oauth.Grant{
		ID: r.ID, ClientID: r.ClientID, UserID: r.UserID, WorkspaceID: r.WorkspaceID,
		Scopes: fromArray[credential.Scope](r.Scopes), Resource: r.Resource,
		CreatedAt: r.CreatedAt, RevokedAt: value(r.RevokedAt),
	}
}

// InsertRequest stores a client's authorization request until the user decides.
func (s *Grants) InsertRequest(
	ctx context.Context, hash [32]byte, r oauth.AuthorizationRequest, expires time.Time,
) error {
	return classify(s.db.conn(ctx).Table("oauth_request").Create(map[string]any{
		"client_id": r.ClientID, "hash": hash[:], "redirect_uri": r.RedirectURI, "state": r.State,
		"scopes": toArray(r.Scopes), "resource": r.Resource, "challenge": r.Challenge, "expires_at": expires,
	}).Error)
}

type requestRow struct {
	ClientID    string
	RedirectURI string `gorm:"column:redirect_uri"`
	State       string
	Scopes      textArray
	Resource    string
	Challenge   string
}

const requestColumns = `client_id, redirect_uri, state, scopes, resource, challenge`

// Request returns an authorization request; NOT_FOUND if it is decided, has expired, or does not exist.
func (s *Grants) Request(ctx context.Context, hash [32]byte, now time.Time) (oauth.AuthorizationRequest, error) {
	var rows []requestRow
	err := s.pending(ctx, hash, now).Select(requestColumns).Find(&rows).Error
	return oneRequest(rows, err)
}

// TakeRequest is Request for the decision: it also deletes the request, so that it can be decided only once.
func (s *Grants) TakeRequest(ctx context.Context, hash [32]byte, now time.Time) (oauth.AuthorizationRequest, error) {
	var rows []requestRow
	err := s.pending(ctx, hash, now).Clauses(returning(requestColumns)).Delete(&rows).Error
	return oneRequest(rows, err)
}

// pending selects an authorization request that is not decided and has not expired.
func (s *Grants) pending(ctx context.Context, hash [32]byte, now time.Time) *gorm.DB {
	return s.db.conn(ctx).Table("oauth_request").Where("hash = ? AND expires_at > ?", hash[:], now)
}

func oneRequest(rows []requestRow, err error) (oauth.AuthorizationRequest, error) {
	if err != nil {
		return oauth.AuthorizationRequest{}, classify(err)
	}
	if len(rows) == 0 {
		return oauth.AuthorizationRequest{}, notFound("authorization request")
	}
	row := rows[0]
	return oauth.AuthorizationRequest{
		ClientID: row.ClientID, RedirectURI: row.RedirectURI, State: row.State,
		Scopes: fromArray[credential.Scope](row.Scopes), Resource: row.Resource, Challenge: row.Challenge,
	}, nil
}

// Insert stores a grant with its code. A registered client no longer expires, because it is now in use.
func (s *Grants) Insert(ctx context.Context, hash [32]byte, c oauth.Code) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.insertGrant(ctx, c.Grant); err != nil {
			return err
		}
		return s.db.conn(ctx).Table("oauth_code").Create(map[string]any{
			"grant_id": c.Grant.ID, "hash": hash[:], "redirect_uri": c.RedirectURI, "challenge": c.Challenge,
			"expires_at": c.ExpiresAt,
		}).Error
	})
}

// insertGrant stores a grant. A registered client no longer expires.
func (s *Grants) insertGrant(ctx context.Context, g oauth.Grant) error {
	err := s.db.conn(ctx).Table("oauth_grant").Create(&grantRow{
		ID: g.ID, ClientID: g.ClientID, UserID: g.UserID, WorkspaceID: g.WorkspaceID, Scopes: toArray(g.Scopes),
		Resource: g.Resource, CreatedAt: g.CreatedAt,
	}).Error
	if err != nil {
		return err
	}
	return s.db.conn(ctx).Table("oauth_client").Where("id = ? AND expires_at IS NOT NULL", g.ClientID).
		Update("expires_at", nil).Error
}

// LockCode returns a code and marks it as used. It locks the code for the transaction that redeems it; a later caller
// finds it used. It returns NOT_FOUND if the code does not exist.
func (s *Grants) LockCode(ctx context.Context, hash [32]byte, now time.Time) (oauth.Code, error) {
	var row struct {
		Grant       grantRow `gorm:"embedded;embeddedPrefix:g_"`
		RedirectURI string   `gorm:"column:redirect_uri"`
		Challenge   string
		ExpiresAt   time.Time
		UsedAt      *time.Time
	}
	err := s.db.conn(ctx).Table("oauth_code c").Joins("JOIN oauth_grant g ON g.id = c.grant_id").
		Select("c.redirect_uri, c.challenge, c.expires_at, c.used_at, "+prefixed("g", "g_", grantColumns)).
		Where("c.hash = ?", hash[:]).Clauses(locking("FOR UPDATE")).Take(&row).Error
	if err != nil {
		return oauth.Code{}, rowError(err, "code")
	}
	err = s.db.conn(ctx).Table("oauth_code").Where("hash = ? AND used_at IS NULL", hash[:]).Update("used_at", now).Error
	if err != nil {
		return oauth.Code{}, classify(err)
	}
	return oauth.Code{
		Grant: fromGrantRow(row.Grant), RedirectURI: row.RedirectURI, Challenge: row.Challenge, ExpiresAt: row.ExpiresAt,
		UsedAt: value(row.UsedAt),
	}, nil
}

// Revoke ends a grant and all its tokens at once. Revoking it again changes nothing.
func (s *Grants) Revoke(ctx context.Context, id ident.Grant, now time.Time) error {
	return classify(s.db.conn(ctx).Table("oauth_grant").Where("id = ? AND revoked_at IS NULL", id).
		Update("revoked_at", now).Error)
}

// stillMember excludes the grants of users who have left the workspace or may no longer sign in.
const stillMember = `JOIN workspace_member m ON m.user_id = g.user_id AND m.workspace_id = g.workspace_id
	JOIN app_user u ON u.id = g.user_id AND u.disabled_at IS NULL`

// AccessToken returns an access token by its hash, with the plan of its workspace. It returns NOT_FOUND if the token
// does not exist or the user who granted it could no longer grant it. It has only scopes that the user's role has now.
func (s *Grants) AccessToken(ctx context.Context, hash [32]byte) (oauth.Access, workspace.Plan, error) {
	var row struct {
		Grant     grantRow  `gorm:"embedded;embeddedPrefix:g_"`
		Client    clientRow `gorm:"embedded;embeddedPrefix:c_"`
		Scopes    textArray
		ExpiresAt time.Time
		UsedAt    *time.Time
		Plan      string
		Role      string
		Channels  *textArray
	}
	err := s.db.conn(ctx).Table("oauth_access_token a").Joins("JOIN oauth_grant g ON g.id = a.grant_id").
		Joins("JOIN oauth_client c ON c.id = g.client_id").Joins("JOIN workspace w ON w.id = g.workspace_id").
		Joins(stillMember).Select("a.scopes, a.expires_at, a.used_at, w.plan, m.role, m.channels, "+
		prefixed("g", "g_", grantColumns)+", "+prefixed("c", "c_", clientColumns)).
		Where("a.hash = ?", hash[:]).Take(&row).Error
	return oauth.Access{
		Grant: fromGrantRow(row.Grant), Program: fromClientRow(row.Client).Title(),
		Scopes:    still(fromArray[credential.Scope](row.Scopes), member.Role(row.Role)),
		Person:    append([]credential.Permission{}, member.Role(row.Role).Permissions()...),
		ExpiresAt: row.ExpiresAt, UsedAt: value(row.UsedAt), Channels: fromChannels(row.Channels),
	}, workspace.Plan(row.Plan), rowError(err, "access token")
}

// still returns the scopes that the role has. A member may have had another role when the grant was made.
func still(scopes []credential.Scope, role member.Role) []credential.Scope {
	return slices.DeleteFunc(scopes, func(scope credential.Scope) bool { return !role.Allows(scope) })
}

// Used records the first use of an access token. From then on, the refresh token before it no longer returns the same
// tokens.
func (s *Grants) Used(ctx context.Context, hash [32]byte, now time.Time) error {
	return classify(s.db.conn(ctx).Table("oauth_access_token").Where("hash = ? AND used_at IS NULL", hash[:]).
		Update("used_at", now).Error)
}

// Prune deletes expired requests, tokens one day after they expire, and grants with their codes when no token is left.
func (s *Grants) Prune(ctx context.Context, now time.Time) error {
	yesterday := now.AddDate(0, 0, -1)
	// Anyone can create requests, so they are deleted without a grace period.
	if err := s.db.conn(ctx).Table("oauth_request").Where("expires_at < ?", now).Delete(nil).Error; err != nil {
		return classify(err)
	}
	for _, table := range []string{"oauth_access_token", "oauth_refresh_token", "oauth_device"} {
		if err := s.db.conn(ctx).Table(table).Where("expires_at < ?", yesterday).Delete(nil).Error; err != nil {
			return classify(err)
		}
	}
	return classify(s.db.conn(ctx).Table("oauth_grant").Where("created_at < ?", yesterday).
		Where("NOT EXISTS (SELECT FROM oauth_access_token a WHERE a.grant_id = oauth_grant.id)").
		Where("NOT EXISTS (SELECT FROM oauth_refresh_token r WHERE r.grant_id = oauth_grant.id)").Delete(nil).Error)
}

// usable excludes the grants that have ended and those whose last refresh token expires before the given time.
const usable = `g.revoked_at IS NULL AND EXISTS (SELECT FROM oauth_refresh_token r WHERE r.grant_id = g.id AND r.used_at IS NULL AND r.expires_at > ?)`

// Allowed is a client that a user has authorized in one workspace.
type Allowed struct {
	Grant     oauth.Grant
	Client    oauth.Client
	Workspace string // name of the workspace
}

// Allowed returns the user's grants that are not revoked and have a usable token, newest first.
func (s *Grants) Allowed(ctx context.Context, id ident.User, now time.Time) ([]Allowed, error) {
	var rows []struct {
		Grant     grantRow  `gorm:"embedded;embeddedPrefix:g_"`
		Client    clientRow `gorm:"embedded;embeddedPrefix:c_"`
		Workspace string
	}
	err := s.db.conn(ctx).Table("oauth_grant g").Joins("JOIN oauth_client c ON c.id = g.client_id").
		Joins("JOIN workspace w ON w.id = g.workspace_id").
		Select(prefixed("g", "g_", grantColumns)+", "+prefixed("c", "c_", clientColumns)+", w.name AS workspace").
		Where("g.user_id = ?", id).Where(usable, now).Order("g.id DESC").Scan(&rows).Error
	allowed := make([]Allowed, len(rows))
	for i, row := range rows {
		allowed[i] = Allowed{Grant: fromGrantRow(row.Grant), Client: fromClientRow(row.Client), Workspace: row.Workspace}
	}
	return allowed, classify(err)
}

// Granted is a grant of a workspace.
type Granted struct {
	Grant  oauth.Grant
	Client oauth.Client
	Person string // name of the user who allowed it
}

// OfWorkspace returns the grants of a workspace that are still stored, revoked ones too, newest first.
func (s *Grants) OfWorkspace(ctx context.Context, id ident.Workspace) ([]Granted, error) {
	var rows []struct {
		Grant  grantRow  `gorm:"embedded;embeddedPrefix:g_"`
		Client clientRow `gorm:"embedded;embeddedPrefix:c_"`
		Person string
	}
	err := s.db.conn(ctx).Table("oauth_grant g").Joins("JOIN oauth_client c ON c.id = g.client_id").
		Joins("JOIN app_user u ON u.id = g.user_id").
		Select(prefixed("g", "g_", grantColumns)+", "+prefixed("c", "c_", clientColumns)+", u.name AS person").
		Where("g.workspace_id = ?", id).Order("g.id DESC").Scan(&rows).Error
	granted := make([]Granted, len(rows))
	for i, row := range rows {
		granted[i] = Granted{Grant: fromGrantRow(row.Grant), Client: fromClientRow(row.Client), Person: row.Person}
	}
	return granted, classify(err)
}

// TakeBack revokes a grant of the user; NOT_FOUND if the user has no such grant. Revoking it again changes nothing.
func (s *Grants) TakeBack(ctx context.Context, user ident.User, id ident.Grant, now time.Time) error {
	result := s.db.conn(ctx).Table("oauth_grant").Where("id = ? AND user_id = ?", id, user).
		Update("revoked_at", gorm.Expr("COALESCE(revoked_at, ?)", now))
	return affected(result, "grant")
}
