package fencepost

import (
	"context"
	"iter"
)

// Webhooks are the operations of webhooks and their deliveries. Verify checks a received delivery.
type Webhooks struct{ c *Client }

// List returns the webhooks of the workspace.
func (r Webhooks) List(ctx context.Context, options ...CallOption) ([]Webhook, error) {
	list, err := call[WebhookList](ctx, r.c, opListWebhooks, nil, nil, nil, options)
	if err != nil {
		return nil, err
	}
	return list.Data, nil
}

// Create registers an address. The response has the signing secret, once.
func (r Webhooks) Create(ctx context.Context, body CreateWebhookRequest, options ...CallOption) (*CreatedWebhook, error) {
	return call[CreatedWebhook](ctx, r.c, opCreateWebhook, nil, nil, body, options)
}

// Get returns a webhook.
func (r Webhooks) Get(ctx context.Context, id string, options ...CallOption) (*Webhook, error) {
	return call[Webhook](ctx, r.c, opGetWebhook, []string{id}, nil, nil, options)
}

// Update changes the members that are set.
func (r Webhooks) Update(ctx context.Context, id string, body UpdateWebhookRequest, options ...CallOption) (*Webhook, error) {
	return call[Webhook](ctx, r.c, opUpdateWebhook, []string{id}, nil, body, options)
}

// Delete deletes a webhook, with its pending deliveries.
func (r Webhooks) Delete(ctx context.Context, id string, options ...CallOption) error {
	_, err := r.c.exchange(ctx, opDeleteWebhook, []string{id}, nil, nil, options)
	return err
}

// Test sends the event webhook.test to a webhook.
func (r Webhooks) Test(ctx context.Context, id string, options ...CallOption) (*WebhookTest, error) {
	return call[WebhookTest](ctx, r.c, opTestWebhook, []string{id}, nil, nil, options)
}

// RotateSecret makes a new signing secret. The previous one also signs for a while.
func (r Webhooks) RotateSecret(
	ctx context.Context, id string, body RotateSecretRequest, options ...CallOption,
) (*CreatedWebhook, error) {
	return call[CreatedWebhook](ctx, r.c, opRotateWebhookSecret, []string{id}, nil, body, options)
}

// ListDeliveries iterates over the deliveries to a webhook, newest first, and requests page after page.
func (r Webhooks) ListDeliveries(
	ctx context.Context, id string, params ListWebhookDeliveriesParams, options ...CallOption,
) iter.Seq2[WebhookDelivery, error] {
	return func(yield func(WebhookDelivery, error) bool) {
		pages[WebhookDelivery](ctx, r.c, opListWebhookDeliveries, []string{id}, params.values(), options)(yield)
	}
}

// GetDelivery returns a delivery with its attempts.
func (r Webhooks) GetDelivery(ctx context.Context, id, delivery string, options ...CallOption) (*WebhookDeliveryLog, error) {
	return call[WebhookDeliveryLog](ctx, r.c, opGetWebhookDelivery, []string{id, delivery}, nil, nil, options)
}

// Redeliver makes one more attempt of a delivery.
func (r Webhooks) Redeliver(ctx context.Context, id, delivery string, options ...CallOption) (*WebhookDelivery, error) {
	return call[WebhookDelivery](ctx, r.c, opRedeliverWebhookDelivery, []string{id, delivery}, nil, nil, options)
}

// StartReplay delivers the events of a time range again.
func (r Webhooks) StartReplay(
	ctx context.Context, id string, body StartReplayRequest, options ...CallOption,
) (*WebhookReplay, error) {
	return call[WebhookReplay](ctx, r.c, opStartWebhookReplay, []string{id}, nil, body, options)
}

// GetReplay returns the progress of a replay.
func (r Webhooks) GetReplay(ctx context.Context, id, replay string, options ...CallOption) (*WebhookReplay, error) {
	return call[WebhookReplay](ctx, r.c, opGetWebhookReplay, []string{id, replay}, nil, nil, options)
}
