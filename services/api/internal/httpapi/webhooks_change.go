package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	updateWebhookInput struct {
		body[apiforms.UpdateWebhook]

		ID string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	}
	rotateSecretInput struct {
		optionalBody[apiforms.RotateSecret]

		ID string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	}
	rotateSecretOutput struct {
		ETag string `header:"ETag" doc:"Version of the webhook, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body apiforms.CreatedWebhook
	}
)

func (r *registrar) webhookChanges(scope []credential.Scope) {
	add(r, operation{
		id: "update-webhook", method: http.MethodPatch, path: pathWebhooks + "/{id}", tag: tagWebhooks, anyOf: scope,
		conditional: true,
		summary:     "Update a webhook", good: "The changed webhook.", response: exampleEndpoint(),
		description: "Changes the URL, the events or the description of a webhook, enables it, or disables it. `isActive` " +
			"true enables the webhook and sets `consecutiveFailures` to 0; start a replay to deliver missed events. " +
			"`isActive` false cancels its pending deliveries. Events created while it is disabled are recorded as SKIPPED.",
		bodies: map[string]*huma.Example{
			"enable": {Summary: "Enable the webhook", Value: map[string]any{"isActive": true}},
			"move": {Summary: "Change the URL and the events", Value: map[string]any{
				"url": exampleHook, "events": []event.Type{event.PostPublished}, "description": nil,
			}},
		},
	}, r.server.updateWebhook)
	add(r, operation{
		id: "rotate-webhook-secret", method: http.MethodPost, path: pathWebhooks + "/{id}/rotate-secret", tag: tagWebhooks,
		anyOf: scope, conditional: true,
		summary: "Rotate a webhook's secret", good: "The webhook, including its new secret.",
		response:  exampleRotated(48 * time.Hour),
		responses: map[string]any{"leaked": exampleRotated(0)},
		description: "Replaces the secret of the webhook. Only this response contains the new secret. The previous secret " +
			"also signs for `overlapHours`: " +
			"`X-Service-Signature` then has two `v1` values, the new secret's first. Returns 409 for another rotation within " +
			"that time, unless `force` is true, which expires the previous secret at once. The body is optional.",
		errors: []apperr.Code{apperr.InvalidState},
		bodies: map[string]*huma.Example{
			"overlap": {Summary: "Overlap of two days", Value: map[string]any{"overlapHours": 48}},
			"leaked":  {Summary: "Leaked secret", Value: map[string]any{"overlapHours": 0, "force": true}},
		},
	}, r.server.rotateSecret)
}

func (s *Server) updateWebhook(ctx context.Context, p app.Principal, in *updateWebhookInput) (*webhookOutput, error) {
	return onWebhook(in.ID, func(id ident.Webhook) (webhook.Endpoint, error) {
		return s.app.UpdateWebhook(ctx, p, id, in.value.Change())
	})
}

func (s *Server) rotateSecret(
	ctx context.Context, p app.Principal, in *rotateSecretInput,
) (*rotateSecretOutput, error) {
	id, err := pathID[ident.Webhook](in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	changed, secret, err := s.app.RotateSecret(ctx, p, id, in.value.Command())
	if err != nil {
		return nil, err
	}
	return &rotateSecretOutput{
		ETag: app.WebhookTag(changed),
		Body: apiforms.CreatedWebhook{Webhook: apiforms.ToAPIWebhook(changed), Secret: secret},
	}, nil
}

// onWebhook parses the id and calls act, which reads or changes a webhook.
func onWebhook(text string, act func(id ident.Webhook) (webhook.Endpoint, error)) (*webhookOutput, error) {
	id, err := pathID[ident.Webhook](text, "webhook")
	if err != nil {
		return nil, err
	}
	found, err := act(id)
	if err != nil {
		return nil, err
	}
	return &webhookOutput{ETag: app.WebhookTag(found), Body: apiforms.ToAPIWebhook(found)}, nil
}
