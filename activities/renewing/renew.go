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
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

const (
	// firstPause is the wait after the first failed try. It doubles with each failure, up to longPause, each ± jitter.
	firstPause = 5 * time.Minute
	longPause  = 12 * time.Hour
	jitter     = 0.2
	// timeout is the maximum duration of a renewal. Afterwards the next sweep starts another one, as long as the
	// credentials live.
	timeout = 3 * 24 * time.Hour
)

// Renew makes one try to renew a channel's credentials. It does nothing if a call or another execution has renewed them
// already.
func (r *Renewer) Renew(ctx context.Context, in flow.RenewalInput) (flow.RenewalOutcome, error) {
	c, credentials, revision, err := r.Store.Load(ctx, in.ChannelID)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return done("The channel was removed."), nil
	case err != nil:
		return flow.RenewalOutcome{}, err
	case !c.Ready():
		return done("The channel is disconnected or needs a person."), nil
	}
	link, linked := r.Networks.Link(c)
	if !linked {
		return done("This version has no connection to the network."), nil
	}
	now, term := r.Clock.Now(), link.Term(access.AccountOf(c, credentials))
	if term.RenewBefore.IsZero() || term.RenewBefore.After(now) {
		return done("The credentials were renewed in the meantime."), nil
	}
	if in.Begun.IsZero() {
		in.Begun = now
	}
	detail := func(fresh channel.Credentials) string {
		return "Renewed" + ends(link.Term(access.AccountOf(c, fresh))) + "."
	}
	fresh, err := r.Access.RenewDue(ctx, link, c, revision, func(fresh channel.Credentials) channel.Note {
		return channel.Note{At: r.Clock.Now(), Kind: channel.NoteRenewed, Detail: detail(fresh)}
	})
	if err != nil {
		return r.failed(ctx, in, c, err)
	}
	r.Metrics.count(in.Network, outcomeOK)
	return done(detail(fresh)), nil
}

func done(note string) flow.RenewalOutcome { return flow.RenewalOutcome{Done: true, Note: note} }

// ends says until when a connection lasts.
func ends(term platform.Term) string {
	if term.EndsAt.IsZero() {
		return ""
	}
	return " until " + term.EndsAt.UTC().Format(time.RFC3339)
}

func (r *Renewer) note(ctx context.Context, c channel.Channel, kind channel.NoteKind, detail string) error {
	return r.Store.Note(context.WithoutCancel(ctx), c.ID, channel.Note{At: r.Clock.Now(), Kind: kind, Detail: detail})
}

// failed decides how a renewal continues after a failure of the network. The access package has marked the channel if
// the refusal is definite.
func (r *Renewer) failed(
	ctx context.Context, in flow.RenewalInput, c channel.Channel, err error,
) (flow.RenewalOutcome, error) {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok {
		return flow.RenewalOutcome{}, err
	}
	r.Logger.WarnContext(ctx, "a network did not renew credentials", slog.String("channel_id", c.ID.String()),
		slog.String("network", string(in.Network)), slog.String("class", string(failure.Class)),
		slog.String("code", failure.Code), slog.Int("tries", in.Tries+1), slog.Any("error", err))
	if failure.Class == platform.ClassReconnect {
		r.Metrics.count(in.Network, outcomeRefused)
		out := flow.RenewalOutcome{Done: true, Refused: true, Note: failure.Message}
		return out, r.note(ctx, c, channel.NoteRenewalRefused, failure.Message)
	}
	r.Metrics.count(in.Network, outcomeFailed)
	if in.Tries == 0 {
		if err := r.note(ctx, c, channel.NoteRenewalFailed, failure.Message); err != nil {
			return flow.RenewalOutcome{}, err
		}
	}
	wait := r.wait(in, failure)
	if r.Clock.Now().Add(wait).Sub(in.Begun) > timeout {
		return done(failure.Message + " The next sweep begins again."), nil
	}
	return flow.RenewalOutcome{
		Wait: wait, Begun: in.Begun, Note: fmt.Sprintf("%s Tries again in %s.", failure.Message, wait.Round(time.Second)),
	}, nil
}

// wait returns the wait before the next try: the network's own, or one that doubles.
func (r *Renewer) wait(in flow.RenewalInput, failure *platform.Failure) time.Duration {
	if failure.Class == platform.ClassRateLimited && !failure.Until.IsZero() {
		return max(failure.Until.Sub(r.Clock.Now()), time.Second)
	}
	const doublings = 8 // beyond it, the pause is the longest
	pause := min(firstPause<<min(in.Tries, doublings), longPause)
	spread := 1 - jitter + 2*jitter*rand.Float64() //nolint:gosec,mnd // spreads load, protects nothing
	return max(time.Duration(float64(pause)*spread*r.RetryScale), time.Millisecond)
}
