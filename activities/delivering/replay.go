package delivering

import (
	"context"
	"fmt"
	"time"

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/kernel/failpoint"
)

// FailAfterReplayPage is the crash point after a page of a replay.
const FailAfterReplayPage = "replay.after_page"

const (
	// replayPage bounds one statement of a replay.
	replayPage = 200
	// replayPace is the rest between two pages: a replay is in no hurry, and what happens now goes before it anyway.
	replayPace = 250 * time.Millisecond
	// replayAhead is how many deliveries may wait in an endpoint's line before a replay adds more.
	replayAhead = 2000
	// replayPatience is how long a replay waits for such a line to become shorter.
	replayPatience = 5 * time.Second
)

// Replay puts the next page of a replay in its endpoint's line, and answers how long to wait before the one after it. How far
// it has come is kept with the replay, so that running it again repeats nothing.
func (d *Deliverer) Replay(ctx context.Context, in deliveryflow.ReplayInput) (deliveryflow.Outcome, error) {
	waiting, err := d.Deliveries.Waiting(ctx, in.WebhookID)
	if err != nil {
		return deliveryflow.Outcome{}, err
	}
	if waiting >= replayAhead {
		if err := d.Deliveries.Heard(ctx, in.ReplayID); err != nil {
			return deliveryflow.Outcome{}, err
		}
		return deliveryflow.Outcome{Wait: replayPatience, Note: fmt.Sprintf("%d deliveries wait in the endpoint's line already.", waiting)}, nil
	}
	state, queued, err := d.Deliveries.ContinueReplay(ctx, in.ReplayID, replayPage)
	if err != nil {
		return deliveryflow.Outcome{}, err
	}
	if err := failpoint.Hit(ctx, FailAfterReplayPage); err != nil {
		return deliveryflow.Outcome{}, err
	}
	d.Poke()
	switch state {
	case webhook.ReplayRunning:
		return deliveryflow.Outcome{Wait: replayPace, Note: fmt.Sprintf("%d deliveries are in line so far.", queued)}, nil
	case webhook.ReplayCompleted:
		return deliveryflow.Outcome{Done: true, Note: fmt.Sprintf("Completed: %d deliveries were put in line.", queued)}, nil
	case webhook.ReplayCancelled:
	}
	return deliveryflow.Outcome{Done: true, Note: "Ended: the replay is over, or its endpoint was disabled or deleted."}, nil
}
