// Package postgres stores the service's state. It is the only importer of GORM. Rows are structs of this package, and
// its methods return domain values. Every state change is one transaction that also writes the event, the timeline
// entry and the outbox message for Temporal.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	gormpg "gorm.io/driver/postgres"
	"gorm.io/gorm"

	"fencepost.internal/shared/kernel/apperr"
)

// Config configures the connection to the database.
type Config struct {
	URL string
	// Name is the program's name, which identifies its connections in pg_stat_activity; empty sets none.
	Name           string
	MaxConnections int
	Logger         *slog.Logger
	// Express is the time that a delivery waits before it is reserved for the express lane; nil means never.
	Express *time.Duration
	// Horizon is the time between the start of a scheduled post's workflow and its publication; zero means DefaultHorizon.
	Horizon time.Duration
	// LockTimeout is the maximum time that a statement waits for a lock held by another transaction; zero means no
	// limit.
	LockTimeout time.Duration
	// Traced carries the traces of events to the messages about their deliveries.
	Traced bool
}

// DB is the connection pool. The stores use it.
type DB struct {
	gorm    *gorm.DB
	sql     *sql.DB
	url     string
	log     *slog.Logger
	horizon time.Duration
	express *time.Duration
	traced  bool
}

// DefaultHorizon is the horizon of programs that configure none. The horizon only moves load: a post whose time comes
// nearer than that gets its workflow from the sweep, whichever program wrote it.
const DefaultHorizon = 30 * 24 * time.Hour

const (
	connectTimeout = 5 * time.Second
	connectionLife = 30 * time.Minute
)

// Open creates the pool. It connects lazily, so that a service can start while the database is down and report that
// through readiness.
func Open(cfg Config) (*DB, error) {
	if cfg.Logger == nil || cfg.MaxConnections < 1 {
		return nil, errors.New("postgres: Logger and MaxConnections are required")
	}
	conn, err := pgx.ParseConfig(cfg.URL)
	if err != nil {
		return nil, errors.New("DATABASE_URL is not a PostgreSQL URL") // the cause would expose the password
	}
	if err := setApplicationName(conn, cfg.Name); err != nil {
		return nil, err
	}
	conn.ConnectTimeout = connectTimeout
	conn.DialFunc = dialer().DialContext
	conn.RuntimeParams["timezone"] = "UTC"
	// Every statement is written for a single plan. Replanning the large statements costs more than running them.
	conn.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	// A page of a list is read in the order of its index. An incremental sort of all rows of a workspace looks cheap while
	// statistics are missing.
	conn.RuntimeParams["enable_incremental_sort"] = "off"
	// A statement takes milliseconds. The planner overestimates some of a large workspace, and compiling these would take 25 ms.
	conn.RuntimeParams["jit"] = "off"
	detectLostClients(conn)
	if cfg.LockTimeout > 0 {
		conn.RuntimeParams["lock_timeout"] = strconv.FormatInt(cfg.LockTimeout.Milliseconds(), 10)
	}
	pool := stdlib.OpenDB(*conn, stdlib.OptionAfterConnect(timesInUTC))
	pool.SetMaxOpenConns(cfg.MaxConnections)
	// A new connection costs more than an idle one. Idle connections are closed after a minute.
	pool.SetMaxIdleConns(cfg.MaxConnections)
	pool.SetConnMaxLifetime(connectionLife)
	pool.SetConnMaxIdleTime(time.Minute)
	orm, err := gorm.Open(gormpg.New(gormpg.Config{Conn: pool}), &gorm.Config{
		TranslateError: true, DisableAutomaticPing: true, SkipDefaultTransaction: true, Logger: newLogger(cfg.Logger),
		NowFunc: func() time.Time { return time.Now().UTC() }, //nolint:forbidigo // required by GORM
	})
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return &DB{
		gorm: orm, sql: pool, url: cfg.URL, log: cfg.Logger, horizon: cmp.Or(cfg.Horizon, DefaultHorizon),
		express: cfg.Express, traced: cfg.Traced,
	}, nil
}

// timesInUTC makes the driver return times in UTC instead of the machine's time zone.
func timesInUTC(_ context.Context, c *pgx.Conn) error {
	c.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// Close closes the pool.
func (db *DB) Close() error { return db.sql.Close() }

// now returns the time at which the transaction of ctx began, by the clock of the database, in milliseconds as in events.
func (db *DB) now(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := db.conn(ctx).Raw("SELECT date_trunc('milliseconds', now())").Scan(&now).Error
	return now.UTC(), classify(err)
}

// Ping returns an error if the database does not respond.
func (db *DB) Ping(ctx context.Context) error { return db.sql.PingContext(ctx) }

// Collector returns the metrics of the pool: go_sql_*.
func (db *DB) Collector() prometheus.Collector {
	return collectors.NewDBStatsCollector(db.sql, "service")
}

// unavailableAfter is the Retry-After for clients when the database does not respond.
const unavailableAfter = 2 * time.Second

// Messages to the client for database failures.
const (
	contended = "Other requests hold the records to change and this one timed out. Nothing was changed. Send the " +
		"request again."
	nothingDone  = "The database is temporarily unavailable. Nothing was changed."
	responseLost = "The response of the database was lost; the change may or may not be stored. Send the request again " +
		"with the same Idempotency-Key, or check the state first."
)

// classify converts lost connections and lost lock conflicts to UNAVAILABLE and returns every other error unchanged.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*apperr.Error](err); known {
		return err
	}
	switch {
	case lostToOthers(err):
		return unavailable(err, contended)
	case !connectionLost(err):
		return err
	case mayHaveWorked(err):
		return unavailable(err, responseLost)
	}
	return unavailable(err, nothingDone)
}

