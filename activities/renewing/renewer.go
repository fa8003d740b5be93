// Package renewing renews the credentials of channels before they end, also of channels that make no calls, and keeps
// their token status true.
package renewing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

const (
	// assessEvery is the interval at which a channel's token status is recomputed. It is shorter than a day, so that
	// some hourly sweep of every day does it.
	assessEvery = 23 * time.Hour
	// assessBatch and dueBatch bound one step of a sweep.
	assessBatch = 500
	dueBatch    = 100
	// spread is the longest delay of a renewal, shorter than the interval of sweeps.
	spread = 30 * time.Minute
)

// Store stores when channels must be renewed; see postgres.Renewals.
type Store interface {
	Assess(
		ctx context.Context, now, since time.Time, limit int,
		judge func(channel.Channel, channel.Credentials) postgres.Assessment, broken func(channel.Channel, error),
	) (int, error)
	Due(ctx context.Context, now time.Time, after ident.Channel, limit int) ([]flow.RenewalInput, error)
	Load(ctx context.Context, id ident.Channel) (channel.Channel, channel.Credentials, int, error)
	Note(ctx context.Context, id ident.Channel, n channel.Note) error
}

// Config holds the dependencies and settings of a Renewer.
type Config struct {
	Store      Store
	Access     *access.Keeper
	Networks   *platform.Registry
	Clock      clock.Clock
	Logger     *slog.Logger
	Metrics    *Metrics
	RetryScale float64 // factor applied to delays and waits; 1 in production
	// Remind mails people about connections that only they can extend; nil: no mails are sent.
	Remind func(ctx context.Context, now time.Time) (mails int, err error)
}

// Renewer executes the steps of sweeps and the tries of renewals. It is safe for concurrent use.
type Renewer struct{ Config }

// New returns a Renewer, or an error if cfg is incomplete.
func New(cfg Config) (*Renewer, error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Networks == nil || cfg.Clock == nil || cfg.Logger == nil ||
		cfg.Metrics == nil || cfg.RetryScale <= 0 {
		return nil, errors.New("renewing: every dependency is required, and the scale must be positive")
	}
	return &Renewer{Config: cfg}, nil
}

// Sweep assesses the channels whose assessment is missing or a day old, and returns a page of those whose renewal is
// due.
func (r *Renewer) Sweep(ctx context.Context, page flow.RenewalsPage) (flow.RenewalsFound, error) {
	now := r.Clock.Now()
	for {
		looked, err := r.Store.Assess(ctx, now, now.Add(-assessEvery), assessBatch, r.judge, func(c channel.Channel, err error) {
			r.Logger.ErrorContext(ctx, "credentials cannot be read", slog.String("channel_id", c.ID.String()),
				slog.Any("error", err))
		})
		if err != nil {
			return flow.RenewalsFound{}, err
		}
		if looked < assessBatch {
			break
		}
	}
	if err := r.remind(ctx, page, now); err != nil {
		return flow.RenewalsFound{}, err
	}
	due, err := r.Store.Due(ctx, now, page.After, dueBatch)
	if err != nil {
		return flow.RenewalsFound{}, err
	}
	for i := range due {
		due[i].Delay = time.Duration(float64(rand.N(spread)) * r.RetryScale) //nolint:gosec // spreads load, protects nothing
	}
	r.Metrics.started.Add(float64(len(due)))
	return flow.RenewalsFound{
		Due: due, More: len(due) == dueBatch, Note: fmt.Sprintf("%d renewals are due on this page.", len(due)),
	}, nil
}

// remind sends the reminders at the start of a sweep.
func (r *Renewer) remind(ctx context.Context, page flow.RenewalsPage, now time.Time) error {
	if r.Remind == nil || !page.After.IsZero() {
		return nil
	}
	mails, err := r.Remind(ctx, now)
	if mails > 0 {
		r.Logger.InfoContext(ctx, "people are mailed about connections", slog.Int("mails", mails))
	}
	return err
}

// judge derives from a channel's credentials when they must be renewed, and the status of the channel.
func (r *Renewer) judge(c channel.Channel, credentials channel.Credentials) postgres.Assessment {
	link, linked := r.Networks.Link(c)
	if !linked {
		return postgres.Assessment{Status: c.TokenStatus}
	}
	now, term := r.Clock.Now(), link.Term(access.AccountOf(c, credentials))
	judged := postgres.Assessment{RenewAt: term.RenewBefore, EndsAt: term.EndsAt, Status: term.Status(now)}
	if judged.RenewAt.Before(c.CreatedAt) && !judged.RenewAt.IsZero() { // of credentials without times
		judged.RenewAt = c.CreatedAt
	}
	judged.Note = channel.Note{At: now, Kind: channel.NoteHealthy, Detail: "The connection no longer ends within a week."}
	if judged.Status == channel.TokenExpiring {
		judged.Note.Kind = channel.NoteExpiring
		judged.Note.Detail = fmt.Sprintf("The connection ends on %s. A person must connect the channel again before.",
			term.EndsAt.UTC().Format(time.RFC3339))
	}
	return judged
}
