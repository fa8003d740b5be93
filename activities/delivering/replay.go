package delivering

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/failpoint"
)

// FailAfterReplayPage is the crash point after a page of a replay.
const FailAfterReplayPage = "replay.after_page"

const (
	// replayPage is the number of deliveries queued by one statement.
	replayPage = 200
	// replayPace is the pause between two pages. New events take precedence over a replay, so it need not be fast.
	replayPace = 250 * time.Millisecond
	// replayAhead is the queue length of an endpoint above which a replay adds no deliveries.
	replayAhead = 2000
	// replayDelay is the wait before checking the queue of such an endpoint again.
	replayDelay = 5 * time.Second
)

// Replay adds the next page of a replay to its endpoint's queue, and returns the wait before the page after it. The
// position is stored with the replay, so repeating the activity queues nothing twice.
func (d *Deliverer) Replay(ctx context.Context, in flow.ReplayInput) (flow.DeliveryOutcome, error) {
	waiting, err := d.Deliveries.Waiting(ctx, in.WebhookID)
	if err != nil {
		return flow.DeliveryOutcome{}, err
	}
	if waiting >= replayAhead {
		if err := d.Deliveries.Heard(ctx, in.ReplayID); err != nil {
			return flow.DeliveryOutcome{}, err
		}
		return flow.DeliveryOutcome{
			Wait: replayDelay, Note: fmt.Sprintf("%d deliveries already wait in the endpoint's queue.", waiting),
		}, nil
	}
	state, queued, err := d.Deliveries.ContinueReplay(ctx, in.ReplayID, replayPage)
	if err != nil {
		return flow.DeliveryOutcome{}, err
	}
	if err := failpoint.Hit(ctx, FailAfterReplayPage); err != nil {
		return flow.DeliveryOutcome{}, err
	}
	d.Wake()
	switch state {
	case webhook.ReplayRunning:
		return flow.DeliveryOutcome{Wait: replayPace, Note: fmt.Sprintf("%d deliveries are queued so far.", queued)}, nil
	case webhook.ReplayCompleted:
		return flow.DeliveryOutcome{Done: true, Note: fmt.Sprintf("Completed: %d deliveries were queued.", queued)}, nil
	case webhook.ReplayCancelled:
	}
	return flow.DeliveryOutcome{
		Done: true, Note: "Ended: the replay is completed, or its endpoint was disabled or deleted.",
	}, nil
}
