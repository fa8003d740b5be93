package app

import (
	"context"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// DeliveryLog is a delivery with all its attempts, oldest first.
type DeliveryLog struct {
	webhook.Delivery
	Log []webhook.Attempt
}

// Deliveries returns the deliveries of an endpoint, newest first; NOT_FOUND when the workspace has no such endpoint.
func (a *hookUseCases) Deliveries(
	ctx context.Context, p Principal, endpoint ident.Webhook, filter postgres.DeliveryFilter,
) ([]webhook.Delivery, error) {
	if _, err := a.webhooks.Get(ctx, p.WorkspaceID, endpoint); err != nil {
		return nil, err
	}
	return a.deliveries.List(ctx, p.WorkspaceID, endpoint, filter)
}

// Delivery returns one delivery of an endpoint; NOT_FOUND when the endpoint or the delivery does not exist.
func (a *hookUseCases) Delivery(
	ctx context.Context, p Principal, endpoint ident.Webhook, id ident.Delivery,
) (DeliveryLog, error) {
	if _, err := a.webhooks.Get(ctx, p.WorkspaceID, endpoint); err != nil {
		return DeliveryLog{}, err
	}
	found, err := a.deliveries.Get(ctx, p.WorkspaceID, endpoint, id)
	if err != nil {
		return DeliveryLog{}, err
	}
	attempts, err := a.deliveries.Attempts(ctx, id, found.Attempts)
	return DeliveryLog{Delivery: found, Log: attempts}, err
}

// Redeliver enqueues one more attempt, whatever the state of the delivery, and returns the delivery before the attempt.
// Errors: those of Delivery, and INVALID_STATE while the endpoint is disabled or has a hundred waiting redeliveries.
func (a *hookUseCases) Redeliver(
	ctx context.Context, p Principal, endpoint ident.Webhook, id ident.Delivery,
) (webhook.Delivery, error) {
	var found webhook.Delivery
	err := a.onEndpoint(ctx, p, endpoint, audit.WebhookRedelivered, "delivery "+id.String(),
		func(ctx context.Context) (err error) {
			found, err = a.deliveries.Redeliver(ctx, p.WorkspaceID, endpoint, id)
			return err
		})
	if err != nil {
		return webhook.Delivery{}, err
	}
	a.db.AfterCommit(ctx, func() { a.wake(relay.Messages) })
	return found, nil
}

// onEndpoint runs an action on an endpoint and adds its entry to the audit log, both or neither. The error is NOT_FOUND
// when the workspace has no such endpoint.
func (a *hookUseCases) onEndpoint(
	ctx context.Context, p Principal, id ident.Webhook, action audit.Action, detail string,
	do func(ctx context.Context) error,
) error {
	found, err := a.webhooks.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, action, found.URL, detail, do)
}
