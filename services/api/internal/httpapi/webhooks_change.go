package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

type (
	updateWebhookInput struct {
		body[apiforms.UpdateWebhook]

		ID string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"Id of the webhook."`
	}
	rotateSecretInput struct {
		optionalBody[apiforms.RotateSecret]

		ID string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"Id of the webhook."`
	}
	rotateSecretOutput struct{ Body apiforms.CreatedWebhook }
)

func (r *registrar) webhookChanges(scope []credential.Scope) {
	add(r, operation{
		id: "update-webhook", method: http.MethodPatch, path: pathWebhooks + "/{id}", tag: tagWebhooks, anyOf: scope,
		summary: "Update a webhook", good: "The webhook as it is now.", answer: exampleEndpoint(),
		description: "Changes the address, the events or the note, enables the webhook, or disables it. `isActive` true enables one that was disabled and sets `consecutiveFailures` to 0; what it missed is brought by a replay. " +
			"`isActive` false cancels what is on its way to it; events that happen meanwhile are kept as SKIPPED.",
		bodies: map[string]*huma.Example{
			"enable": {Summary: "Enable it again", Value: map[string]any{"isActive": true}},
			"move": {Summary: "Another address, other events", Value: map[string]any{
				"url": exampleHook, "events": []event.Type{event.PostPublished}, "description": nil,
			}},
		},
	}, r.server.updateWebhook)
	add(r, operation{
		id: "rotate-webhook-secret", method: http.MethodPost, path: pathWebhooks + "/{id}/rotate-secret", tag: tagWebhooks, anyOf: scope, once: true,
		summary: "Rotate a webhook's secret", good: "The webhook, with its new secret.", answer: exampleRotated(48 * time.Hour),
		answers: map[string]any{"leaked": exampleRotated(0)},
		description: "Gives the webhook a new secret, which this answer has, this once. The secret from before signs beside it for `overlapHours`: " +
			"`X-Service-Signature` then has two `v1`, the new secret's first. Another rotation within that time is refused, unless `force` is true: then the secret from before the last rotation ends at once. The body may be left out.",
		errors: []apperr.Code{apperr.InvalidState},
		bodies: map[string]*huma.Example{
			"overlap": {Summary: "Two days to change over", Value: map[string]any{"overlapHours": 48}},
			"leaked":  {Summary: "The secret has leaked", Value: map[string]any{"overlapHours": 0, "force": true}},
		},
	}, r.server.rotateSecret)
}

func (s *Server) updateWebhook(ctx context.Context, p app.Principal, in *updateWebhookInput) (*webhookOutput, error) {
	return onWebhook(in.ID, func(id ident.Webhook) (webhook.Endpoint, error) {
		return s.app.UpdateWebhook(ctx, p, id, in.value.Change())
	})
}

func (s *Server) rotateSecret(ctx context.Context, p app.Principal, in *rotateSecretInput) (*rotateSecretOutput, error) {
	id, err := pathID[ident.Webhook](in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	changed, secret, err := s.app.RotateSecret(ctx, p, id, in.value.Command())
	if err != nil {
		return nil, err
	}
	return &rotateSecretOutput{Body: apiforms.CreatedWebhook{Webhook: apiforms.ToAPIWebhook(changed), Secret: secret}}, nil
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
	return &webhookOutput{Body: apiforms.ToAPIWebhook(found)}, nil
}
