package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// statement is an embedded statement with its parameters numbered. GORM would look for their names at each execution,
// which takes longer than everything else before a large statement is sent.
type statement struct {
	text  string
	names []string // of the parameters, in the order of their numbers
}

// compile joins the parts of a statement, removes their comments and numbers the parameters. A name follows an at sign.
func compile(parts ...string) statement {
	var s statement
	var text strings.Builder
	numbers := make(map[string]int)
	rest := withoutComments(strings.Join(parts, "\n"))
	for {
		before, after, found := strings.Cut(rest, "@")
		_, _ = text.WriteString(before)
		if !found {
			s.text = text.String()
			return s
		}
		if operator, ok := strings.CutPrefix(after, "@"); ok { // of text search
			_, _ = text.WriteString("@@")
			rest = operator
			continue
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
		if end < 0 {
			end = len(after)
		}
		name := after[:end]
		if numbers[name] == 0 {
			s.names = append(s.names, name)
			numbers[name] = len(s.names)
		}
		_, _ = fmt.Fprintf(&text, "$%d", numbers[name])
		rest = after[end:]
	}
}

// withoutComments returns the lines of a statement without comments and indentation.
func withoutComments(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "--")
		if code = strings.TrimSpace(code); code != "" {
			lines = append(lines, code)
		}
	}
	return strings.Join(lines, "\n")
}

// values returns the values of the parameters in their order. It converts those with a form for the database, because
// the driver looks for the conversion at each execution.
func (s statement) values(named map[string]any) ([]any, error) {
	values := make([]any, len(s.names))
	for i, name := range s.names {
		values[i] = named[name]
		if convert, ok := values[i].(driver.Valuer); ok {
			var err error
			if values[i], err = convert.Value(); err != nil {
				return nil, fmt.Errorf("parameter %s: %w", name, err)
			}
		}
	}
	return values, nil
}

// pool returns the context's transaction, or the pool, for statements without GORM.
func (db *DB) pool(ctx context.Context) gorm.ConnPool {
	if tx, ok := transactionOf(ctx); ok {
		return tx.gorm.Statement.ConnPool
	}
	return db.sql
}

// query runs a compiled statement.
func (db *DB) query(ctx context.Context, s statement, named map[string]any) (*sql.Rows, error) {
	values, err := s.values(named)
	if err != nil {
		return nil, err
	}
	return db.pool(ctx).QueryContext(ctx, s.text, values...)
}

// queryRow runs a compiled statement that returns one row, and scans the row.
func (db *DB) queryRow(ctx context.Context, s statement, named map[string]any, columns ...any) error {
	values, err := s.values(named)
	if err != nil {
		return err
	}
	return db.pool(ctx).QueryRowContext(ctx, s.text, values...).Scan(columns...)
}
