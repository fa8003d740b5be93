package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"

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

// ExplainList returns the plan of List, as it was executed.
func (s *People) ExplainList(ctx context.Context, of ident.Workspace, f PeopleFilter) (string, error) {
	return s.db.explain(ctx, s.list(ctx, of, f))
}

// ExplainList returns the plans of the queries of List, as they were executed.
func (s *Conversations) ExplainList(ctx context.Context, of ident.Workspace, viewer ident.User, f ConversationFilter) (plans string, err error) {
	for _, query := range s.queries(ctx, of, viewer, f) {
		plan, failed := s.db.explain(ctx, query)
		plans, err = plans+plan+"\n", errors.Join(err, failed)
	}
	return plans, err
}

func (db *DB) explain(ctx context.Context, query *gorm.DB) (string, error) {
	list := query.Session(&gorm.Session{DryRun: true}).Find(&[]map[string]any{}).Statement
	var plan []string
	err := db.conn(ctx).Raw(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ` + db.gorm.Explain(list.SQL.String(), list.Vars...)).Scan(&plan).Error
	return strings.Join(plan, "\n"), err
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

// ExplainCosts returns the plan of Costs, as ExplainList does.
func (s *ChannelInboxes) ExplainCosts(ctx context.Context, q CostQuery) (string, error) {
	return (&Posts{db: s.db}).explain(ctx, compile(channelCosts), q.params())
}
