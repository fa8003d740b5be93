package relay

import (
	"context"
	"time"

	"socialpub.internal/shared/flow/postflow"
)

// signalsChecked is how long the relay relies on what it last read of the connected programs.
const signalsChecked = 5 * time.Second

// checkSignals reads whether plans may go out under the signals that say what changed. Workers of versions that know
// SignalChanged alone ignore every other signal, so that nothing else is sent while a program of such a version is connected
// to the database.
func (r *Relay) checkSignals(ctx context.Context) error {
	now := r.Clock.Now()
	if now.Sub(r.signalsAt) < signalsChecked {
		return nil
	}
	named, err := r.Outbox.NamedSignals(ctx)
	r.named.Store(named)
	if err == nil {
		r.signalsAt = now
	}
	return err
}

// signalOf is the name of the signal that carries the plan.
func (r *Relay) signalOf(plan postflow.Plan) string {
	if plan.Signal == "" || !r.named.Load() {
		return string(postflow.SignalChanged)
	}
	return string(plan.Signal)
}
