// Package telemetry provides structured logs without secrets, metrics, and health checks for operators, and
// defines the version that programs report.
package telemetry

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// LogConfig configures a logger.
type LogConfig struct {
	Output  io.Writer
	Level   slog.Leveler // least severe level that is written
	Format  string       // json or text
	Service string       // name of the program, on every record
	Version string       // version of the program, on every record
	// RequestsPerSecond is the number of requests per second that are all logged. Of those above it, one
	// of a hundred is, and every failure. Zero means all.
	RequestsPerSecond int
}

// NewLogger returns a logger that writes one line per record with times in UTC, adds the attributes of the context
// (With), and masks secrets: values under secret names, and secrets of known shape anywhere in messages, strings,
// errors, groups and values of any other type (Redact). It returns an error if a part of the configuration is missing
// or the format is unknown.
func NewLogger(config LogConfig) (*slog.Logger, error) {
	switch {
	case config.Output == nil:
		return nil, errors.New("telemetry: LogConfig.Output is missing")
	case config.Level == nil:
		return nil, errors.New("telemetry: LogConfig.Level is missing")
	case config.Service == "":
		return nil, errors.New("telemetry: LogConfig.Service is missing")
	}

	options := &slog.HandlerOptions{Level: config.Level, ReplaceAttr: replaceAttr}

	var output slog.Handler

	switch config.Format {
	case "json":
		output = slog.NewJSONHandler(config.Output, options)
	case "text":
		output = slog.NewTextHandler(config.Output, options)
	default:
		return nil, fmt.Errorf("telemetry: unknown log format %q, want json or text", config.Format)
	}

	logger := slog.New(newSampler(newContextHandler(output), config.RequestsPerSecond))

	return logger.With(slog.String("service", config.Service), slog.String("version", config.Version)), nil
}
