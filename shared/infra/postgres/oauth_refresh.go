package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/oauth"
	"socialpub.internal/shared/infra/secretbox"
)

// Pair is an access token and its refresh token, as they are stored.
type Pair struct {
	Grant          oauth.Grant
	Access         [32]byte
	Scopes         []credential.Scope // of the access token
	AccessExpires  time.Time
	Refresh        [32]byte
	RefreshExpires time.Time
	Follows        []byte // hash of the refresh token that was exchanged for the pair; nil if it was a code
}

// InsertPair stores new tokens.
func (s *Grants) InsertPair(ctx context.Context, p Pair) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.db.conn(ctx).Exec(`INSERT INTO oauth_access_token (grant_id, hash, follows, scopes, expires_at) VALUES (?, ?, ?, ?, ?)`,
			p.Grant.ID, p.Access[:], p.Follows, toArray(p.Scopes), p.AccessExpires).Error; err != nil {
			return err
		}
		return s.db.conn(ctx).Exec(`INSERT INTO oauth_refresh_token (grant_id, hash, follows, expires_at) VALUES (?, ?, ?, ?)`,
			p.Grant.ID, p.Refresh[:], p.Follows, p.RefreshExpires).Error
	})
}

func seedAAD(g oauth.Grant, hash [32]byte) secretbox.AAD {
	return secretbox.AAD{Kind: "oauth_refresh_token", Workspace: g.WorkspaceID.String(), Record: hex.EncodeToString(hash[:]), Field: "seed"}
}

// LockRefresh is Refresh for a transaction that exchanges the token. It locks the token's whole family.
func (s *Grants) LockRefresh(ctx context.Context, hash [32]byte) (oauth.Refresh, error) {
	// The lock needs its own statement, so that the next statement sees the changes of earlier transactions.
	err := s.db.conn(ctx).Exec(`SELECT FROM oauth_grant WHERE id = (SELECT grant_id FROM oauth_refresh_token WHERE hash = ?) FOR UPDATE`, hash[:]).Error
	if err != nil {
		return oauth.Refresh{}, classify(err)
	}
	return s.Refresh(ctx, hash)
}

// Refresh returns a refresh token. It returns NOT_FOUND if the token does not exist or the user who granted it could no
// longer grant it.
func (s *Grants) Refresh(ctx context.Context, hash [32]byte) (oauth.Refresh, error) {
	var row struct {
		Grant         grantRow `gorm:"embedded;embeddedPrefix:g_"`
		ExpiresAt     time.Time
		UsedAt        *time.Time
		Seed          []byte
		SuccessorUsed bool
	}
	err := s.db.conn(ctx).Raw(`SELECT r.expires_at, r.used_at, r.seed, `+prefixed("g", "g_", grantColumns)+`,
			EXISTS (SELECT FROM oauth_refresh_token n WHERE n.grant_id = r.grant_id AND n.follows = r.hash AND n.used_at IS NOT NULL)
			OR EXISTS (SELECT FROM oauth_access_token n WHERE n.grant_id = r.grant_id AND n.follows = r.hash AND n.used_at IS NOT NULL) AS successor_used
		FROM oauth_refresh_token r JOIN oauth_grant g ON g.id = r.grant_id `+stillMember+` WHERE r.hash = ?`, hash[:]).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return oauth.Refresh{}, notFound("refresh token")
	}
	if err != nil {
		return oauth.Refresh{}, classify(err)
	}
	r := oauth.Refresh{Grant: fromGrantRow(row.Grant), ExpiresAt: row.ExpiresAt, UsedAt: value(row.UsedAt), SuccessorUsed: row.SuccessorUsed}
	if len(row.Seed) > 0 {
		if r.Seed, err = s.box.Open(row.Seed, seedAAD(r.Grant, hash)); err != nil {
			return oauth.Refresh{}, fmt.Errorf("seed of a refresh token: %w", err)
		}
	}
	return r, nil
}

// UseRefresh records that a refresh token has been exchanged, and the seed from which its successors were derived.
func (s *Grants) UseRefresh(ctx context.Context, hash [32]byte, g oauth.Grant, seed []byte, now time.Time) error {
	sealed, err := s.box.Seal(seed, seedAAD(g, hash))
	if err != nil {
		return fmt.Errorf("seal seed: %w", err)
	}
	return classify(s.db.conn(ctx).Exec(`UPDATE oauth_refresh_token SET used_at = ?, seed = ? WHERE hash = ? AND used_at IS NULL`, now, sealed, hash[:]).Error)
}
