package postgres

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowStatement is when a statement is worth a line in the log.
const slowStatement = 500 * time.Millisecond

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

// Trace reports slow statements; failures are reported once, by whoever handles them.
func (l gormLogger) Trace(ctx context.Context, begin time.Time, fc func() (string, int64), err error) {
	//nolint:forbidigo // GORM began to measure by the wall clock
	if took := time.Since(begin); took > slowStatement && !errors.Is(err, gorm.ErrRecordNotFound) {
		statement, rows := fc()
		l.log.WarnContext(ctx, "slow statement", slog.String("statement", statement), slog.Int64("rows", rows), slog.Duration("took", took))
	}
}

// ParamsFilter keeps values out of logged statements.
func (l gormLogger) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}
