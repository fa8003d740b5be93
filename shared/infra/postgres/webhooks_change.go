package postgres

import (
	"context"
	"fmt"
	"time"

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Update changes an endpoint. Enabling resets the failure counter to 0; disabling cancels its pending deliveries, as
// after too many failures. Waiting deliveries go to the new URL from their next attempt on. Update returns NOT_FOUND if
// the workspace has no such endpoint.
func (s *Webhooks) Update(ctx context.Context, workspace ident.Workspace, id ident.Webhook, c webhook.Change) (webhook.Endpoint, error) {
	var events *textArray
	if c.Events != nil {
		list := textArray(c.Events)
		events = &list
	}
	var rows []webhookRow
	err := s.db.conn(ctx).Raw(`WITH was AS (
			SELECT id AS was_id, is_active AS was_active FROM webhook
			WHERE id = @id AND workspace_id = @workspace AND deleted_at IS NULL FOR NO KEY UPDATE
		), w AS (
			UPDATE webhook SET
				url = COALESCE(CAST(@url AS text), url), description = COALESCE(CAST(@description AS text), description),
				events = COALESCE(CAST(@events AS text[]), events),
				is_active = COALESCE(CAST(@active AS boolean), is_active),
				is_failing = is_failing AND CAST(@url AS text) IS NULL AND CAST(@active AS boolean) IS NOT TRUE,
				consecutive_failures = CASE WHEN CAST(@active AS boolean) THEN 0 ELSE consecutive_failures END,
				disabled_at = CASE WHEN CAST(@active AS boolean) THEN NULL WHEN is_active AND NOT CAST(@active AS boolean) THEN now() ELSE disabled_at END,
				disabled_reason = CASE WHEN CAST(@active AS boolean) THEN NULL
					WHEN is_active AND NOT CAST(@active AS boolean) THEN CAST(@manual AS text) ELSE disabled_reason END,
				updated_at = now()
			FROM was WHERE id = was_id
			RETURNING `+webhookColumns+`, was_active AND NOT is_active AS turned_off
		)`+cancelWaiting+` SELECT * FROM w`, map[string]any{
		"id": id, "workspace": workspace, "url": c.URL, "description": c.Description, "events": events, "active": c.IsActive,
		"manual": webhook.ReasonManual, "but": ident.Delivery{},
	}).Scan(&rows).Error
	if err != nil {
		return webhook.Endpoint{}, classify(err)
	}
	if len(rows) == 0 {
		return webhook.Endpoint{}, notFound("webhook")
	}
	return fromWebhookRow(rows[0]), nil
}

// Rotate gives an endpoint a new secret. The previous secret also signs during the overlap; without an overlap, it is
// invalid at once. Rotate returns INVALID_STATE while an earlier secret still signs, unless forced; force ends that
// secret now.
func (s *Webhooks) Rotate(
	ctx context.Context, workspace ident.Workspace, id ident.Webhook, secret string, overlap time.Duration, force bool,
) (webhook.Endpoint, error) {
	sealed, err := s.box.Seal([]byte(secret), secretAAD(workspace, id))
	if err != nil {
		return webhook.Endpoint{}, fmt.Errorf("seal webhook secret: %w", err)
	}
	var rows []webhookRow
	err = s.db.conn(ctx).Raw(`UPDATE webhook SET secret = @secret, updated_at = now(),
			previous_secret = CASE WHEN CAST(@overlap AS float8) > 0 THEN secret END,
			previous_secret_until = CASE WHEN CAST(@overlap AS float8) > 0 THEN now() + CAST(@overlap AS float8) * interval '1 second' END
		WHERE id = @id AND workspace_id = @workspace AND deleted_at IS NULL
			AND (CAST(@force AS boolean) OR COALESCE(previous_secret_until, '-infinity') <= now())
		RETURNING `+webhookColumns, map[string]any{
		"id": id, "workspace": workspace, "secret": sealed, "overlap": overlap.Seconds(), "force": force,
	}).Scan(&rows).Error
	if err != nil {
		return webhook.Endpoint{}, classify(err)
	}
	if len(rows) == 1 {
		return fromWebhookRow(rows[0]), nil
	}
	e, err := s.Get(ctx, workspace, id)
	if err != nil {
		return webhook.Endpoint{}, err
	}
	conflict := apperr.New(apperr.InvalidState, "The previous secret is still valid until %s. "+
		"Rotate again after that, or send force: true to revoke it now.", e.PreviousSecretUntil.UTC().Format(time.RFC3339))
	conflict.CurrentStatus = "OVERLAP"
	return webhook.Endpoint{}, conflict
}

// Prune deletes up to limit endpoints that were deleted longer than age ago, with the rest of their deliveries, and up
// to limit replays of that age. It returns the larger of the two counts.
func (s *Webhooks) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	var count int
	err := s.db.conn(ctx).Raw(`WITH old AS (
			SELECT now() - CAST(@age AS float8) * interval '1 second' AS bound
		), w AS (
			DELETE FROM webhook WHERE id IN (SELECT id FROM webhook, old WHERE deleted_at < bound LIMIT @limit) RETURNING id
		), r AS (
			DELETE FROM webhook_replay WHERE id IN (SELECT id FROM webhook_replay, old WHERE created_at < bound ORDER BY created_at LIMIT @limit)
				AND webhook_id NOT IN (SELECT id FROM w) RETURNING id
		) SELECT greatest((SELECT count(*) FROM w), (SELECT count(*) FROM r))`,
		map[string]any{"age": age.Seconds(), "limit": limit}).Scan(&count).Error
	return count, classify(err)
}
