package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// backupLock is the advisory lock that a backup holds exclusively while it copies objects, and that each deletion of
// objects holds shared.
const backupLock = 5_018_024

// ErrBackupRuns is returned while another backup runs.
var ErrBackupRuns = errors.New("another backup is running")

// Snapshot is a state of the database, while a transaction keeps it.
type Snapshot struct {
	ID      string // for pg_dump --snapshot
	Schema  int64
	Server  Server
	Objects []string // keys of all objects that records reference
}

// WithSnapshot runs fn with a snapshot. Meanwhile no object of the snapshot is deleted, so that fn can copy them all
// after the state of the database was fixed.
func (db *DB) WithSnapshot(ctx context.Context, fn func(ctx context.Context, s Snapshot) error) (err error) {
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return classify(err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// The lock precedes the snapshot: a deletion that was under way has ended, and the snapshot shows it.
	var taken bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", backupLock).Scan(&taken); err != nil {
		return classify(err)
	}
	if !taken {
		return ErrBackupRuns
	}
	defer func() {
		_, failed := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", backupLock)
		err = errors.Join(err, failed)
	}()
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return classify(err)
	}
	defer func() { _ = tx.Rollback() }()
	s, err := snapshotOf(ctx, tx)
	if err != nil {
		return err
	}
	return fn(ctx, s)
}

func snapshotOf(ctx context.Context, tx *sql.Tx) (s Snapshot, err error) {
	err = tx.QueryRowContext(ctx, `SELECT pg_export_snapshot(), current_setting('server_version'),
		CAST(current_setting('server_version_num') AS integer), now(),
		(SELECT max(version_id) FROM goose_db_version WHERE is_applied)`).
		Scan(&s.ID, &s.Server.Version, &s.Server.Number, &s.Server.Now, &s.Schema)
	if err != nil {
		return s, fmt.Errorf("read the snapshot: %w", classify(err))
	}
	rows, err := tx.QueryContext(ctx, `SELECT object_key FROM media UNION SELECT published_key FROM media
		WHERE published_key IS NOT NULL UNION SELECT thumbnail_key FROM media WHERE thumbnail_key IS NOT NULL
		UNION SELECT object_key FROM media_rendition
		UNION SELECT object_key FROM channel_picture WHERE object_key IS NOT NULL
		UNION SELECT k FROM message_file, unnest(ARRAY[object_key, thumb_key]) AS k WHERE k IS NOT NULL ORDER BY 1`)
	if err != nil {
		return s, classify(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return s, classify(err)
		}
		s.Objects = append(s.Objects, key)
	}
	return s, classify(rows.Err())
}

// IsEmpty reports whether the database has no table of the service.
func (db *DB) IsEmpty(ctx context.Context) (empty bool, err error) {
	err = db.conn(ctx).Raw(`SELECT NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'S'))`).Scan(&empty).Error
	return empty, classify(err)
}
