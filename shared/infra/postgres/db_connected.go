package postgres

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Connected describes a program's connections to the database from one address.
type Connected struct {
	Name    string // the program's name; empty if not set, as with versions before schema 11
	Schema  int64  // the newest migration that the program knows; 0 if unknown
	Address string // empty if the role may not see it
	Count   int
}

// String describes the connections in one line.
func (c Connected) String() string {
	what, from := "a program without a name", "an address hidden from this role"
	if c.Name != "" {
		what = c.Name + ", built for schema " + strconv.FormatInt(c.Schema, 10)
	}
	if c.Address != "" {
		from = c.Address
	}
	return fmt.Sprintf("%s, from %s (connections: %d)", what, from, c.Count)
}

// stopFirst returns the migrations that must not run beside programs that do not know them. Such programs would bypass
// the endpoints' lines (6), the networks' limits (8) and the leases on refreshes (17), or drop messages of a kind that
// they do not know (6, 10). Later versions leave messages of unknown kinds to other programs.
func stopFirst() []int64 { return []int64{6, 8, 10, 17} }

// nameLimit is the maximum length of an application name in PostgreSQL, in bytes.
const nameLimit = 63

// setApplicationName sets the application name of the connections to the program's name and its newest schema, for
// pg_stat_activity. A name set by the operator is kept.
func setApplicationName(conn *pgx.ConnConfig, program string) error {
	if program == "" {
		return nil
	}
	newest, err := newestMigration()
	if err != nil {
		return err
	}
	name, mark := conn.RuntimeParams["application_name"], " schema="+strconv.FormatInt(newest, 10)
	name = cmp.Or(name, program)
	conn.RuntimeParams["application_name"] = name[:min(len(name), nameLimit-len(mark))] + mark
	return nil
}

var connectionName = regexp.MustCompile(`^(.*) schema=([0-9]+)$`)

// Connected returns the other programs of the service that are connected: those that report their schema, under any
// role, and those of the same role without a name, because older versions set none.
func (db *DB) Connected(ctx context.Context) ([]Connected, error) {
	var rows []struct {
		Name    string
		Address *string
		Count   int
	}
	err := db.conn(ctx).Table("pg_stat_activity").
		Select(`application_name AS name,
			COALESCE(host(client_addr), CASE WHEN backend_type IS NOT NULL THEN 'this host' END) AS address, count(*) AS count`).
		Where("datname = current_database() AND application_name <> current_setting('application_name')").
		Where("application_name ~ ' schema=[0-9]+$' OR application_name = ''" +
			" AND usename = current_user AND backend_type = 'client backend'").
		Group("1, 2").Order("1, 2").Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	found := make([]Connected, len(rows))
	for i, r := range rows {
		found[i] = Connected{Address: value(r.Address), Count: r.Count}
		if parts := connectionName.FindStringSubmatch(r.Name); parts != nil {
			found[i].Name = parts[1]
			found[i].Schema, _ = strconv.ParseInt(parts[2], 10, 64) // digits only; a number out of range leaves 0
		}
	}
	return found, nil
}

// signalsMigration is the migration of the first version whose workers know every signal that carries the kind of
// change.
const signalsMigration = 29

// NamedSignals reports whether every connected program knows the signals that carry the kind of change. A worker that
// does not know its run's signal would continue with the old plan.
func (s *Outbox) NamedSignals(ctx context.Context) (bool, error) {
	connected, err := s.db.Connected(ctx)
	older := slices.ContainsFunc(connected, func(c Connected) bool { return c.Name != "" && c.Schema < signalsMigration })
	return err == nil && !older, err
}

// BeforeUp returns the connected programs that must be stopped before Up, because a pending migration must not run
// beside them. It returns none for a database without a schema.
func (m *Migrator) BeforeUp(ctx context.Context) ([]Connected, error) {
	current, newest, err := m.Status(ctx)
	if err != nil {
		return nil, err
	}
	var needed int64
	for _, version := range stopFirst() {
		if current < version && version <= newest {
			needed = version
		}
	}
	if current == 0 || needed == 0 {
		return nil, nil
	}
	connected, err := m.db.Connected(ctx)
	return slices.DeleteFunc(connected, func(c Connected) bool { return c.Schema >= needed }), err
}

// BeforeDown returns the connected programs that must be stopped before Down: those that depend on the migration that
// it reverts.
func (m *Migrator) BeforeDown(ctx context.Context) ([]Connected, error) {
	current, _, err := m.Status(ctx)
	if err != nil {
		return nil, err
	}
	connected, err := m.db.Connected(ctx)
	return slices.DeleteFunc(connected, func(c Connected) bool { return c.Schema < current }), err
}
