// Package upkeep forgets what has served its time: answers kept for repeated requests, rate limits of clients that are gone.
package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	// KeepAnswers is how long the answer to a request with an Idempotency-Key is given again (decisions, section 3).
	KeepAnswers = 24 * time.Hour
	// batch bounds one statement, so that no lock is held for long.
	batch = 1000
)

// Answers keeps the answers to requests with an Idempotency-Key.
type Answers interface {
	// Prune forgets up to limit answers that are older than age, and returns how many.
	Prune(ctx context.Context, age time.Duration, limit int) (int, error)
}

// Limits keeps the rate limits of clients.
type Limits interface {
	// Prune forgets buckets that say no more than new ones would, and returns how many.
	Prune(ctx context.Context) (int, error)
}

// Config is what upkeep stands on.
type Config struct {
	Answers Answers
	Limits  Limits
	Every   time.Duration
	Logger  *slog.Logger
}

// Upkeep does its rounds. Any number of processes may.
type Upkeep struct{ Config }

// New checks the configuration.
func New(cfg Config) (*Upkeep, error) {
	if cfg.Answers == nil || cfg.Limits == nil || cfg.Every <= 0 || cfg.Logger == nil {
		return nil, errors.New("upkeep: every field is required")
	}
	return &Upkeep{Config: cfg}, nil
}

// Run does a round at once and then every so often, until the context ends. A round that fails is logged, and the next one
// catches up.
func (u *Upkeep) Run(ctx context.Context) {
	ticker := time.NewTicker(u.Every)
	defer ticker.Stop()
	for {
		if err := u.Round(ctx); err != nil && ctx.Err() == nil {
			u.Logger.WarnContext(ctx, "upkeep was cut short", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Round forgets everything that has served its time by now.
func (u *Upkeep) Round(ctx context.Context) error {
	_, err := u.Limits.Prune(ctx)
	return errors.Join(err, u.answers(ctx))
}

func (u *Upkeep) answers(ctx context.Context) error {
	for {
		n, err := u.Answers.Prune(ctx, KeepAnswers, batch)
		if err != nil || n < batch {
			return err
		}
	}
}
