package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// VisibilityIndexes maintains the indexes of the visibility table of a Temporal server that belongs to this deployment
// alone. Temporal creates an index for each column by which any installation might search, and updates all of them
// several times per workflow. Most of them serve no search here, and of the others, most bytes are namespace and run ID.
type VisibilityIndexes struct{ db *DB }

// NewVisibilityIndexes returns the store for a connection to Temporal's visibility database.
func NewVisibilityIndexes(db *DB) *VisibilityIndexes { return &VisibilityIndexes{db: db} }

// searchedColumns are the columns by which Temporal itself, its UI and operators search: times, IDs, types and states
// of workflows, and schedules. Columns of search attributes come in addition.
var searchedColumns = []string{
	"namespace_id", "run_id", "start_time", "close_time", "execution_time", "workflow_id", "workflow_type_name", "status",
	"temporalnamespacedivision", "temporalscheduledbyid",
}

// droppedIndexes holds the definitions of the dropped indexes, so that Restore can create them again.
const droppedIndexes = `CREATE TABLE IF NOT EXISTS fencepost_dropped_index (
	name text PRIMARY KEY, definition text NOT NULL, dropped_at timestamptz NOT NULL DEFAULT now())`

const visibilityIndexes = `
SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition, array_agg(lower(a.attname)) AS columns
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
WHERE i.indrelid = to_regclass('executions_visibility') AND NOT i.indisunique AND NOT starts_with(c.relname, 'fencepost_')
GROUP BY c.relname, i.indexrelid ORDER BY c.relname`

type visibilityIndex struct {
	Name       string
	Definition string
	Columns    textArray
}

// narrowPrefix begins the names of the indexes that Slim creates.
const narrowPrefix = "fencepost_"

// wideIndex matches the definition of an index of Temporal: the namespace, columns, and the run ID.
var wideIndex = regexp.MustCompile(`^CREATE INDEX (\S+) ON (\S+) USING btree \(namespace_id, ((\w+)(.*)), run_id\)$`)

// narrow returns the definition of an index for the same searches in the same order. It has no namespace, because only
// one is in use, no run ID, which only orders workflows that started at the same instant, and no rows without a value,
// for which nothing searches. Such an entry takes a fifth of the space: namespace and run ID are padded to 64 characters.
// It returns an empty string for an index of another form.
func (i visibilityIndex) narrow() string {
	parts := wideIndex.FindStringSubmatch(i.Definition)
	if parts == nil {
		return ""
	}
	table, columns, first := parts[2], parts[3], parts[4]
	definition := `CREATE INDEX CONCURRENTLY ` + i.narrowName() + ` ON ` + table + ` USING btree (` + columns + `)`
	if first != "COALESCE" {
		definition += ` WHERE ` + first + ` IS NOT NULL`
	}
	return definition
}

func (i visibilityIndex) narrowName() string { return pgx.Identifier{narrowPrefix + i.Name}.Sanitize() }

// Slim drops the indexes of columns by which nothing searches, replaces the others by narrow ones without blocking
// Temporal, and returns the names of the dropped ones. The attributes are the columns of the search attributes in use,
// such as Keyword01. Repeating it drops nothing more.
func (s *VisibilityIndexes) Slim(ctx context.Context, attributes []string) (dropped []string, err error) {
	kept := slices.Clone(searchedColumns)
	for _, name := range attributes {
		kept = append(kept, strings.ToLower(name))
	}
	var indexes []visibilityIndex
	if err := s.db.conn(ctx).Raw(visibilityIndexes).Scan(&indexes).Error; err != nil {
		return nil, classify(err)
	}
	var unwanted []visibilityIndex
	for _, index := range indexes {
		searched := !slices.ContainsFunc(index.Columns, func(column string) bool { return !slices.Contains(kept, column) })
		definition := index.narrow()
		if searched && definition == "" {
			continue
		}
		if searched {
			// An interrupted creation leaves an invalid index.
			for _, statement := range []string{`DROP INDEX CONCURRENTLY IF EXISTS ` + index.narrowName(), definition} {
				if err := s.db.conn(ctx).Exec(statement).Error; err != nil {
					return nil, classify(fmt.Errorf("replace index %s: %w", index.Name, err))
				}
			}
		}
		unwanted = append(unwanted, index)
	}
	if len(unwanted) == 0 {
		return nil, nil
	}
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		conn := s.db.conn(ctx)
		if err := conn.Exec(droppedIndexes).Error; err != nil {
			return err
		}
		for _, index := range unwanted {
			if err := drop(conn, index); err != nil {
				return err
			}
			dropped = append(dropped, index.Name)
		}
		return nil
	})
	return dropped, classify(err)
}

func drop(conn *gorm.DB, index visibilityIndex) error {
	err := conn.Exec(`INSERT INTO fencepost_dropped_index (name, definition) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, dropped_at = now()`, index.Name,
		index.Definition).Error
	if err != nil {
		return err
	}
	return conn.Exec(`DROP INDEX ` + pgx.Identifier{index.Name}.Sanitize()).Error
}

// Restore creates the dropped indexes again and drops the narrow ones, without blocking Temporal, and returns the names of
// the former. If it is interrupted,
// repeating it continues.
func (s *VisibilityIndexes) Restore(ctx context.Context) (created []string, err error) {
	conn := s.db.conn(ctx)
	var there bool
	if err := conn.Raw(`SELECT to_regclass('fencepost_dropped_index') IS NOT NULL`).Scan(&there).Error; err != nil ||
		!there {
		return nil, classify(err)
	}
	var indexes []visibilityIndex
	if err := conn.Raw(`SELECT name, definition FROM fencepost_dropped_index ORDER BY name`).Scan(
		&indexes).Error; err != nil {
		return nil, classify(err)
	}
	for _, index := range indexes {
		if err := restore(conn, index); err != nil {
			return created, classify(fmt.Errorf("create index %s: %w", index.Name, err))
		}
		created = append(created, index.Name)
	}
	return created, nil
}

// restore creates one index. An interrupted concurrent creation leaves an invalid index, which is dropped first.
func restore(conn *gorm.DB, index visibilityIndex) error {
	name := pgx.Identifier{index.Name}.Sanitize()
	definition := strings.Replace(index.Definition, "CREATE INDEX", "CREATE INDEX CONCURRENTLY", 1)
	for _, statement := range []string{
		`DROP INDEX CONCURRENTLY IF EXISTS ` + name, definition, `DROP INDEX CONCURRENTLY IF EXISTS ` + index.narrowName(),
	} {
		if err := conn.Exec(statement).Error; err != nil {
			return err
		}
	}
	return conn.Exec(`DELETE FROM fencepost_dropped_index WHERE name = ?`, index.Name).Error
}