func unavailable(cause error, message string) error {
	return &apperr.Error{Code: apperr.Unavailable, Message: message, RetryAfter: unavailableAfter, Cause: cause}
}

// rolledBack converts the error of a transaction that was not committed: nothing was changed, whatever its statements
// did.
func rolledBack(err error) error {
	lost, ok := errors.AsType[*apperr.Error](err)
	if !ok || lost.Message != responseLost {
		return err
	}
	certain := *lost
	certain.Message = nothingDone
	return &certain
}

// mayHaveWorked reports whether the statement may have taken effect: it was written to the server, but the response was
// lost.
func mayHaveWorked(err error) bool {
	return commitLost(err) && !errors.Is(err, driver.ErrBadConn) && !errors.Is(err, sql.ErrConnDone) &&
		!isA[*pgconn.ConnectError](err) && !pgconn.SafeToRetry(err)
}

// commitLost is mayHaveWorked for a COMMIT. When the connection breaks during a COMMIT, the driver reports that a retry
// is safe, which is wrong.
func commitLost(err error) bool {
	if err == nil || isA[*pgconn.PgError](err) || errors.Is(err, sql.ErrTxDone) {
		return false
	}
	// database/sql returns these errors unwrapped if the context ended before the statement was sent.
	return err != context.DeadlineExceeded && err != context.Canceled //nolint:errorlint // unwrapped on purpose
}

func connectionLost(err error) bool {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pgErr.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, operator intervention (also statement timeout), system
			return true
		default:
			return pgErr.Code == readOnly || pgErr.Code == idleInTransaction
		}
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, context.Canceled) {
		return false
	}
	// Errors that do not come from the server come from the wire, the pool or the deadline.
	return !isGormError(err)
}

// lostToOthers reports whether the server aborted a statement because of other transactions. The server responds, and
// the same statement may succeed after those transactions end.
func lostToOthers(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{lockNotAvailable, deadlockDetected, serializationFailure}, pgErr.Code)
}

// IsContention reports whether the transaction or statement was aborted because of other transactions; nothing was
// changed.
func IsContention(err error) bool { return IsUnavailable(err) && lostToOthers(err) }

// fromDatabase reports whether an error comes from the server or from the connection to it.
func fromDatabase(err error) bool {
	if _, known := errors.AsType[*apperr.Error](err); known {
		return false
	}
	for _, wire := range []error{
		io.EOF, io.ErrUnexpectedEOF, driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, context.DeadlineExceeded,
	} {
		if errors.Is(err, wire) {
			return true
		}
	}
	return isA[*pgconn.PgError](err) || isA[*pgconn.ConnectError](err) || isA[net.Error](err) || pgconn.SafeToRetry(err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isGormError(err error) bool {
	for _, known := range []error{
		gorm.ErrDuplicatedKey, gorm.ErrForeignKeyViolated, gorm.ErrCheckConstraintViolated, gorm.ErrInvalidData,
		gorm.ErrInvalidField, gorm.ErrInvalidValue, gorm.ErrMissingWhereClause, gorm.ErrInvalidTransaction,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// SQLSTATE codes that this package handles.
const (
	uniqueViolation      = "23505"
	foreignKeyViolation  = "23503"
	lockNotAvailable     = "55P03"
	deadlockDetected     = "40P01"
	serializationFailure = "40001"
	readOnly             = "25006"
	idleInTransaction    = "25P03"
)

// isDuplicate reports whether a unique index rejected the row. GORM translates errors of Exec, but not of queries.
func isDuplicate(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, gorm.ErrDuplicatedKey) || ok && pgErr.Code == uniqueViolation
}

// ErrExternalIDInUse is returned for a post with the external id of another post of its channel.
var ErrExternalIDInUse = errors.New("another post of the channel has the external id")

// isExternalIDInUse reports whether a post has the external id of another post of its channel.
func isExternalIDInUse(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == uniqueViolation && pgErr.ConstraintName == "post_external_id"
}

// isLockTimeout reports whether a statement exceeded the pool's lock timeout.
func isLockTimeout(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == lockNotAvailable
}

// isForeignKey reports whether the row references a row that does not exist.
func isForeignKey(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, gorm.ErrForeignKeyViolated) || ok && pgErr.Code == foreignKeyViolation
}

func notFound(what string) error { return apperr.New(apperr.NotFound, "There is no such %s.", what) }

// affected returns the error of a change: NOT_FOUND, with the name of what was to be changed, if it concerned no row.
func affected(result *gorm.DB, what string) error {
	if result.Error == nil && result.RowsAffected == 0 {
		return notFound(what)
	}
	return classify(result.Error)
}

// rowError returns the error of a query for one row: NOT_FOUND, with the name of what was sought, if there is none.
func rowError(err error, what string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return notFound(what)
	}
	return classify(err)
}

// IsUnavailable reports whether the database did not respond or other transactions interfered, so that the same call
// may succeed later.
func IsUnavailable(err error) bool { return apperr.Is(err, apperr.Unavailable) }
