package postgres

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowStatement is the duration above which a statement is logged.
const slowStatement = 500 * time.Millisecond

// shownStatement is the number of characters of a statement that are logged: enough to find it in the code.
const shownStatement = 80

// gormLogger writes GORM's warnings to slog. Statements are logged without their values, which are tenants' data.
type gormLogger struct{ log *slog.Logger }

func newLogger(log *slog.Logger) logger.Interface { return gormLogger{log: log} }

// LogMode ignores GORM's level; the service's own logger decides.
func (l gormLogger) LogMode(logger.LogLevel) logger.Interface { return l }

// Info drops the message: GORM's notices are of no use to an operator.
func (l gormLogger) Info(context.Context, string, ...any) {}

// Warn logs GORM's warnings.
func (l gormLogger) Warn(ctx context.Context, msg string, _ ...any) {
	l.log.WarnContext(ctx, "gorm warning", slog.String("warning", msg))
}

// Error logs GORM's errors.
func (l gormLogger) Error(ctx context.Context, msg string, _ ...any) {
	l.log.ErrorContext(ctx, "gorm error", slog.String("problem", msg))
}

// Trace logs slow statements at debug level. The time includes waiting for a connection, for locks and for a busy
// machine, for example while all programs start. PostgreSQL's own log has the time of the statement alone. Failures are
// not logged here, because the code that handles them reports them once.
func (l gormLogger) Trace(ctx context.Context, begin time.Time, fc func() (string, int64), err error) {
	//nolint:forbidigo // GORM measures with the wall clock
	elapsed := time.Since(begin)
	if elapsed <= slowStatement || errors.Is(err, gorm.ErrRecordNotFound) || !l.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	statement, rows := fc()
	l.log.DebugContext(ctx, "slow statement", slog.String("statement", beginning(statement)), slog.Int64("rows", rows),
		slog.Duration("took", elapsed))
}

// beginning returns the first part of a statement, on one line.
func beginning(statement string) string {
	line := []rune(strings.Join(strings.Fields(statement), " "))
	if len(line) <= shownStatement {
		return string(line)
	}
	return string(line[:shownStatement]) + "…"
}

// ParamsFilter removes the values from logged statements.
func (l gormLogger) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}
