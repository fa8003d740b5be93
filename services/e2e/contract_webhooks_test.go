package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// refusesWebhooks checks the error responses for webhooks and the event log.
func refusesWebhooks(t *testing.T, s *harness.System) {
	t.Helper()
	ctx, e := t.Context(), subscribe(t, s)
	unknownID := ident.New[ident.Webhook]().String()
	on, err := s.API.UpdateWebhookWithResponse(ctx, unknownID, nil, apiclient.UpdateWebhookRequest{IsActive: new(true)})
	require.NoError(t, err)
	requireProblem(t, on.ApplicationProblemJSON404, on.Body, apiclient.ProblemCodeNOTFOUND)
	empty, err := s.API.UpdateWebhookWithResponse(ctx, e.id, nil, apiclient.UpdateWebhookRequest{})
	require.NoError(t, err)
	requireProblem(t, empty.ApplicationProblemJSON422, empty.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	long, err := s.API.RotateWebhookSecretWithResponse(ctx, e.id, nil,
		apiclient.RotateSecretRequest{OverlapHours: new(int64(169))})
	require.NoError(t, err)
	p := requireProblem(t, long.ApplicationProblemJSON422, long.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Equal(t, "/overlapHours", (*p.Errors)[0].Pointer)
	lost, err := s.API.ListWebhookDeliveriesWithResponse(ctx, e.id,
		&apiclient.ListWebhookDeliveriesParams{Cursor: new("x")})
	require.NoError(t, err)
	requireProblem(t, lost.ApplicationProblemJSON422, lost.Body, apiclient.ProblemCodeINVALIDCURSOR)
	none, err := s.API.GetWebhookDeliveryWithResponse(ctx, e.id, unknownID)
	require.NoError(t, err)
	requireProblem(t, none.ApplicationProblemJSON404, none.Body, apiclient.ProblemCodeNOTFOUND)
	again, err := s.API.RedeliverWebhookDeliveryWithResponse(ctx, e.id, unknownID, nil)
	require.NoError(t, err)
	requireProblem(t, again.ApplicationProblemJSON404, again.Body, apiclient.ProblemCodeNOTFOUND)
	refusesReplays(t, e)

	old, err := s.API.GetEventWithResponse(ctx, "evt_"+unknownID)
	require.NoError(t, err)
	requireProblem(t, old.ApplicationProblemJSON404, old.Body, apiclient.ProblemCodeNOTFOUND)
	now := time.Now()
	backwards, err := s.API.ListEventsWithResponse(ctx, &apiclient.ListEventsParams{From: &now, To: &now})
	require.NoError(t, err)
	p = requireProblem(t, backwards.ApplicationProblemJSON422, backwards.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Equal(t, "to", (*p.Errors)[0].Pointer)
	reader, err := s.Client(s.NewKey(credential.PostsWrite)).ListEventsWithResponse(ctx, nil)
	require.NoError(t, err)
	requireProblem(t, reader.ApplicationProblemJSON403, reader.Body, apiclient.ProblemCodeINSUFFICIENTSCOPE)
}

func refusesReplays(t *testing.T, e *endpoint) {
	t.Helper()
	early, err := e.API.StartWebhookReplayWithResponse(t.Context(), e.id, nil,
		apiclient.StartReplayRequest{Since: time.Now().Add(-31 * 24 * time.Hour)})
	require.NoError(t, err)
	p := requireProblem(t, early.ApplicationProblemJSON422, early.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Equal(t, "/since", (*p.Errors)[0].Pointer)
	none, err := e.API.GetWebhookReplayWithResponse(t.Context(), e.id, ident.New[ident.Replay]().String())
	require.NoError(t, err)
	requireProblem(t, none.ApplicationProblemJSON404, none.Body, apiclient.ProblemCodeNOTFOUND)
	e.update(t, apiclient.UpdateWebhookRequest{IsActive: new(false)})
	off, err := e.API.StartWebhookReplayWithResponse(t.Context(), e.id, nil,
		apiclient.StartReplayRequest{Since: time.Now().Add(-time.Hour)})
	require.NoError(t, err)
	p = requireProblem(t, off.ApplicationProblemJSON409, off.Body, apiclient.ProblemCodeINVALIDSTATE)
	require.Equal(t, "DISABLED", *p.CurrentStatus)
}
