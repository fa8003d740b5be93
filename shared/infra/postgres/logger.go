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

// slowStatement is when a statement is worth a line in the log.
const slowStatement = 500 * time.Millisecond

// shownStatement is how much of a statement is logged: enough to find it in the code.
const shownStatement = 80

// gormLogger writes GORM's warnings to slog. Statements are logged without their values: those are tenants' data.
type gormLogger struct{ log *slog.Logger }

func newLogger(log *slog.Logger) logger.Interface { return gormLogger{log: log} }

// LogMode keeps the level of the service's own logger.
func (l gormLogger) LogMode(logger.LogLevel) logger.Interface { return l }

// Info is dropped: GORM's notices are of no use to an operator.
func (l gormLogger) Info(context.Context, string, ...any) {}

// Warn passes GORM's warnings on.
func (l gormLogger) Warn(ctx context.Context, msg string, _ ...any) {
	l.log.WarnContext(ctx, "gorm warning", slog.String("warning", msg))
}

// Error passes GORM's errors on.
func (l gormLogger) Error(ctx context.Context, msg string, _ ...any) {
	l.log.ErrorContext(ctx, "gorm error", slog.String("problem", msg))
}

// Trace reports slow statements, at level debug: the time includes the wait for a connection, for locks and for a busy machine, as
// while all programs start. PostgreSQL's own log has the time of the statement alone. Failures are reported once, by whoever
// handles them.
func (l gormLogger) Trace(ctx context.Context, begin time.Time, fc func() (string, int64), err error) {
	//nolint:forbidigo // GORM began to measure by the wall clock
	took := time.Since(begin)
	if took <= slowStatement || errors.Is(err, gorm.ErrRecordNotFound) || !l.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	statement, rows := fc()
	l.log.DebugContext(ctx, "slow statement", slog.String("statement", beginning(statement)), slog.Int64("rows", rows), slog.Duration("took", took))
}

// beginning is the first part of a statement, on one line.
func beginning(statement string) string {
	line := []rune(strings.Join(strings.Fields(statement), " "))
	if len(line) <= shownStatement {
		return string(line)
	}
	return string(line[:shownStatement]) + "…"
}

// ParamsFilter keeps values out of logged statements.
func (l gormLogger) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}
