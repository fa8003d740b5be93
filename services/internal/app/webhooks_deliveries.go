package app

import (
	"context"

	"socialpub.internal/services/internal/relay"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

// DeliveryLog is a delivery with every attempt at it, the first one first.
type DeliveryLog struct {
	webhook.Delivery
	Log []webhook.Attempt
}

// Deliveries reads the deliveries of an endpoint, newest first; NOT_FOUND when the workspace has no such endpoint.
func (a *App) Deliveries(
	ctx context.Context, p Principal, endpoint ident.Webhook, filter postgres.DeliveryFilter,
) ([]webhook.Delivery, error) {
	if _, err := a.webhooks.Get(ctx, p.WorkspaceID, endpoint); err != nil {
		return nil, err
	}
	return a.deliveries.List(ctx, p.WorkspaceID, endpoint, filter)
}

// Delivery reads one delivery of an endpoint; NOT_FOUND when there is no such endpoint, or it has no such delivery.
func (a *App) Delivery(ctx context.Context, p Principal, endpoint ident.Webhook, id ident.Delivery) (DeliveryLog, error) {
	if _, err := a.webhooks.Get(ctx, p.WorkspaceID, endpoint); err != nil {
		return DeliveryLog{}, err
	}
	found, err := a.deliveries.Get(ctx, p.WorkspaceID, endpoint, id)
	if err != nil {
		return DeliveryLog{}, err
	}
	attempts, err := a.deliveries.Attempts(ctx, id)
	return DeliveryLog{Delivery: found, Log: attempts}, err
}

// Redeliver has one attempt more made at a delivery, whatever has become of it, and returns the delivery as it is before.
// NOT_FOUND as of Delivery; INVALID_STATE while the endpoint is disabled, or while a hundred redeliveries to it wait.
func (a *App) Redeliver(ctx context.Context, p Principal, endpoint ident.Webhook, id ident.Delivery) (webhook.Delivery, error) {
	found, err := a.deliveries.Redeliver(ctx, p.WorkspaceID, endpoint, id)
	if err != nil {
		return webhook.Delivery{}, err
	}
	a.db.AfterCommit(ctx, func() { a.poke(relay.Messages) })
	return found, nil
}
