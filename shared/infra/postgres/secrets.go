package postgres

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gorm.io/gorm"

	"fencepost.internal/shared/infra/secretbox"
)

// secretPlace is a column of sealed values. Every row has the place's AAD: kind and field are constants, and workspace
// and record are columns of the selection.
type secretPlace struct {
	name, from, table, column string
	kind, field               string
	workspace, record         string   // SQL
	keys                      []string // columns of the primary key, with qualifier
	casts                     []string // SQL types of these columns
}

// secretPlaces returns every column of sealed values. A test compares it with the columns in which programs store them.
func secretPlaces() []secretPlace {
	byID := func(name, table, column, kind, field string) secretPlace {
		return secretPlace{
			name: name, from: table + " t", table: table, column: column, kind: kind, field: field,
			workspace: "t.workspace_id", record: "CAST(t.id AS text)", keys: []string{"t.id"}, casts: []string{"uuid"},
		}
	}
	return []secretPlace{
		byID("channel credentials", "channel", "credentials", "channel", "credentials"),
		byID("webhook secrets", "webhook", "secret", "webhook", "secret"),
		byID("previous webhook secrets", "webhook", "previous_secret", "webhook", "secret"),
		byID("addresses of imports", "media_import", "url", "media_import", "url"),
		byID("attempts to connect", "connect_attempt", "secret", "connect_attempt", "secret"),
		{
			name: "mails", from: "mail t", table: "mail", column: "content", kind: "mail", field: "content",
			workspace: "'installation'", record: "CAST(t.id AS text)", keys: []string{"t.id"}, casts: []string{"uuid"},
		},
		{
			name: "addresses of notifications", from: "notice_way t", table: "notice_way", column: "address", kind: "notice_way",
			field: "address", workspace: "'installation'", record: "CAST(t.id AS text)", keys: []string{"t.id"}, casts: []string{"uuid"},
		},
		{
			name: "secrets of authenticator apps", from: "user_totp t", table: "user_totp", column: "secret",
			kind: "user_totp", field: "secret", workspace: "'installation'", record: "CAST(t.user_id AS text)",
			keys: []string{"t.user_id"}, casts: []string{"uuid"},
		},
		{
			name: "credentials of applications", from: "app_credential t", table: "app_credential", column: "value",
			kind: "app_credential", field: "value", workspace: "'installation'", record: "t.name",
			keys: []string{"t.name"}, casts: []string{"text"},
		},
		{
			name: "applications at servers", from: "server_application t", table: "server_application", column: "value",
			kind: "server_application", field: "value", workspace: "'installation'", record: "t.server || ' ' || t.redirect",
			keys: []string{"t.server", "t.redirect"}, casts: []string{"text", "text"},
		},
		{
			name: "stored responses", from: "idempotency_key t", table: "idempotency_key", column: "body",
			kind: "idempotency", field: "body", workspace: "t.workspace_id", record: "t.operation || ' ' || t.key",
			keys: []string{"t.workspace_id", "t.key"}, casts: []string{"uuid", "text"},
		},
		{
			name: "seeds of OAuth tokens", from: "oauth_refresh_token t JOIN oauth_grant g ON g.id = t.grant_id",
			table: "oauth_refresh_token", column: "seed", kind: "oauth_refresh_token", field: "seed",
			workspace: "g.workspace_id", record: "encode(t.hash, 'hex')", keys: []string{"t.hash"}, casts: []string{"bytea"},
		},
	}
}

// sealingKey is the SQL expression of the ID of the key that wraps a sealed value; see package secretbox for the format.
// It is empty for bytes that are not a sealed value.
func sealingKey(column string) string {
	return fmt.Sprintf(`CASE WHEN octet_length(%[1]s) > 2
		THEN encode(substring(%[1]s FROM 3 FOR get_byte(%[1]s, 1)), 'escape') ELSE '' END`, column)
}

// uploadSessions is the place of the sealed addresses of uploads in handles of publish attempts. They are not wrapped
// again, because a step compares the handle. They end with their post: a session whose key is gone is begun again.
const uploadSessions = "upload sessions"

// Secrets wraps all secrets of the database under the active key.
type Secrets struct {
	db  *DB
	box *secretbox.Keyring
}

// NewSecrets returns the store. Without a keyring it only counts.
func NewSecrets(db *DB, box *secretbox.Keyring) *Secrets { return &Secrets{db: db, box: box} }

// SecretCount is the number of values of a place under a key.
type SecretCount struct {
	Key   string `gorm:"column:sealing"` // empty: not a sealed value
	Place string
	Count int
}

// Count returns the number of secrets by key and place, ordered by key.
func (s *Secrets) Count(ctx context.Context) ([]SecretCount, error) {
	var all []SecretCount
	for _, p := range secretPlaces() {
		var rows []SecretCount
		err := s.db.conn(ctx).Table(p.from).Select(sealingKey("t."+p.column) + " AS sealing, count(*) AS count").
			Where("t." + p.column + " IS NOT NULL").Group("sealing").Scan(&rows).Error
		if err != nil {
			return nil, classify(err)
		}
		for _, r := range rows {
			r.Place = p.name
			all = append(all, r)
		}
	}
	sessions, err := s.sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(sessions)) {
		all = append(all, SecretCount{Key: key, Place: uploadSessions, Count: sessions[key]})
	}
	slices.SortStableFunc(all, func(a, b SecretCount) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}

// sealedText finds base64 text that is at least as long as the shortest sealed value, and starts with its version.
var sealedText = regexp.MustCompile(`A[QRS][A-Za-z0-9+/]{120,}`)

