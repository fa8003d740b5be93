package postgres

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
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
		err := s.db.conn(ctx).Table("oauth_access_token").Create(map[string]any{
			"grant_id": p.Grant.ID, "hash": p.Access[:], "follows": p.Follows, "scopes": toArray(p.Scopes),
			"expires_at": p.AccessExpires,
		}).Error
		if err != nil {
			return err
		}
		return s.db.conn(ctx).Table("oauth_refresh_token").Create(map[string]any{
			"grant_id": p.Grant.ID, "hash": p.Refresh[:], "follows": p.Follows, "expires_at": p.RefreshExpires,
		}).Error
	})
}

func seedAAD(g oauth.Grant, hash [32]byte) secretbox.AAD {
	return secretbox.AAD{
		Kind: "oauth_refresh_token", Workspace: g.WorkspaceID.String(), Record: hex.EncodeToString(hash[:]), Field: "seed",
	}
}

// LockRefresh is Refresh for a transaction that exchanges the token. It locks the token's whole family.
func (s *Grants) LockRefresh(ctx context.Context, hash [32]byte) (oauth.Refresh, error) {
	// The lock needs its own statement, so that the next statement sees the changes of earlier transactions.
	var locked []ident.Grant
	err := s.db.conn(ctx).Table("oauth_grant").
		Where("id = (SELECT grant_id FROM oauth_refresh_token WHERE hash = ?)", hash[:]).
		Clauses(locking("FOR UPDATE")).Pluck("id", &locked).Error
	if err != nil {
		return oauth.Refresh{}, classify(err)
	}
	return s.Refresh(ctx, hash)
}

// successorUsed reports whether one of the tokens that follow a refresh token was used.
const successorUsed = `EXISTS (SELECT FROM oauth_refresh_token n
		WHERE n.grant_id = r.grant_id AND n.follows = r.hash AND n.used_at IS NOT NULL)
	OR EXISTS (SELECT FROM oauth_access_token n
		WHERE n.grant_id = r.grant_id AND n.follows = r.hash AND n.used_at IS NOT NULL) AS successor_used`

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
	err := s.db.conn(ctx).Table("oauth_refresh_token r").Joins("JOIN oauth_grant g ON g.id = r.grant_id").
		Joins(stillMember).
		Select("r.expires_at, r.used_at, r.seed, "+prefixed("g", "g_", grantColumns)+", "+successorUsed).
		Where("r.hash = ?", hash[:]).Take(&row).Error
	if err != nil {
		return oauth.Refresh{}, rowError(err, "refresh token")
	}
	r := oauth.Refresh{
		Grant: fromGrantRow(row.Grant), ExpiresAt: row.ExpiresAt, UsedAt: value(row.UsedAt),
		SuccessorUsed: row.SuccessorUsed,
	}
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
	return classify(s.db.conn(ctx).Table("oauth_refresh_token").Where("hash = ? AND used_at IS NULL", hash[:]).
		Updates(map[string]any{"used_at": now, "seed": sealed}).Error)
}
