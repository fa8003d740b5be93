// Package postgres keeps the service's state. It is the only importer of GORM: rows are its own structs, what comes out
// are domain values, and every state change is one transaction that also writes its event, its timeline and what
// Temporal must be told.
package postgres

import (
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
	gormpg "gorm.io/driver/postgres"
	"gorm.io/gorm"

	"socialpub.internal/shared/kernel/apperr"
)

// Config says how to reach the database.
type Config struct {
	URL string
	// Name is the program's, by which its connections can be told apart in pg_stat_activity; empty: they have none.
	Name           string
	MaxConnections int
	Logger         *slog.Logger
	// LockTimeout is how long a statement waits for a lock that another transaction holds; zero: without end.
	LockTimeout time.Duration
}

// DB is the pool. Stores are made from it.
type DB struct {
	gorm *gorm.DB
	sql  *sql.DB
	url  string
	log  *slog.Logger
}

const (
	connectTimeout = 5 * time.Second
	connectionLife = 30 * time.Minute
)

// Open makes the pool. It connects lazily: a service starts while the database is still down, and says so by readiness.
func Open(cfg Config) (*DB, error) {
	if cfg.Logger == nil || cfg.MaxConnections < 1 {
		return nil, errors.New("postgres: Logger and MaxConnections are required")
	}
	conn, err := pgx.ParseConfig(cfg.URL)
	if err != nil {
		return nil, errors.New("DATABASE_URL is not a PostgreSQL URL") // the cause would show the password
	}
	if err := tellName(conn, cfg.Name); err != nil {
		return nil, err
	}
	conn.ConnectTimeout = connectTimeout
	conn.RuntimeParams["timezone"] = "UTC"
	// Every statement is written for one plan. Planning the large ones anew each time costs more than running them.
	conn.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	if cfg.LockTimeout > 0 {
		conn.RuntimeParams["lock_timeout"] = strconv.FormatInt(cfg.LockTimeout.Milliseconds(), 10)
	}
	pool := stdlib.OpenDB(*conn, stdlib.OptionAfterConnect(timesInUTC))
	pool.SetMaxOpenConns(cfg.MaxConnections)
	pool.SetMaxIdleConns(cfg.MaxConnections) // a new connection costs more than an idle one; those go after a minute
	pool.SetConnMaxLifetime(connectionLife)
	pool.SetConnMaxIdleTime(time.Minute)
	orm, err := gorm.Open(gormpg.New(gormpg.Config{Conn: pool}), &gorm.Config{
		TranslateError: true, DisableAutomaticPing: true, SkipDefaultTransaction: true, Logger: newLogger(cfg.Logger),
		NowFunc: func() time.Time { return time.Now().UTC() }, //nolint:forbidigo // GORM asks for it; our rows bring their own times
	})
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return &DB{gorm: orm, sql: pool, url: cfg.URL, log: cfg.Logger}, nil
}

// timesInUTC makes every time that is read a time in UTC; the driver would give the machine's zone.
func timesInUTC(_ context.Context, c *pgx.Conn) error {
	c.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// Close closes the pool.
func (db *DB) Close() error { return db.sql.Close() }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.sql.PingContext(ctx) }

// Stats are the pool's figures, for metrics.
func (db *DB) Stats() sql.DBStats { return db.sql.Stats() }

// unavailableAfter is what clients are told to wait when the database does not answer.
const unavailableAfter = 2 * time.Second

// What a client is told when the database does not do what it asked for.
const (
	contended   = "Other requests hold what this one needs to change, and this one has waited for its turn as long as it may; nothing was done. Send it again."
	nothingDone = "The database does not answer at the moment; nothing was done."
	answerLost  = "The database's answer was lost: a change may have been made, or not. Send the request again with the same Idempotency-Key, or look before you do."
)

// classify turns "the database did not answer" and "others were in the way" into UNAVAILABLE and leaves every other error as it is.
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
		return unavailable(err, answerLost)
	}
	return unavailable(err, nothingDone)
}

func unavailable(cause error, message string) error {
	return &apperr.Error{Code: apperr.Unavailable, Message: message, RetryAfter: unavailableAfter, Cause: cause}
}

// rolledBack is the error of a transaction that was not committed: whatever became of its statements, nothing was done.
func rolledBack(err error) error {
	lost, ok := errors.AsType[*apperr.Error](err)
	if !ok || lost.Message != answerLost {
		return err
	}
	certain := *lost
	certain.Message = nothingDone
	return &certain
}

// mayHaveWorked reports whether what was asked may have taken effect: it was written to the server, which did not say.
func mayHaveWorked(err error) bool {
	return commitLost(err) && !errors.Is(err, driver.ErrBadConn) && !errors.Is(err, sql.ErrConnDone) &&
		!isA[*pgconn.ConnectError](err) && !pgconn.SafeToRetry(err)
}

// commitLost is mayHaveWorked for a COMMIT. Of that the driver says that it is safe to try again when the connection broke
// under it, which is not so.
func commitLost(err error) bool {
	if err == nil || isA[*pgconn.PgError](err) || errors.Is(err, sql.ErrTxDone) {
		return false
	}
	return err != context.DeadlineExceeded && err != context.Canceled //nolint:errorlint // database/sql's own: it did not come to the statement
}

func connectionLost(err error) bool {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pgErr.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, operator intervention (also statement timeout), system
			return true
		default:
			return pgErr.Code == readOnly
		}
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, context.Canceled) {
		return false
	}
	// What the server did not say came from the wire, the pool or the deadline.
	return !isGormError(err)
}

// lostToOthers reports whether the server gave up a statement for the sake of other transactions. The server answers, and the same
// may succeed when they have ended.
func lostToOthers(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{lockNotAvailable, deadlockDetected, serializationFailure}, pgErr.Code)
}

// IsContention reports whether the transaction or the statement was given up because others were in the way; nothing was done.
func IsContention(err error) bool { return IsUnavailable(err) && lostToOthers(err) }

// fromDatabase reports whether an error comes from the server or from the wire to it.
func fromDatabase(err error) bool {
	if _, known := errors.AsType[*apperr.Error](err); known {
		return false
	}
	for _, wire := range []error{io.EOF, io.ErrUnexpectedEOF, driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, context.DeadlineExceeded} {
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

// SQLSTATE codes that mean something to us.
const (
	uniqueViolation      = "23505"
	foreignKeyViolation  = "23503"
	lockNotAvailable     = "55P03"
	deadlockDetected     = "40P01"
	serializationFailure = "40001"
	readOnly             = "25006"
)

// isDuplicate reports whether a unique index refused the row. GORM translates the error of Exec, but not of a query.
func isDuplicate(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, gorm.ErrDuplicatedKey) || ok && pgErr.Code == uniqueViolation
}

// isLockTimeout reports whether a statement has waited for a lock for as long as the pool lets it.
func isLockTimeout(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == lockNotAvailable
}

// isForeignKey reports whether the row names another one that is not there.
func isForeignKey(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, gorm.ErrForeignKeyViolated) || ok && pgErr.Code == foreignKeyViolation
}

func notFound(what string) error { return apperr.New(apperr.NotFound, "There is no such %s.", what) }

// IsUnavailable reports whether the database did not answer or others were in the way, so that the same call may succeed later.
func IsUnavailable(err error) bool { return apperr.Is(err, apperr.Unavailable) }
