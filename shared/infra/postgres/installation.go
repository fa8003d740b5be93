package postgres

import (
	"context"
	"errors"

	"gorm.io/gorm/clause"
)

// ErrRestored is returned for a database that was restored from a dump and not recovered since. Posts that were published
// after the dump are open in it.
var ErrRestored = errors.New("the database was restored from a backup; run \"worker recover\" first, so that no post is " +
	"published twice (see \"Backup and restore\" in docs/operations.md)")

// A dump contains rows, but neither the server's identifier nor the numbers that it gave to the tables. Some hosted
// servers hide their identifier; the numbers of the database and of a table are left then.
const (
	placeReadable = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')"
	placeOfTables = "CAST(CAST('post' AS regclass) AS oid)"
	place         = "(SELECT system_identifier FROM pg_control_system()) || '/' || " + placeOfTables
	placeHidden   = "(SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || " + placeOfTables
)

// place returns the identity of the database.
func (db *DB) place(ctx context.Context) (found string, err error) {
	var readable bool
	if err := db.conn(ctx).Raw(placeReadable).Scan(&readable).Error; err != nil {
		return "", classify(err)
	}
	statement := "SELECT " + placeHidden
	if readable {
		statement = "SELECT " + place
	}
	return found, classify(db.conn(ctx).Raw(statement).Scan(&found).Error)
}

// CheckRestored returns ErrRestored if the database was restored from a dump and not recovered since. The first call in
// a database records where it is.
func (db *DB) CheckRestored(ctx context.Context) error {
	here, err := db.place(ctx)
	if err != nil {
		return err
	}
	recorded, err := db.recorded(ctx)
	if err == nil && recorded == "" {
		if err = db.settle(ctx, here, clause.OnConflict{DoNothing: true}); err == nil {
			recorded, err = db.recorded(ctx)
		}
	}
	if err == nil && recorded != here {
		err = ErrRestored
	}
	return err
}

// IsRestored reports whether CheckRestored would return ErrRestored. It changes nothing.
func (db *DB) IsRestored(ctx context.Context) (bool, error) {
	here, err := db.place(ctx)
	if err != nil {
		return false, err
	}
	recorded, err := db.recorded(ctx)
	return recorded != "" && recorded != here, err
}

func (db *DB) recorded(ctx context.Context) (string, error) {
	var recorded []string
	err := db.conn(ctx).Table("installation").Pluck("place", &recorded).Error
	if err != nil || len(recorded) == 0 {
		return "", classify(err)
	}
	return recorded[0], nil
}

func (db *DB) settle(ctx context.Context, here string, conflict clause.OnConflict) error {
	conflict.Columns = []clause.Column{{Name: "id"}}
	return classify(db.conn(ctx).Table("installation").Clauses(conflict).
		Create(map[string]any{"id": true, "place": here, "settled_at": dbNow}).Error)
}

// settleHere records that the database is safe to use where it is.
func (db *DB) settleHere(ctx context.Context) error {
	here, err := db.place(ctx)
	if err != nil {
		return err
	}
	return db.settle(ctx, here, clause.OnConflict{DoUpdates: clause.AssignmentColumns([]string{"place", "settled_at"})})
}
