package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// requestHandled is the message of the record that api, mcp and files write for each request. Above a rate, only some of
// these records are written.
const requestHandled = "request handled"

const (
	// sampled is the number of requests above the rate of which one is logged.
	sampled = 100
	// failed is the least status of responses that are always logged.
	failed = 500
)

// sampler leaves out records of requests above a rate. Every other record is written.
type sampler struct {
	slog.Handler

	state *sampling
}

// sampling counts the requests of the current second. It is shared by a logger and those derived from it.
type sampling struct {
	perSecond int

	mu      sync.Mutex
	second  time.Time
	seen    int
	skipped int // since the last record
}

// newSampler returns the handler itself if the rate is zero.
func newSampler(next slog.Handler, perSecond int) slog.Handler {
	if perSecond == 0 {
		return next
	}

	return sampler{next, &sampling{perSecond: perSecond}}
}

func (s sampler) Handle(ctx context.Context, record slog.Record) error {
	if record.Message != requestHandled || statusOf(record) >= failed {
		return s.Handler.Handle(ctx, record)
	}

	keep, skipped := s.state.take(record.Time)
	if !keep {
		return nil
	}

	if skipped > 0 {
		record = record.Clone()
		record.AddAttrs(slog.Int("skipped", skipped))
	}

	return s.Handler.Handle(ctx, record)
}

func (s sampler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sampler{s.Handler.WithAttrs(attrs), s.state}
}

func (s sampler) WithGroup(name string) slog.Handler {
	return sampler{s.Handler.WithGroup(name), s.state}
}

// take reports whether to write a record, and how many were left out before it.
func (s *sampling) take(at time.Time) (keep bool, skipped int) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if second := at.Truncate(time.Second); !second.Equal(s.second) {
		s.second, s.seen = second, 0
	}

	s.seen++
	if s.seen > s.perSecond && s.seen%sampled != 0 {
		s.skipped++

		return false, 0
	}

	skipped, s.skipped = s.skipped, 0

	return true, skipped
}

func statusOf(record slog.Record) (status int64) {
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "status" && attr.Value.Kind() == slog.KindInt64 {
			status = attr.Value.Int64()
		}

		return status == 0
	})

	return status
}
