package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// ErrBehind is returned when the schema is older than the program.
var ErrBehind = errors.New("the database schema is behind this program; run the migrate program first")

// Migrator applies the embedded migrations. Migrations are only added, never changed.
type Migrator struct {
	provider *goose.Provider
	db       *DB
}

// NewMigrator returns a migrator that uses the pool.
func NewMigrator(db *DB) (*Migrator, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, fmt.Errorf("embedded migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db.sql, files)
	if err != nil {
		return nil, fmt.Errorf("prepare migrations: %w", err)
	}
	return &Migrator{provider: provider, db: db}, nil
}

// Up applies the pending migrations and returns their names.
func (m *Migrator) Up(ctx context.Context) ([]string, error) {
	results, err := m.provider.Up(ctx)
	return names(results), err
}

// Down reverts the newest migration and returns its name; nothing if there is none.
func (m *Migrator) Down(ctx context.Context) ([]string, error) {
	result, err := m.provider.Down(ctx)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return names([]*goose.MigrationResult{result}), nil
}

// Status returns the applied version and the newest version that the program knows.
func (m *Migrator) Status(ctx context.Context) (current, newest int64, err error) {
	return m.provider.GetVersions(ctx)
}

func names(results []*goose.MigrationResult) []string {
	out := make([]string, 0, len(results))
	for _, r := range results {
		if r != nil && r.Error == nil {
			out = append(out, r.Source.Path)
		}
	}
	return out
}

// CheckSchema returns ErrBehind if migrations are pending. Services then refuse to start.
func (db *DB) CheckSchema(ctx context.Context) error {
	m, err := NewMigrator(db)
	if err != nil {
		return err
	}
	current, newest, err := m.Status(ctx)
	if err != nil {
		return classify(err)
	}
	if current < newest {
		return fmt.Errorf("%w (it is at %d of %d)", ErrBehind, current, newest)
	}
	return nil
}

// newestMigration returns the version of the newest migration that the program knows.
func newestMigration() (int64, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		return 0, errors.Join(errors.New("there are no embedded migrations"), err)
	}
	return goose.NumericComponent(files[len(files)-1]) // the files are sorted by name
}

// MigrationFiles returns the embedded migrations.
func MigrationFiles() fs.FS { return migrationFiles }
