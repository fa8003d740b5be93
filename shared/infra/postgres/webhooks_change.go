package postgres

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Update changes an endpoint. Enabling resets the failure counter to 0; disabling cancels its pending deliveries, as
// after too many failures. Waiting deliveries go to the new URL from their next attempt on. Update returns NOT_FOUND if
// the workspace has no such endpoint.
func (s *Webhooks) Update(
	ctx context.Context, workspace ident.Workspace, id ident.Webhook, c webhook.Change,
) (changed webhook.Endpoint, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		before, err := s.get(ctx, workspace, id, locking("FOR NO KEY UPDATE"))
		if err != nil {
			return err
		}
		var rows []webhookRow
		err = s.endpoint(ctx, workspace, id).Model(&rows).Clauses(returning(webhookColumns)).
			Updates(endpointColumns(before, c)).Error
		if err != nil {
			return err
		}
		changed = fromWebhookRow(rows[0])
		if before.IsActive && !changed.IsActive {
			return s.cancelWaiting(ctx, id)
		}
		return nil
	})
	return changed, err
}

// endpointColumns returns the columns that a change of an endpoint sets.
func endpointColumns(before webhook.Endpoint, c webhook.Change) map[string]any {
	next := before.Changed(c)
	columns := map[string]any{
		"url": next.URL, "description": next.Description, "events": textArray(next.Events), "is_active": next.IsActive,
		"channel_ids":          idColumn(next.ChannelIDs),
		"consecutive_failures": next.ConsecutiveFailures, "disabled_reason": optional(next.DisabledReason),
		"updated_at": dbNow,
	}
	switch {
	case next.IsActive:
		columns["disabled_at"] = nil
	case before.IsActive:
		columns["disabled_at"] = dbNow
	}
	if c.Relieves() {
		columns["is_failing"] = false
	}
	return columns
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
	columns := map[string]any{
		"secret": sealed, "updated_at": dbNow, "previous_secret": nil, "previous_secret_until": nil,
	}
	if overlap > 0 {
		columns["previous_secret"], columns["previous_secret_until"] = gorm.Expr("secret"), dbIn(overlap)
	}
	target := s.endpoint(ctx, workspace, id)
	if !force {
		target = target.Where("COALESCE(previous_secret_until, '-infinity') <= now()")
	}
	var rows []webhookRow
	err = target.Model(&rows).Clauses(returning(webhookColumns)).Updates(columns).Error
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
	old := s.db.conn(ctx).Table("webhook").Select("id").Where("deleted_at < ?", dbAgo(age)).Limit(limit)
	endpoints := s.db.conn(ctx).Table("webhook").Where("id IN (?)", old).Delete(nil)
	if endpoints.Error != nil {
		return 0, classify(endpoints.Error)
	}
	past := s.db.conn(ctx).Table("webhook_replay").Select("id").Where("created_at < ?", dbAgo(age)).
		Order("created_at").Limit(limit)
	replays := s.db.conn(ctx).Table("webhook_replay").Where("id IN (?)", past).Delete(nil)
	return int(max(endpoints.RowsAffected, replays.RowsAffected)), classify(replays.Error)
}
