package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.event(t, b.ours)
	endpoint := b.webhook(t, b.ours)
	pokes := 0
	b.poked = func() { pokes++ }
	path := "/v1/webhooks/" + endpoint + "/replay"
	started := b.post(t, path, lastHour())
	require.Equal(t, http.StatusAccepted, started.status, started.body)
	require.Equal(t, 1, pokes)
	require.Equal(t, 1, b.count(t, `outbox WHERE kind = 'replay'`))
	r := started.object(t)
	for name, want := range map[string]any{
		"webhookId": endpoint, "only": "failed", "status": "RUNNING", "queued": 0.0, "completedAt": nil,
	} {
		require.Contains(t, r, name)
		require.Equal(t, want, r[name], name)
	}
	require.Len(t, r, 9)
	require.LessOrEqual(t, text(t, r, "until"), ago(0))
	require.GreaterOrEqual(t, text(t, r, "until"), ago(time.Minute))
	id := text(t, r, "id")
	require.Equal(t, path+"s/"+id, started.header.Get("Location"))
	require.Equal(t, r, b.get(t, path+"s/"+id).object(t))

	p := requireProblem(t, b.post(t, path, lastHour()), http.StatusConflict, "INVALID_STATE")
	require.Equal(t, "RUNNING", p["currentStatus"])
	require.Equal(t, http.StatusAccepted, b.post(t, "/v1/webhooks/"+b.webhook(t, b.ours)+"/replay", lastHour()).status,
		"another webhook's does not matter")

	parsed, err := ident.Parse[ident.Replay](id)
	require.NoError(t, err)
	_, queued, err := postgres.NewDeliveries(b.db, nil).ContinueReplay(t.Context(), parsed, 100)
	require.NoError(t, err)
	require.Equal(t, 1, queued, "also what happened before the webhook was there")
	r = b.get(t, path+"s/"+id).object(t)
	require.Equal(t, "COMPLETED", r["status"])
	require.InDelta(t, 1, r["queued"], 0)
	require.NotNil(t, r["completedAt"])
	require.Equal(t, []string{"PENDING"}, b.statuses(t, endpoint, ""))
	again := b.post(t, path, `{"since":"`+ago(time.Hour)+`","until":"`+ago(time.Minute)+`","only":"all"}`)
	require.Equal(t, http.StatusAccepted, again.status, again.body)
	require.Equal(t, "all", again.object(t)["only"])

	b.change(t, endpoint, `{"isActive":false}`)
	require.Equal(t, "CANCELLED", b.get(t, path+"s/"+text(t, again.object(t), "id")).object(t)["status"])
	p = requireProblem(t, b.post(t, path, lastHour()), http.StatusConflict, "INVALID_STATE")
	require.Equal(t, "DISABLED", p["currentStatus"])
}

func TestReplayFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint := b.webhook(t, b.ours)
	const day = 24 * time.Hour
	for body, want := range map[string][]string{
		`{}`:                              {"/since"},
		`{"since":null}`:                  {"/since"},
		`{"since":"yesterday"}`:           {"/since"},
		`{"since":"2026-11-20T10:00:00"}`: {"/since"},
		`{"since":"` + ago(30*day+time.Hour) + `"}`:                             {"/since"},
		`{"since":"` + ago(-time.Hour) + `"}`:                                   {"/since"},
		`{"since":"` + ago(time.Hour) + `","until":"` + ago(-time.Hour) + `"}`:  {"/until"},
		`{"since":"` + ago(time.Hour) + `","until":"` + ago(2*time.Hour) + `"}`: {"/until"},
		`{"since":"2026-11-20T10:00:00Z","until":"2026-11-20T11:00:00+01:00"}`:  {"/until"},
		`{"since":"` + ago(40*day) + `","until":"` + ago(-time.Hour) + `"}`:     {"/since", "/until"},
		`{"since":"` + ago(time.Hour) + `","only":"FAILED"}`:                    {"/only"},
		`{"since":"` + ago(time.Hour) + `","only":5,"until":"x","events":[]}`:   {"/only", "/until", "/events"},
	} {
		p := requireProblem(t, b.post(t, "/v1/webhooks/"+endpoint+"/replay", body), http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), body)
	}
	require.Zero(t, b.count(t, `webhook_replay`))
	longest := b.post(t, "/v1/webhooks/"+endpoint+"/replay", `{"since":"`+ago(30*day+time.Second)+`"}`)
	require.Equal(t, http.StatusAccepted, longest.status, longest.body)
}

func TestReplayRequiresItsWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint, id := b.replay(t, b.ours)
	foreign, theirs := b.replay(t, b.theirs)
	other := b.webhook(t, b.ours)
	for _, path := range []string{
		other + "/replays/" + id, foreign + "/replays/" + id, foreign + "/replays/" + theirs, endpoint + "/replays/" + theirs,
		"x/replays/" + id,
	} {
		requireProblem(t, b.get(t, "/v1/webhooks/"+path), http.StatusNotFound, "NOT_FOUND")
	}
	for _, body := range []string{lastHour(), `{"since":"` + ago(-time.Hour) + `"}`} {
		requireProblem(t, b.post(t, "/v1/webhooks/"+foreign+"/replay", body), http.StatusNotFound, "NOT_FOUND")
	}
	require.Equal(t, http.StatusNoContent, b.remove(t, "/v1/webhooks/"+endpoint).status)
	requireProblem(t, b.get(t, "/v1/webhooks/"+endpoint+"/replays/"+id), http.StatusNotFound, "NOT_FOUND")
}
