package postgres

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/flow/deliveryflow"
)

// Verdict is the effect of an attempt on its delivery and its endpoint.
type Verdict struct {
	State   webhook.State // Pending: the delivery is retried
	Wait    time.Duration // Pending: the delay until the next attempt
	Counts  bool          // Exhausted: counts towards disabling the endpoint (a test does not)
	Disable string        // if not empty, disables the endpoint at once, for this reason
}

// endpointChanges is the condition under which an attempt changes its endpoint's row. Most attempts do not change it.
const endpointChanges = `(is_failing = CAST(@success AS boolean) OR CAST(@counts AS boolean) OR CAST(@disable AS text) <> ''
	OR CAST(@success AS boolean) AND consecutive_failures > 0)`

// lockEndpoint locks the endpoint's row, if the attempt changes it, before any delivery is touched. A transaction that
// ends all deliveries of an endpoint holds that row, and locking in the other order would deadlock. A response from a
// URL other than the endpoint's current one does not change the endpoint.
const lockEndpoint = `
WITH changed AS (
	SELECT id, consecutive_failures, is_active AS was_active FROM webhook WHERE id = @webhook AND url = @url AND ` + endpointChanges + `
	FOR NO KEY UPDATE
)`

// recordAutomatic advances a delivery, unless this attempt was already recorded. A delivery that ended during the
// request (its endpoint was disabled, or a redelivery succeeded) stays ended, and one that a replay queued again stays
// queued. The attempt is recorded in both cases, and a success always counts.
const recordAutomatic = lockEndpoint + `, before AS (
	SELECT id, run = @run AS same, state = 'PENDING' AND lane IS NULL AND run = @run AS open FROM delivery
	WHERE id = @id AND (run = @run AND (tries = @tries OR CAST(@success AS boolean) AND state <> 'SUCCEEDED') OR run > @run) AND (SELECT count(*) FROM changed) >= 0 FOR UPDATE
), d AS (
	UPDATE delivery d SET attempts = attempts + 1, tries = tries + CASE WHEN b.same THEN 1 ELSE 0 END,
		state = CASE WHEN b.open OR CAST(@success AS boolean) THEN CAST(@state AS text) ELSE state END,
		lane = CASE WHEN NOT CAST(@success AS boolean) THEN lane END,
		next_attempt_at = CASE WHEN b.open AND CAST(@state AS text) = 'PENDING' THEN now() + CAST(@wait AS float8) * interval '1 second'
			WHEN NOT b.open AND NOT CAST(@success AS boolean) THEN next_attempt_at END,
		completed_at = CASE WHEN b.open AND CAST(@state AS text) <> 'PENDING' OR CAST(@success AS boolean) AND state <> 'SUCCEEDED' THEN now() ELSE completed_at END
	FROM before b WHERE d.id = b.id
	RETURNING d.id, d.webhook_id, d.attempts, CAST(@counts AS boolean) AND b.open AS counts
), freed AS (
	UPDATE webhook_place SET held_by = NULL, held_until = '-infinity' WHERE webhook_id = @webhook AND held_by = @holder
		AND EXISTS (SELECT FROM before b WHERE b.same)
)`

// recordManual ends a redelivery. Success also ends its delivery; failure leaves the delivery and its retries
// unchanged.
const recordManual = lockEndpoint + `, r AS (
	UPDATE redelivery SET state = 'DONE' WHERE id = @redelivery AND state <> 'DONE' AND (SELECT count(*) FROM changed) >= 0 RETURNING delivery_id
), d AS (
	UPDATE delivery SET attempts = attempts + 1, state = CASE WHEN CAST(@success AS boolean) THEN 'SUCCEEDED' ELSE state END,
		next_attempt_at = CASE WHEN NOT CAST(@success AS boolean) THEN next_attempt_at END,
		lane = CASE WHEN NOT CAST(@success AS boolean) THEN lane END,
		completed_at = CASE WHEN CAST(@success AS boolean) AND (completed_at IS NULL OR state <> 'SUCCEEDED') THEN now() ELSE completed_at END
	WHERE id IN (SELECT delivery_id FROM r)
	RETURNING id, webhook_id, attempts, CAST(@counts AS boolean) AS counts
), freed AS (
	UPDATE webhook_place SET held_by = NULL, held_until = '-infinity' WHERE webhook_id = @webhook AND held_by = @holder
)`

// recordAttempt stores the attempt and updates the endpoint's failure counter. The counter changes under the endpoint's
// row lock, so that the endpoint is disabled exactly once, however many workers deliver.
const recordAttempt = `, a AS (
	INSERT INTO delivery_attempt (delivery_id, n, trigger, started_at, duration_ms, status_code, response, error_class)
	SELECT id, attempts, CAST(@trigger AS text), CAST(@started AS timestamptz), CAST(@duration AS integer), CAST(@status AS integer),
		CAST(@response AS text), CAST(@error AS text) FROM d
), means AS (
	SELECT d.webhook_id, d.counts, CASE WHEN CAST(@disable AS text) <> '' THEN CAST(@disable AS text)
		WHEN d.counts AND c.consecutive_failures + 1 >= CAST(@limit AS integer) THEN CAST(@reason AS text) END AS disable, c.was_active
	FROM d JOIN changed c ON c.id = d.webhook_id
), w AS (
	UPDATE webhook w SET is_failing = NOT CAST(@success AS boolean),
		consecutive_failures = CASE WHEN CAST(@success AS boolean) THEN 0 WHEN m.counts THEN consecutive_failures + 1 ELSE consecutive_failures END,
		is_active = is_active AND m.disable IS NULL,
		disabled_at = CASE WHEN is_active AND m.disable IS NOT NULL THEN now() ELSE disabled_at END,
		disabled_reason = CASE WHEN is_active AND m.disable IS NOT NULL THEN m.disable ELSE disabled_reason END,
		updated_at = CASE WHEN is_active AND m.disable IS NOT NULL THEN now() ELSE updated_at END
	FROM means m WHERE w.id = m.webhook_id
	RETURNING w.id, m.was_active AND m.disable IS NOT NULL AS turned_off
)` + cancelWaiting + ` SELECT count(*) FROM d`

// Record writes an attempt and its consequences. It reports false if the attempt was already recorded.
func (s *Deliveries) Record(ctx context.Context, d Dispatch, a webhook.Attempt, v Verdict) (bool, error) {
	statement := recordAutomatic
	in := deliveryflow.Input{DeliveryID: d.Delivery.ID, RedeliveryID: d.Redelivery}
	if !d.Redelivery.IsZero() {
		statement = recordManual
	}
	var recorded int
	err := s.db.conn(ctx).Raw(statement+recordAttempt, map[string]any{
		"id": d.Delivery.ID, "run": d.Run, "webhook": d.Delivery.WebhookID, "url": d.URL, "redelivery": d.Redelivery, "holder": holder(in), "tries": d.Delivery.Tries,
		"state": string(v.State), "wait": v.Wait.Seconds(), "trigger": string(a.Trigger), "started": a.StartedAt, "duration": a.Duration.Milliseconds(),
		"status": optional(a.StatusCode), "response": optional(a.Response), "error": optional(a.ErrorClass), "but": d.Delivery.ID,
		"success": v.State == webhook.Succeeded, "counts": v.Counts, "disable": v.Disable, "limit": webhook.DisableAfter, "reason": webhook.ReasonFailures,
	}).Scan(&recorded).Error
	return recorded == 1, classify(err)
}
