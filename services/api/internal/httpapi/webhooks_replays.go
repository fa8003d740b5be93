package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	startReplayInput struct {
		body[apiforms.StartReplay]

		ID string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	}
	replayInput struct {
		ID       string `path:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
		ReplayID string `path:"replayId" format:"uuid" example:"0190a3cd-938a-7ff1-82cc-d19fae13c2d7" doc:"ID of the replay."`
	}
	startReplayOutput struct {
		Location string `header:"Location" doc:"Path of the replay."`
		Body     apiforms.WebhookReplay
	}
	replayOutput struct{ Body apiforms.WebhookReplay }
)

func (r *registrar) webhookReplays(scope []credential.Scope) {
	add(r, operation{
		id: "start-webhook-replay", method: http.MethodPost, path: pathWebhooks + "/{id}/replay", tag: tagWebhooks,
		anyOf:   scope,
		summary: "Replay events", status: http.StatusAccepted, good: "The running replay.", response: exampleReplay(false),
		description: "Delivers the events of a time range to the webhook again, with their original IDs. Includes the " +
			"events that the webhook subscribes to now, also those from before its creation and from periods when it was " +
			"disabled. Skips pending deliveries. " +
			"New events are delivered first. Returns 409 while the webhook is disabled or another replay to it is running.",
		errors: []apperr.Code{apperr.InvalidState},
		bodies: map[string]*huma.Example{
			"missed": {Summary: "Undelivered events since a time", Value: map[string]any{"since": "2026-03-01T00:00:00Z"}},
			"all": {Summary: "All events of a time range", Value: map[string]any{
				"since": "2026-03-01T00:00:00Z", "until": "2026-03-01T06:00:00Z", "only": apiforms.ReplayAll,
			}},
		},
	}, r.server.startReplay)
	add(r, operation{
		id: "get-webhook-replay", method: http.MethodGet, path: pathWebhooks + "/{id}/replays/{replayId}", tag: tagWebhooks,
		anyOf:   scope,
		summary: "Get a replay", description: "Returns a replay with its progress.", good: "The replay.",
		response: exampleReplay(true),
	}, r.server.getReplay)
}

func (s *Server) startReplay(ctx context.Context, p app.Principal, in *startReplayInput) (*startReplayOutput, error) {
	id, err := pathID[ident.Webhook](in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	command, err := in.value.Command()
	if err != nil {
		return nil, err
	}
	started, err := s.app.StartReplay(ctx, p, id, command)
	if err != nil {
		return nil, err
	}
	return &startReplayOutput{
		Location: pathWebhooks + "/" + id.String() + "/replays/" + started.ID.String(), Body: apiforms.ToAPIReplay(started),
	}, nil
}

func (s *Server) getReplay(ctx context.Context, p app.Principal, in *replayInput) (*replayOutput, error) {
	endpoint, err := pathID[ident.Webhook](in.ID, "replay")
	if err != nil {
		return nil, err
	}
	id, err := pathID[ident.Replay](in.ReplayID, "replay")
	if err != nil {
		return nil, err
	}
	found, err := s.app.Replay(ctx, p, endpoint, id)
	if err != nil {
		return nil, err
	}
	return &replayOutput{Body: apiforms.ToAPIReplay(found)}, nil
}
