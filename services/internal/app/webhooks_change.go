package app

import (
	"context"
	"strings"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// UpdateWebhook changes an endpoint. Enabling it resets its failure counter to 0. Disabling it cancels its pending
// deliveries. The error is NOT_FOUND when the workspace has no such endpoint or channel.
func (a *hookUseCases) UpdateWebhook(
	ctx context.Context, p Principal, id ident.Webhook, change webhook.Change,
) (webhook.Endpoint, error) {
	var changed webhook.Endpoint
	err := a.db.WithinTx(ctx, func(ctx context.Context) (err error) {
		if err := a.expectedWebhook(ctx, p, id); err != nil {
			return err
		}
		if change.ChannelIDs != nil {
			if err := a.haveChannels(ctx, p, *change.ChannelIDs); err != nil {
				return err
			}
		}
		if changed, err = a.webhooks.Update(ctx, p.WorkspaceID, id, change); err != nil {
			return err
		}
		return a.record(ctx, p, audit.WebhookChanged, changed.URL, changesOf(change))
	})
	if err != nil {
		return webhook.Endpoint{}, err
	}
	a.db.AfterCommit(ctx, func() { a.wake(relay.Queues) }) // an endpoint that was failing has all its places again
	return changed, nil
}

// RotateSecret is a request for a new secret.
type RotateSecret struct {
	Overlap time.Duration // how long the current secret still signs too
	Force   bool          // also while an earlier secret still signs; that secret then ends
}

// RotateSecret gives an endpoint a new secret, which is never shown again. Errors: NOT_FOUND when the workspace has no
// such endpoint, INVALID_STATE while the secret from before the last rotation still signs, unless forced.
func (a *hookUseCases) RotateSecret(
	ctx context.Context, p Principal, id ident.Webhook, in RotateSecret,
) (webhook.Endpoint, string, error) {
	secret := webhook.NewSecret()
	var changed webhook.Endpoint
	err := a.db.WithinTx(ctx, func(ctx context.Context) (err error) {
		if err := a.expectedWebhook(ctx, p, id); err != nil {
			return err
		}
		if changed, err = a.webhooks.Rotate(ctx, p.WorkspaceID, id, secret, in.Overlap, in.Force); err != nil {
			return err
		}
		return a.record(ctx, p, audit.WebhookRotated, changed.URL, "")
	})
	if err != nil {
		return webhook.Endpoint{}, "", err
	}
	return changed, secret, nil
}

// expectedWebhook checks the precondition of a change, in the transaction of the change.
func (r *Records) expectedWebhook(ctx context.Context, p Principal, id ident.Webhook) error {
	if !expecting(ctx) {
		return nil
	}
	before, err := r.webhooks.Lock(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	return expected(ctx, WebhookTag(before))
}

// changesOf names the changed fields.
func changesOf(change webhook.Change) string {
	var changed []string
	if change.URL != nil {
		changed = append(changed, "address")
	}
	if change.Description != nil {
		changed = append(changed, "description")
	}
	if change.Events != nil {
		changed = append(changed, "events "+strings.Join(change.Events, ", "))
	}
	if change.ChannelIDs != nil {
		changed = append(changed, "channels")
	}
	if change.IsActive != nil && *change.IsActive {
		changed = append(changed, "enabled")
	} else if change.IsActive != nil {
		changed = append(changed, "disabled")
	}
	return strings.Join(changed, "; ")
}
