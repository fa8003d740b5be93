package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// refusesWebhooks checks the error responses for webhooks and the event log.
func refusesWebhooks(t *testing.T, s *harness.System) {
	t.Helper()
	ctx, e := t.Context(), subscribe(t, s)
	unknownID := ident.New[ident.Webhook]().String()
	requireProblem(t, harness.Failure(s.API.Webhooks.Update(ctx, unknownID, fencepost.UpdateWebhookRequest{IsActive: fencepost.Set(true)})),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	requireProblem(t, harness.Failure(s.API.Webhooks.Update(ctx, e.id, fencepost.UpdateWebhookRequest{})),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	p := requireProblem(t, harness.Failure(s.API.Webhooks.RotateSecret(ctx, e.id, fencepost.RotateSecretRequest{OverlapHours: new(int64(169))})),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Equal(t, "/overlapHours", p.Errors[0].Pointer)
	requireProblem(t, harness.Failure(harness.All(s.API.Webhooks.ListDeliveries(ctx, e.id, fencepost.ListWebhookDeliveriesParams{Cursor: "x"}))),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeInvalidCursor)
	requireProblem(t, harness.Failure(s.API.Webhooks.GetDelivery(ctx, e.id, unknownID)),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	requireProblem(t, harness.Failure(s.API.Webhooks.Redeliver(ctx, e.id, unknownID)),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	refusesReplays(t, e)

	requireProblem(t, harness.Failure(s.API.Events.Get(ctx, "evt_"+unknownID)),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	now := time.Now()
	p = requireProblem(t, harness.Failure(harness.All(s.API.Events.List(ctx, fencepost.ListEventsParams{From: now, To: now}))),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Equal(t, "to", p.Errors[0].Pointer)
	requireProblem(t, harness.Failure(harness.All(s.Client(s.NewKey(credential.PostsWrite)).Events.List(ctx, fencepost.ListEventsParams{}))),
		http.StatusForbidden, fencepost.ProblemCodeInsufficientScope)
}

func refusesReplays(t *testing.T, e *endpoint) {
	t.Helper()
	p := requireProblem(t, harness.Failure(e.API.Webhooks.StartReplay(t.Context(), e.id,
		fencepost.StartReplayRequest{Since: time.Now().Add(-31 * 24 * time.Hour)})), http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Equal(t, "/since", p.Errors[0].Pointer)
	requireProblem(t, harness.Failure(e.API.Webhooks.GetReplay(t.Context(), e.id, ident.New[ident.Replay]().String())),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	e.update(t, fencepost.UpdateWebhookRequest{IsActive: fencepost.Set(false)})
	p = requireProblem(t, harness.Failure(e.API.Webhooks.StartReplay(t.Context(), e.id,
		fencepost.StartReplayRequest{Since: time.Now().Add(-time.Hour)})), http.StatusConflict, fencepost.ProblemCodeInvalidState)
	require.Equal(t, "DISABLED", p.CurrentStatus)
}
