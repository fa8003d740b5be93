package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Connected are the connections of one program to the database, from one address.
type Connected struct {
	Name    string // of the program; empty when it has told none, as versions before schema 11 do
	Schema  int64  // the newest migration that the program knows; 0 when it has not told
	Address string // empty when the role may not see it
	Count   int
}

// String tells of them in one line.
func (c Connected) String() string {
	what, from := "a program without a name", "an address that this role may not see"
	if c.Name != "" {
		what = c.Name + ", which knows schema " + strconv.FormatInt(c.Schema, 10)
	}
	if c.Address != "" {
		from = c.Address
	}
	return fmt.Sprintf("%s, from %s (connections: %d)", what, from, c.Count)
}

// stopFirst are the migrations that programs which do not know them must not run beside: they would go past the lines of
// endpoints (6) and the limits of networks (8), or drop messages of a kind that they do not know (6, 10). Later versions leave
// messages of unknown kinds to others.
func stopFirst() []int64 { return []int64{6, 8, 10} }

// nameLimit is how much of a name PostgreSQL keeps, in bytes.
const nameLimit = 63

// tellName makes the connections tell which program they belong to and which schema it knows, for pg_stat_activity. A name that
// the operator has given stays.
func tellName(conn *pgx.ConnConfig, program string) error {
	if program == "" {
		return nil
	}
	newest, err := newestMigration()
	if err != nil {
		return err
	}
	name, mark := conn.RuntimeParams["application_name"], " schema="+strconv.FormatInt(newest, 10)
	if name == "" {
		name = program
	}
	conn.RuntimeParams["application_name"] = name[:min(len(name), nameLimit-len(mark))] + mark
	return nil
}

var toldName = regexp.MustCompile(`^(.*) schema=([0-9]+)$`)

// Connected reads which programs of the service are connected beside the one that asks: those that tell their schema, whatever
// their role, and those of the own role that tell nothing, because older versions do that.
func (db *DB) Connected(ctx context.Context) ([]Connected, error) {
	var rows []struct {
		Name    string
		Address *string
		Count   int
	}
	err := db.conn(ctx).Raw(`SELECT application_name AS name, COALESCE(host(client_addr), CASE WHEN backend_type IS NOT NULL THEN 'this host' END) AS address,
			count(*) AS count FROM pg_stat_activity
		WHERE datname = current_database() AND application_name <> current_setting('application_name')
			AND (application_name ~ ' schema=[0-9]+$' OR application_name = '' AND usename = current_user AND backend_type = 'client backend')
		GROUP BY 1, 2 ORDER BY 1, 2`).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	found := make([]Connected, len(rows))
	for i, r := range rows {
		found[i] = Connected{Address: value(r.Address), Count: r.Count}
		if told := toldName.FindStringSubmatch(r.Name); told != nil {
			found[i].Name = told[1]
			found[i].Schema, _ = strconv.ParseInt(told[2], 10, 64) // digits; too many for a version are none
		}
	}
	return found, nil
}

// signalsMigration is the migration of the version whose workers know the signals that say what changed.
const signalsMigration = 14

// NamedSignals reports whether every connected program knows the signals that say what changed. A run whose worker does not
// know its signal would go on with the plan before.
func (s *Outbox) NamedSignals(ctx context.Context) (bool, error) {
	connected, err := s.db.Connected(ctx)
	older := slices.ContainsFunc(connected, func(c Connected) bool { return c.Name != "" && c.Schema < signalsMigration })
	return err == nil && !older, err
}

// BeforeUp are the connected programs that must be stopped before Up, because a migration that is missing is one that they must
// not run beside. A database without a schema has none.
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

// BeforeDown are the connected programs that must be stopped before Down: those that count on the migration which it takes back.
func (m *Migrator) BeforeDown(ctx context.Context) ([]Connected, error) {
	current, _, err := m.Status(ctx)
	if err != nil {
		return nil, err
	}
	connected, err := m.db.Connected(ctx)
	return slices.DeleteFunc(connected, func(c Connected) bool { return c.Schema < current }), err
}
