package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
)

// Verdict is the effect of an attempt on its delivery and its endpoint.
type Verdict struct {
	State   webhook.State // Pending: the delivery is retried
	Wait    time.Duration // Pending: the delay until the next attempt
	Excused bool          // Exhausted: does not count towards disabling the endpoint, because the outage was ours
	Disable string        // if not empty, disables the endpoint at once, for this reason
}

// Record writes an attempt and its consequences. It reports false if the attempt was already recorded. The positions of
// the delivery that the result changes come from the table in the domain; the statement compares and sets them.
func (s *Deliveries) Record(ctx context.Context, d Dispatch, a webhook.Attempt, v Verdict) (bool, error) {
	statement, redelivery := recordAutomatic, !d.Redelivery.IsZero()
	if redelivery {
		statement = recordManual
	}
	result := webhook.ResultOf(v.State, redelivery)
	from, to := webhook.PositionsBefore(result, false)
	repeated, _ := webhook.PositionsBefore(result, true)
	effect := result.Effect(d.Test || v.Excused)
	var wait *float64 // nil for a result that ends the delivery
	if to == webhook.Pending {
		wait = ptr(v.Wait.Seconds())
	}
	in := flow.DeliveryInput{DeliveryID: d.Delivery.ID, RedeliveryID: d.Redelivery}
	var recorded int
	err := s.db.conn(ctx).Raw(statement, map[string]any{
		"id": d.Delivery.ID, "run": d.Run, "tries": d.Delivery.Tries, "webhook": d.Delivery.WebhookID, "url": d.URL,
		"redelivery": d.Redelivery, "holder": holder(in),
		"from": toArray(from), "repeated": toArray(repeated), "state": string(to), "wait": wait,
		"failing": effect.Failing, "reset": effect.Reset, "counts": effect.Counts, "disable": v.Disable,
		"limit": webhook.DisableAfter, "reason": webhook.ReasonFailures,
		"trigger": string(a.Trigger), "started": a.StartedAt, "duration": a.Duration.Milliseconds(),
		"status": optional(a.StatusCode), "response": optional(a.Response), "error": optional(a.ErrorClass),
		"request_headers": optional(a.RequestHeaders), "response_headers": optional(a.ResponseHeaders),
	}).Scan(&recorded).Error
	return recorded == 1, classify(err)
}
