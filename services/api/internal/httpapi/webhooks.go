package httpapi

import (
	"context"
	"net/http"

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
	webhookInput struct {
		ID string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	}
	testWebhookInput struct {
		noBody

		ID string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	}
	createWebhookInput  struct{ body[apiforms.CreateWebhook] }
	createWebhookOutput struct {
		Location string `header:"Location" doc:"Path of the webhook."`
		ETag     string `header:"ETag" doc:"Version of the webhook, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body     apiforms.CreatedWebhook
	}
	webhookOutput struct {
		ETag string `header:"ETag" doc:"Version of the webhook, in quotes: of its settings and its secret. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body apiforms.Webhook
	}
	webhooksOutput    struct{ Body apiforms.WebhookList }
	webhookTestOutput struct{ Body apiforms.WebhookTest }
	nothing           struct{}
)

const pathWebhooks = "/v1/webhooks"

func (r *registrar) webhooks() {
	s, scope := r.server, []credential.Scope{credential.WebhooksManage}
	add(r, operation{
		id: "create-webhook", method: http.MethodPost, path: pathWebhooks, tag: tagWebhooks, anyOf: scope,
		summary: "Create a webhook", status: http.StatusCreated, good: "The webhook, including its secret.",
		response: apiforms.CreatedWebhook{Webhook: exampleEndpoint(), Secret: exampleSecret},
		description: "Creates a webhook: an endpoint that receives events. Only this response contains the secret that " +
			"signs them. A workspace has at most 20 webhooks.",
		errors: []apperr.Code{apperr.NotFound, apperr.QuotaExceeded},
		bodies: map[string]*huma.Example{
			"outcomes": {Summary: "Outcomes of posts", Value: map[string]any{
				"url": exampleHook, "events": []event.Type{event.PostPublished, event.PostFailed},
			}},
			"everything": {
				Summary: "Every event",
				Value:   map[string]any{"url": exampleHook, "events": []string{"*"}, "description": "Production"},
			},
		},
	}, s.createWebhook)
	add(r, operation{
		id: "list-webhooks", method: http.MethodGet, path: pathWebhooks, tag: tagWebhooks, anyOf: scope,
		summary: "List webhooks", description: "Returns the webhooks of the workspace, oldest first.",
		good: "The webhooks.", response: apiforms.WebhookList{Data: []apiforms.Webhook{exampleEndpoint()}},
	}, s.listWebhooks)
	add(r, operation{
		id: "get-webhook", method: http.MethodGet, path: pathWebhooks + "/{id}", tag: tagWebhooks, anyOf: scope,
		summary: "Get a webhook", description: "Returns a webhook with its state and its count of consecutive failures. " +
			"The secret is not included.",
		good: "The webhook.", response: exampleEndpoint(),
	}, s.getWebhook)
	add(r, operation{
		id: "delete-webhook", method: http.MethodDelete, path: pathWebhooks + "/{id}", tag: tagWebhooks, anyOf: scope,
		conditional: true,
		summary:     "Delete a webhook", description: "Deletes the webhook. Its pending deliveries are not sent.",
		status: http.StatusNoContent, good: "The webhook is deleted.",
	}, s.deleteWebhook)
	add(r, operation{
		id: "test-webhook", method: http.MethodPost, path: pathWebhooks + "/{id}/test", tag: tagWebhooks, anyOf: scope,
		summary: "Test a webhook", status: http.StatusAccepted, good: "The event, which is queued.",
		response: apiforms.WebhookTest{
			EventID: "evt_" + exampleEvent, Type: event.WebhookTest, WebhookID: idOf[ident.Webhook](exampleWebhook),
			CreatedAt: apiforms.Timestamp(exampleDay(6)),
		},
		description: "Sends a webhook.test event to the endpoint, regardless of its subscriptions. The event is signed, " +
			"retried and recorded like any other. Takes no body.",
	}, s.testWebhook)
	r.webhookChanges(scope)
	r.webhookDeliveries(scope)
	r.webhookReplays(scope)
}

func (s *Server) createWebhook(
	ctx context.Context, p app.Principal, in *createWebhookInput,
) (*createWebhookOutput, error) {
	created, secret, err := s.app.CreateWebhook(ctx, p, in.value.Command())
	if err != nil {
		return nil, err
	}
	return &createWebhookOutput{
		Location: pathWebhooks + "/" + created.ID.String(), ETag: app.WebhookTag(created),
		Body: apiforms.CreatedWebhook{Webhook: apiforms.ToAPIWebhook(created), Secret: secret},
	}, nil
}

func (s *Server) listWebhooks(ctx context.Context, p app.Principal, _ *noInput) (*webhooksOutput, error) {
	found, err := s.app.Webhooks(ctx, p)
	if err != nil {
		return nil, err
	}
	return &webhooksOutput{Body: apiforms.ToAPIWebhooks(found)}, nil
}

func (s *Server) getWebhook(ctx context.Context, p app.Principal, in *webhookInput) (*webhookOutput, error) {
	return onWebhook(in.ID, func(id ident.Webhook) (webhook.Endpoint, error) { return s.app.Webhook(ctx, p, id) })
}

func (s *Server) deleteWebhook(ctx context.Context, p app.Principal, in *webhookInput) (*nothing, error) {
	id, err := pathID[ident.Webhook](in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	return &nothing{}, s.app.DeleteWebhook(ctx, p, id)
}

func (s *Server) testWebhook(ctx context.Context, p app.Principal, in *testWebhookInput) (*webhookTestOutput, error) {
	id, err := pathID[ident.Webhook](in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	sent, err := s.app.TestWebhook(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return &webhookTestOutput{Body: apiforms.WebhookTest{
		EventID: event.ExternalID(sent.ID), Type: sent.Type, WebhookID: id, CreatedAt: apiforms.Timestamp(sent.CreatedAt),
	}}, nil
}
