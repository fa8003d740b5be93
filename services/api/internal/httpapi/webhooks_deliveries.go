package httpapi

import (
	"context"
	"net/http"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	// DeliveryPath holds the path parameters of a delivery. It is exported because Huma ignores unexported embedded
	// structs.
	DeliveryPath struct {
		ID         string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
		DeliveryID string `path:"deliveryId" format:"uuid" example:"0190a3cc-8279-7ee0-91bb-c08e9d02b1c6" doc:"ID of the delivery."`
	}
	deliveryInput  struct{ DeliveryPath }
	redeliverInput struct {
		noBody
		DeliveryPath
	}
	listDeliveriesInput struct {
		filters

		ID        string                  `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
		Status    apiforms.DeliveryStatus `query:"status" example:"FAILED" doc:"Returns only deliveries in this state."`
		EventType apiforms.EventType      `query:"eventType" example:"post.published" doc:"Returns only deliveries of events of this type; * matches every type."`
		apiforms.Paging
	}
	deliveryPageOutput struct{ Body apiforms.WebhookDeliveryPage }
	deliveryLogOutput  struct{ Body apiforms.WebhookDeliveryLog }
	deliveryOutput     struct{ Body apiforms.WebhookDelivery }
)

const pathDeliveries = pathWebhooks + "/{id}/deliveries"

func (r *registrar) webhookDeliveries(scope []credential.Scope) {
	add(r, operation{
		id: "list-webhook-deliveries", method: http.MethodGet, path: pathDeliveries, tag: tagWebhooks, anyOf: scope,
		summary: "List deliveries", description: "Returns the deliveries to the webhook, sent and pending, newest first. " +
			"Deliveries are kept for 30 days.",
		good: "A page of deliveries.", response: apiforms.WebhookDeliveryPage{
			Data: []apiforms.WebhookDelivery{apiforms.ToAPIDelivery(exampleDelivery().Delivery)},
		},
		errors: []apperr.Code{apperr.ValidationFailed, apperr.InvalidCursor},
	}, r.server.listDeliveries)
	add(r, operation{
		id: "get-webhook-delivery", method: http.MethodGet, path: pathDeliveries + "/{deliveryId}", tag: tagWebhooks,
		anyOf:       scope,
		summary:     "Get a delivery",
		description: "Returns a delivery with its attempts: their time, duration, response and error.",
		good:        "The delivery.", response: apiforms.ToAPIDeliveryLog(exampleDelivery()),
	}, r.server.getDelivery)
	add(r, operation{
		id: "redeliver-webhook-delivery", method: http.MethodPost, path: pathDeliveries + "/{deliveryId}/redeliver",
		tag: tagWebhooks, anyOf: scope,
		summary: "Redeliver", status: http.StatusAccepted, good: "The delivery before the attempt.",
		description: "Sends the delivery once more, in any state: the same bytes with the same event ID and a new " +
			"signature. Each call makes one attempt. " +
			"A success ends scheduled retries. A failure does not affect them and does not count towards disabling the " +
			"webhook. Returns 409 while the webhook is disabled. Takes no body.",
		response: apiforms.ToAPIDelivery(exampleDelivery().Delivery), errors: []apperr.Code{apperr.InvalidState},
	}, r.server.redeliver)
}

// ids parses the path. An invalid id is not found.
func (in *DeliveryPath) ids() (endpoint ident.Webhook, id ident.Delivery, err error) {
	if endpoint, err = pathID[ident.Webhook](in.ID, "webhook"); err != nil {
		return endpoint, id, err
	}
	id, err = pathID[ident.Delivery](in.DeliveryID, "delivery")
	return endpoint, id, err
}

func (s *Server) listDeliveries(
	ctx context.Context, p app.Principal, in *listDeliveriesInput,
) (*deliveryPageOutput, error) {
	id, err := pathID[ident.Webhook](in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	filter := postgres.DeliveryFilter{State: webhook.State(in.Status), Type: in.EventType.Filter()}
	use := cursor.Use{"deliveries", p.WorkspaceID.String(), id.String(), string(filter.State), string(filter.Type)}
	found, next, err := apiforms.PageOf(s.cursors, in.Paging, use,
		func(after ident.Delivery, limit int) ([]webhook.Delivery, error) {
			filter.Before, filter.Limit = after, limit
			return s.app.Deliveries(ctx, p, id, filter)
		}, func(last webhook.Delivery) ident.Delivery { return last.ID })
	if err != nil {
		return nil, err
	}
	return &deliveryPageOutput{
		Body: apiforms.WebhookDeliveryPage{Data: apiforms.ToAPIDeliveries(found), NextCursor: next},
	}, nil
}

func (s *Server) getDelivery(ctx context.Context, p app.Principal, in *deliveryInput) (*deliveryLogOutput, error) {
	endpoint, id, err := in.ids()
	if err != nil {
		return nil, err
	}
	found, err := s.app.Delivery(ctx, p, endpoint, id)
	if err != nil {
		return nil, err
	}
	return &deliveryLogOutput{Body: apiforms.ToAPIDeliveryLog(found)}, nil
}

func (s *Server) redeliver(ctx context.Context, p app.Principal, in *redeliverInput) (*deliveryOutput, error) {
	endpoint, id, err := in.ids()
	if err != nil {
		return nil, err
	}
	found, err := s.app.Redeliver(ctx, p, endpoint, id)
	if err != nil {
		return nil, err
	}
	return &deliveryOutput{Body: apiforms.ToAPIDelivery(found)}, nil
}
