package relay

import (
	"context"
	"time"

	"fencepost.internal/shared/flow/postflow"
)

// signalsChecked is the maximum age of the relay's last read of the connected programs.
const signalsChecked = 5 * time.Second

// checkSignals reads whether plans may be sent under the named signals. Workers of older versions handle only
// SignalChanged and ignore every other signal. SignalChanged is therefore the only signal while a program of such a
// version is connected to the database.
func (r *Relay) checkSignals(ctx context.Context) error {
	r.checking.Lock()
	defer r.checking.Unlock()
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

// signalOf returns the name of the signal for the plan.
func (r *Relay) signalOf(plan postflow.Plan) string {
	if plan.Signal == "" || !r.named.Load() {
		return string(postflow.SignalChanged)
	}
	return string(plan.Signal)
}