// sessions counts the sealed addresses in handles of posts that are not published yet, by key.
func (s *Secrets) sessions(ctx context.Context) (map[string]int, error) {
	var handles []string
	err := s.db.conn(ctx).Table("publish_attempt a").Joins("JOIN post p ON p.id = a.post_id").
		Where("p.status = 'SCHEDULED' AND a.state IN ('PREPARED', 'SENT', 'UNKNOWN') AND a.handle ~ 'A[QRS]'").
		Pluck("a.handle", &handles).Error
	if err != nil {
		return nil, classify(err)
	}
	found := make(map[string]int)
	for _, handle := range handles {
		for _, text := range sealedText.FindAllString(handle, -1) {
			raw, err := base64.RawStdEncoding.DecodeString(text)
			if err != nil {
				continue
			}
			if key, err := secretbox.KeyID(raw); err == nil {
				found[key]++
			}
		}
	}
	return found, nil
}

// Rewrapped is the result of a rewrapping, or of a part of it.
type Rewrapped struct {
	Place   string
	Done    int      // wrapped under the active key now
	Changed int      // written by a program meanwhile, which sealed them under its own active key
	Refused []string // records whose value cannot be opened, with the reason
}

// Rewrap wraps every value of the database that another key wraps, and reports each batch. It is safe beside running
// programs: a value is replaced only if it is unchanged since it was read. An interruption loses nothing; the next call
// continues with the rest.
func (s *Secrets) Rewrap(ctx context.Context, batch int, report func(Rewrapped) error) error {
	for _, p := range secretPlaces() {
		var last []string
		for {
			rows, err := s.batch(ctx, p, last, batch)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				break
			}
			done, err := s.rewrap(ctx, p, rows)
			if err := firstOf(err, report(done)); err != nil {
				return err
			}
			last = rows[len(rows)-1].keys(p)
		}
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type secretRow struct {
	First, Second, Workspace, Record string
	Sealed                           []byte
}

func (r secretRow) keys(p secretPlace) []string { return []string{r.First, r.Second}[:len(p.keys)] }

func (p secretPlace) aad(r secretRow) secretbox.AAD {
	return secretbox.AAD{Kind: p.kind, Workspace: r.Workspace, Record: r.Record, Field: p.field}
}

// batch returns the next values after the given primary key that the active key does not wrap.
func (s *Secrets) batch(ctx context.Context, p secretPlace, after []string, limit int) ([]secretRow, error) {
	columns := "CAST(" + p.workspace + " AS text) AS workspace, " + p.record + " AS record, t." + p.column + " AS sealed"
	for i, name := range []string{"first", "second"}[:len(p.keys)] {
		columns += ", CAST(" + p.keys[i] + " AS text) AS " + name
	}
	query := s.db.conn(ctx).Table(p.from).Select(columns).
		Where("t."+p.column+" IS NOT NULL AND "+sealingKey("t."+p.column)+" <> ?", s.box.ActiveKeyID()).
		Order(strings.Join(p.keys, ", ")).Limit(limit)
	if after != nil {
		query = p.where(query, ">", after)
	}
	var rows []secretRow
	return rows, classify(query.Scan(&rows).Error)
}

// where compares the primary key with values in text form.
func (p secretPlace) where(query *gorm.DB, operator string, values []string) *gorm.DB {
	marks, args := make([]string, len(p.keys)), make([]any, len(p.keys))
	for i, value := range values {
		marks[i], args[i] = "CAST(CAST(? AS text) AS "+p.casts[i]+")", value
	}
	return query.Where("("+strings.Join(p.keys, ", ")+") "+operator+" ("+strings.Join(marks, ", ")+")", args...)
}

func (s *Secrets) rewrap(ctx context.Context, p secretPlace, rows []secretRow) (Rewrapped, error) {
	done := Rewrapped{Place: p.name}
	for _, r := range rows {
		next, err := s.box.Rewrap(r.Sealed, p.aad(r))
		if err != nil {
			done.Refused = append(done.Refused, r.Record+": "+err.Error())
			continue
		}
		// The columns of the key are qualified with t, the alias of the table.
		result := p.where(s.db.conn(ctx).Table(p.table+" AS t"), "=", r.keys(p)).Where("t."+p.column+" = ?", r.Sealed).
			Update(p.column, next)
		if result.Error != nil {
			return done, classify(result.Error)
		}
		if result.RowsAffected == 0 {
			done.Changed++
		} else {
			done.Done++
		}
	}
	return done, nil
}

// Sample opens one value under each key, and returns the error by key for those that cannot be opened: the keyring lacks
// the key, or has another one under its ID.
func (s *Secrets) Sample(ctx context.Context) (map[string]error, error) {
	found := make(map[string]error)
	for _, p := range secretPlaces() {
		key := sealingKey("t." + p.column)
		var rows []struct {
			Key    string
			Secret secretRow `gorm:"embedded"`
		}
		err := s.db.conn(ctx).Table(p.from).
			Select("DISTINCT ON (1) " + key + " AS key, CAST(" + p.workspace + " AS text) AS workspace, " + p.record +
				" AS record, t." + p.column + " AS sealed").
			Where("t." + p.column + " IS NOT NULL").Order("1").Scan(&rows).Error
		if err != nil {
			return nil, classify(err)
		}
		for _, r := range rows {
			_, err := s.box.Open(r.Secret.Sealed, p.aad(r.Secret))
			if err != nil {
				found[r.Key] = fmt.Errorf("%s %s: %w", p.name, r.Secret.Record, err)
			}
		}
	}
	return found, nil
}
