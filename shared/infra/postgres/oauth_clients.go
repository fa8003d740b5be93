package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
)

// Clients stores the OAuth clients.
type Clients struct{ db *DB }

// NewClients returns the store.
func NewClients(db *DB) *Clients { return &Clients{db: db} }

type clientRow struct {
	ID           string
	Kind         string
	Name         string
	URI          string    `gorm:"column:uri"`
	RedirectURIs textArray `gorm:"column:redirect_uris"`
	Scopes       *textArray
	AuthMethod   string
	SecretHash   []byte
	CreatedAt    time.Time
	ExpiresAt    *time.Time
	FreshUntil   *time.Time
}

const clientColumns = `id, kind, name, uri, redirect_uris, scopes, auth_method, secret_hash, created_at, expires_at, fresh_until`

func fromClientRow(r clientRow) oauth.Client {
	c := oauth.Client{
		ID: r.ID, Kind: oauth.ClientKind(r.Kind), Name: r.Name, URI: r.URI, RedirectURIs: r.RedirectURIs,
		AuthMethod: oauth.AuthMethod(r.AuthMethod),
		SecretHash: r.SecretHash, CreatedAt: r.CreatedAt, ExpiresAt: value(r.ExpiresAt),
	}
	if r.Scopes != nil {
		c.Scopes = fromArray[credential.Scope](*r.Scopes)
	}
	return c
}

// Insert stores a client that was created here. It returns an error if the ID exists; the existing client is not
// changed.
func (s *Clients) Insert(ctx context.Context, c oauth.Client) error {
	return classify(s.db.conn(ctx).Table("oauth_client").Create(toClientRow(c, time.Time{})).Error)
}

// Refresh stores the current content of a published client's document, which is valid until fresh.
func (s *Clients) Refresh(ctx context.Context, c oauth.Client, fresh time.Time) error {
	return classify(s.db.conn(ctx).Table("oauth_client").Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "id"}},
		DoUpdates: clause.AssignmentColumns([]string{"name", "uri", "redirect_uris", "scopes", "fresh_until"}),
		Where:     clause.Where{Exprs: []clause.Expression{gorm.Expr("oauth_client.kind = 'PUBLISHED'")}},
	}).Create(toClientRow(c, fresh)).Error)
}

func toClientRow(c oauth.Client, fresh time.Time) *clientRow {
	row := &clientRow{
		ID: c.ID, Kind: string(c.Kind), Name: c.Name, URI: c.URI, RedirectURIs: c.RedirectURIs,
		AuthMethod: string(c.AuthMethod), SecretHash: c.SecretHash, CreatedAt: c.CreatedAt,
		ExpiresAt: optional(c.ExpiresAt), FreshUntil: optional(fresh),
	}
	if c.Scopes != nil {
		row.Scopes = new(toArray(c.Scopes))
	}
	return row
}

// Get returns a client and, for a published client, the time until which its document need not be read again; NOT_FOUND
// if it does not exist.
func (s *Clients) Get(ctx context.Context, id string) (c oauth.Client, fresh time.Time, err error) {
	var row clientRow
	err = s.db.conn(ctx).Table("oauth_client").Select(clientColumns).Where("id = ?", id).Take(&row).Error
	if err != nil {
		return oauth.Client{}, time.Time{}, rowError(err, "OAuth client")
	}
	return fromClientRow(row), value(row.FreshUntil), nil
}

// List returns the clients that the operator created, oldest first.
func (s *Clients) List(ctx context.Context) ([]oauth.Client, error) {
	var rows []clientRow
	err := s.db.conn(ctx).Table("oauth_client").Select(clientColumns).Where("kind = 'FIRST_PARTY'").
		Order("created_at, id").Find(&rows).Error
	return each(rows, fromClientRow), classify(err)
}

// ReplaceSecret replaces the secret of a client that the operator created; NOT_FOUND if there is no such client with a
// secret.
func (s *Clients) ReplaceSecret(ctx context.Context, id string, hash []byte) error {
	return one(s.db.conn(ctx).Table("oauth_client").
		Where("id = ? AND kind = 'FIRST_PARTY' AND secret_hash IS NOT NULL", id).Update("secret_hash", hash))
}

// Delete deletes a client of any kind, with its requests, grants and tokens; NOT_FOUND if it does not exist.
func (s *Clients) Delete(ctx context.Context, id string) error {
	return one(s.db.conn(ctx).Table("oauth_client").Where("id = ?", id).Delete(nil))
}

// grants selects the grants of the client of the outer query.
func (s *Clients) grants(ctx context.Context) *gorm.DB {
	return s.db.conn(ctx).Table("oauth_grant g").Select("1").Where("g.client_id = oauth_client.id")
}

// one converts zero affected rows to NOT_FOUND.
func one(result *gorm.DB) error {
	return affected(result, "OAuth client")
}

// Granted counts the grants of a client that are not revoked and have a usable token.
func (s *Clients) Granted(ctx context.Context, id string, now time.Time) (int, error) {
	var n int64
	err := s.db.conn(ctx).Table("oauth_grant g").Joins(stillMember).Where("g.client_id = ?", id).
		Where(usable, now).Count(&n).Error
	return int(n), classify(err)
}

// Prune deletes registered clients that were not authorized within their lifetime, which restarts when their last grant
// is gone. It also deletes documents that were not needed for a month.
func (s *Clients) Prune(ctx context.Context, now time.Time) (int64, error) {
	// It also clears the expiry of clients that have a grant, because a grant may be made while this statement runs.
	err := s.db.conn(ctx).Table("oauth_client").
		Where("kind = 'REGISTERED' AND (expires_at IS NULL) <> EXISTS (?)", s.grants(ctx)).
		Update("expires_at", gorm.Expr("CASE WHEN expires_at IS NULL THEN CAST(? AS timestamptz) END",
			now.Add(oauth.UnusedClientLife))).Error
	if err != nil {
		return 0, classify(err)
	}
	result := s.db.conn(ctx).Table("oauth_client").
		Where("expires_at < ? OR kind = 'PUBLISHED' AND fresh_until < ?", now, now.AddDate(0, -1, 0)).
		Where("NOT EXISTS (?)", s.grants(ctx)).Delete(nil)
	return result.RowsAffected, classify(result.Error)
}
