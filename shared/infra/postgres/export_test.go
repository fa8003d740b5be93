package postgres

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"fencepost.internal/shared/kernel/ident"
)

// Array returns the elements of an array literal, as a statement returns it, and the literal of the elements.
func (db *DB) Array(ctx context.Context, literal string) (elements []string, again string, err error) {
	var found textArray
	if err := db.sql.QueryRowContext(ctx, `SELECT CAST($1 AS text[])`, literal).Scan(&found); err != nil {
		return nil, "", err
	}
	value, err := found.Value()
	again, _ = value.(string)
	return found, again, err
}

// ExplainList returns the plan of a page of List, with the figures of one run. Like List, it plans without parameters.
func (s *Posts) ExplainList(ctx context.Context, workspace ident.Workspace, filter PostFilter) (string, error) {
	text, params := listStatement(workspace, filter)
	return s.explain(ctx, compile(text), params)
}

// ExplainQuota returns the plan of QuotaUsed, as ExplainList does.
func (s *Posts) ExplainQuota(ctx context.Context, q QuotaQuery) (string, error) {
	count, params := usageStatement(q)
	return s.explain(ctx, count, params)
}

// ExplainConflicts returns the plan of Conflicts, as ExplainList does.
func (s *Posts) ExplainConflicts(ctx context.Context, q ConflictQuery) (string, error) {
	return s.explain(ctx, findConflicts, conflictParams(q))
}

func (s *Posts) explain(ctx context.Context, list statement, params map[string]any) (string, error) {
	values, err := list.values(params)
	if err != nil {
		return "", err
	}
	conn, err := s.db.sql.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	arguments := make([]string, len(list.names))
	for i := range arguments {
		arguments[i] = fmt.Sprintf("$%d", i+1)
	}
	if _, err := conn.ExecContext(ctx, `PREPARE list AS `+list.text); err != nil {
		return "", err
	}
	defer func() { _, _ = conn.ExecContext(ctx, `DEALLOCATE list`) }()
	execute := s.db.gorm.Explain(`EXECUTE list (`+strings.Join(arguments, ", ")+`)`, values...)
	rows, err := conn.QueryContext(ctx, `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) `+execute)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return "", err
		}
		plan.WriteString(line + "\n")
	}
	return plan.String(), rows.Err()
}

// RowsRead returns how many rows of a table the transaction of ctx has read.
func (db *DB) RowsRead(ctx context.Context, table string) (n int, err error) {
	err = db.pool(ctx).QueryRowContext(ctx, `SELECT seq_tup_read + COALESCE(idx_tup_fetch, 0)
		FROM pg_stat_xact_user_tables WHERE relname = $1`, table).Scan(&n)
	return n, err
}

// SetIdle sets the time after which PostgreSQL ends a batch whose relay is silent.
func (s *Outbox) SetIdle(after time.Duration) { s.idle = after }

// Setting returns the value of a setting of PostgreSQL in a session of the pool.
func (db *DB) Setting(ctx context.Context, name string) (value string, err error) {
	err = db.pool(ctx).QueryRowContext(ctx, `SELECT current_setting($1)`, name).Scan(&value)
	return value, err
}

// Socket passes a connection of the pool to fn.
func (db *DB) Socket(ctx context.Context, fn func(net.Conn) error) error {
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.Raw(func(driver any) error {
		c, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver is a %T", driver)
		}
		return fn(c.Conn().PgConn().Conn())
	})
}
