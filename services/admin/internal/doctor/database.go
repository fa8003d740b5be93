package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	oldestPostgres = 140000
	// fewConnections is the number of free connections below which the next program may find none.
	fewConnections = 10
	// clockDatabase names the database's clock.
	clockDatabase = "database"
)

// database checks the server and the schema.
func (e *exam) database(ctx context.Context) {
	cfg, valid := load[config.Database](e)
	if !valid {
		return
	}
	db, err := postgres.Open(postgres.Config{
		URL: cfg.URL.Reveal(), Name: "admin doctor", MaxConnections: 2, Logger: e.Logger,
	})
	if err != nil {
		e.report(Finding{Check: checkDatabase, Code: "DATABASE_UNREACHABLE", Text: err.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	var server postgres.Server
	err = e.timed(clockDatabase, func() (time.Time, error) {
		if err := db.Ping(ctx); err != nil { // a connection takes longer than a statement
			return time.Time{}, err
		}
		var err error
		server, err = db.Server(ctx)
		return server.Now, err
	})
	if err != nil {
		e.report(noDatabase(err))
		_ = db.Close()
		return
	}
	e.db = db
	e.server(server)
	e.schema(ctx)
}

func (e *exam) server(s postgres.Server) {
	free := s.Limit - s.Connections
	switch {
	case s.Number < oldestPostgres:
		e.report(Finding{
			Check: checkDatabase, Code: "DATABASE_VERSION", Text: "PostgreSQL " + s.Version + " is too old.",
			Cause: "The service needs PostgreSQL 14 or newer.", Remedy: "Upgrade the server.",
		})
	case s.IsReadOnly:
		e.report(Finding{
			Check: checkDatabase, Code: "DATABASE_READ_ONLY", Text: "The database accepts no changes.",
			Cause:  "DATABASE_URL leads to a standby, or to a server that is set to read only.",
			Remedy: "Give the address of the primary server in DATABASE_URL.",
		})
	case free < fewConnections:
		e.report(Finding{
			Check: checkDatabase, Level: Warning, Code: "DATABASE_CONNECTIONS",
			Text:   fmt.Sprintf("%d of %d connections are left.", max(free, 0), s.Limit),
			Cause:  "The sum of DB_MAX_CONNS over all processes approaches max_connections of PostgreSQL.",
			Remedy: "Raise max_connections, lower DB_MAX_CONNS, or use a pooler.",
		})
	default:
		e.ok(checkDatabase, "PostgreSQL %s, %d of %d connections in use", s.Version, s.Connections, s.Limit)
	}
}

func (e *exam) schema(ctx context.Context) {
	migrator, err := postgres.NewMigrator(e.db)
	if err != nil {
		e.report(Finding{Check: checkSchema, Code: "SCHEMA_UNREADABLE", Text: err.Error()})
		return
	}
	current, newest, err := migrator.Status(ctx)
	const remedy = `Run "migrate up" of this version, as "Upgrade" in docs/operations.md describes.`
	switch {
	case err != nil:
		e.report(Finding{
			Check: checkSchema, Code: "SCHEMA_UNREADABLE", Text: "The version of the schema cannot be read.", Cause: err.Error(),
			Remedy: "Give the role in DATABASE_URL the rights of the role that migrate uses.",
		})
	case current == 0:
		e.report(Finding{
			Check: checkSchema, Code: "SCHEMA_MISSING", Text: "The database has no schema.",
			Cause: "No migration was applied to this database.", Remedy: remedy,
		})
	case current < newest:
		e.report(Finding{
			Check: checkSchema, Code: "SCHEMA_BEHIND", Text: fmt.Sprintf("The schema is at version %d of %d.", current, newest),
			Cause: "Migrations are missing. Programs of this version do not start.", Remedy: remedy,
		})
	case current > newest:
		e.report(Finding{
			Check: checkSchema, Level: Warning, Code: "SCHEMA_NEWER",
			Text:   fmt.Sprintf("The schema is at version %d; this program knows %d.", current, newest),
			Cause:  "A newer version of the service migrated the database.",
			Remedy: "Use the admin program of the newer version.",
		})
	default:
		e.ok(checkSchema, "version %d", current)
		e.programs(ctx, newest)
	}
	if current < newest {
		_ = e.db.Close()
		e.db = nil // later checks need the tables
		return
	}
	e.restored(ctx)
}

// restored reports a database in which posts may be open that are published.
func (e *exam) restored(ctx context.Context) {
	if restored, err := e.db.IsRestored(ctx); err != nil || !restored {
		return
	}
	e.report(Finding{
		Check: checkDatabase, Code: "DATABASE_RESTORED", Text: "The database was restored from a backup, or moved to another server.",
		Cause:  "Posts that were published after the backup are open in it. The programs do not start.",
		Remedy: `Stop all programs, run "worker recover", and start them; see "Backup and restore" in docs/operations.md.`,
	})
}

// programs reports connected programs that know less than the schema.
func (e *exam) programs(ctx context.Context, newest int64) {
	connected, err := e.db.Connected(ctx)
	if err != nil {
		return // the role may not see them
	}
	var older []string
	for _, program := range connected {
		if program.Name != "" && program.Schema < newest {
			older = append(older, program.String())
		}
	}
	if len(older) > 0 {
		e.report(Finding{
			Check: checkSchema, Level: Warning, Code: "PROGRAMS_OLDER", Text: "Programs of an older version are connected.",
			Cause: strings.Join(older, "; "), Remedy: `Replace them; see "Upgrade" in docs/operations.md.`,
		})
	}
}

// noDatabase explains why the database cannot be used.
func noDatabase(err error) Finding {
	f := Finding{
		Check: checkDatabase, Code: "DATABASE_UNREACHABLE", Text: "The database does not respond.", Cause: causeOf(err),
		Remedy: "Check host and port in DATABASE_URL, that PostgreSQL runs, and firewalls on the way.",
	}
	refusal, refused := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	if !refused {
		return f
	}
	switch refusal.SQLState() {
	case "28P01", "28000":
		f.Code, f.Text = "DATABASE_LOGIN", "PostgreSQL refuses the login."
		f.Remedy = "Check user and password in DATABASE_URL, and pg_hba.conf of the server."
	case "3D000":
		f.Code, f.Text = "DATABASE_MISSING", "The database does not exist."
		f.Remedy = `Create the database that DATABASE_URL names, then run "migrate up".`
	case "53300":
		f.Code, f.Text = "DATABASE_CONNECTIONS", "PostgreSQL has no free connection."
		f.Remedy = "Raise max_connections, lower DB_MAX_CONNS of the programs, or use a pooler."
	case "42501":
		f.Code, f.Text = "DATABASE_RIGHTS", "The role in DATABASE_URL lacks a privilege."
		f.Remedy = "Grant the role the privilege."
	}
	return f
}

// causeOf returns the text of an error in one line, with the cause of an error that hides it from clients.
func causeOf(err error) string {
	if e, ok := errors.AsType[*apperr.Error](err); ok && e.Cause != nil {
		err = e.Cause
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
