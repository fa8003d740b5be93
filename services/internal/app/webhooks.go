package app

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// hookUseCases are those of webhooks: endpoints, deliveries, replays, the log of events.
type hookUseCases struct {
	*Records

	deliveries *postgres.Deliveries
	events     *postgres.Events
	egress     *egress.Policy
}

// CreateWebhook is a request for a new endpoint.
type CreateWebhook struct {
	URL         string
	Description string
	Events      []string
	ChannelIDs  []ident.Channel // empty: events of every channel, and those without a channel
}

// CreateWebhook registers an endpoint and returns it with its secret, which is never shown again. Errors: NOT_FOUND for an
// unknown channel, QUOTA_EXCEEDED when the workspace has the maximum number of endpoints.
func (r *Records) CreateWebhook(ctx context.Context, p Principal, in CreateWebhook) (webhook.Endpoint, string, error) {
	if err := r.haveChannels(ctx, p, in.ChannelIDs); err != nil {
		return webhook.Endpoint{}, "", err
	}
	now := r.now()
	e := webhook.Endpoint{
		ID: ident.New[ident.Webhook](), WorkspaceID: p.WorkspaceID, URL: in.URL, Description: in.Description,
		Events: in.Events, ChannelIDs: in.ChannelIDs, IsActive: true, CreatedAt: now, UpdatedAt: now,
	}
	secret := webhook.NewSecret()
	err := r.recorded(ctx, p, audit.WebhookCreated, e.URL, "", func(ctx context.Context) error {
		return r.webhooks.Insert(ctx, e, secret)
	})
	if err != nil {
		return webhook.Endpoint{}, "", err
	}
	return e, secret, nil
}

// Now returns the time of the service.
func (a *hookUseCases) Now() time.Time { return a.now() }

// CheckWebhookURL returns why a URL is not allowed as a webhook target, in a text for the tenant, or "" when it is
// allowed. The address is checked again at every dial.
func (a *hookUseCases) CheckWebhookURL(address string) string {
	return hookFault(a.egress, address)
}

func hookFault(policy *egress.Policy, address string) string {
	_, err := policy.ParseGate(egress.Webhook, address)
	if err == nil {
		return ""
	}
	if refused, ok := errors.AsType[*egress.Error](err); ok {
		return refused.Reason
	}
	return "is not allowed"
}

// Webhooks returns the endpoints of the workspace.
func (r *Records) Webhooks(ctx context.Context, p Principal) ([]webhook.Endpoint, error) {
	return r.webhooks.List(ctx, p.WorkspaceID)
}

// Webhook returns one endpoint; NOT_FOUND when the workspace has no such endpoint.
func (a *hookUseCases) Webhook(ctx context.Context, p Principal, id ident.Webhook) (webhook.Endpoint, error) {
	return a.webhooks.Get(ctx, p.WorkspaceID, id)
}

// DeleteWebhook deletes an endpoint and cancels its pending deliveries.
func (r *Records) DeleteWebhook(ctx context.Context, p Principal, id ident.Webhook) error {
	found, err := r.webhooks.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	return r.recorded(ctx, p, audit.WebhookDeleted, found.URL, "", func(ctx context.Context) error {
		if err := r.expectedWebhook(ctx, p, id); err != nil {
			return err
		}
		return r.webhooks.Delete(ctx, p.WorkspaceID, id)
	})
}

// TestWebhook sends a webhook.test event to one endpoint, regardless of its subscriptions, and returns the event.
func (a *hookUseCases) TestWebhook(ctx context.Context, p Principal, id ident.Webhook) (event.Event, error) {
	if _, err := a.webhooks.Get(ctx, p.WorkspaceID, id); err != nil {
		return event.Event{}, err
	}
	e, err := event.New(p.WorkspaceID, event.WebhookTest, a.now(), event.WebhookTestData{
		WebhookID: id, Message: "This is a test event; the signature and the headers are those of every delivery.",
	})
	if err != nil {
		return event.Event{}, err
	}
	if err := a.events.Insert(ctx, e, id); err != nil {
		return event.Event{}, err
	}
	a.db.AfterCommit(ctx, func() { a.wake(relay.Events) })
	return e, nil
}
