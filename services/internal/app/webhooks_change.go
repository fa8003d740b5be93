package app

import (
	"context"
	"time"

	"socialpub.internal/services/internal/relay"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/kernel/ident"
)

// UpdateWebhook changes an endpoint. Enabling it sets its failure counter to 0; disabling it cancels what is on its way to it.
// NOT_FOUND when the workspace has none of this id.
func (a *App) UpdateWebhook(ctx context.Context, p Principal, id ident.Webhook, change webhook.Change) (webhook.Endpoint, error) {
	changed, err := a.webhooks.Update(ctx, p.WorkspaceID, id, change)
	if err != nil {
		return webhook.Endpoint{}, err
	}
	a.db.AfterCommit(ctx, func() { a.poke(relay.Lines) }) // an endpoint that failed has all its places again
	return changed, nil
}

// RotateSecret asks for a new secret.
type RotateSecret struct {
	Overlap time.Duration // how long the present one signs beside it
	Force   bool          // also while the one before the present one still signs; that one then ends
}

// RotateSecret gives an endpoint a new secret, which is never shown again. NOT_FOUND when the workspace has no such endpoint,
// INVALID_STATE while the secret from before the last rotation still signs.
func (a *App) RotateSecret(ctx context.Context, p Principal, id ident.Webhook, in RotateSecret) (webhook.Endpoint, string, error) {
	secret := webhook.NewSecret()
	changed, err := a.webhooks.Rotate(ctx, p.WorkspaceID, id, secret, in.Overlap, in.Force)
	if err != nil {
		return webhook.Endpoint{}, "", err
	}
	return changed, secret, nil
}
