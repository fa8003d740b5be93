package httpapi_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

// statuses returns the states of a webhook's deliveries, newest first.
func (b *bundle) statuses(t testing.TB, endpoint, query string) []string {
	t.Helper()
	data, _ := b.deliveries(t, endpoint, query)
	out := make([]string, len(data))
	for i, d := range data {
		out[i] = text(t, d, "status")
	}
	return out
}

func (b *bundle) deliveries(t testing.TB, endpoint, query string) (data []map[string]any, next string) {
	t.Helper()
	read := b.get(t, "/v1/webhooks/"+endpoint+"/deliveries?"+query)
	require.Equal(t, http.StatusOK, read.status, read.body)
	var out struct {
		Data       []map[string]any `json:"data"`
		NextCursor *string          `json:"nextCursor"`
	}
	read.into(t, &out)
	require.NotNil(t, out.Data)
	if out.NextCursor != nil {
		next = *out.NextCursor
	}
	return out.Data, next
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint, id := b.delivery(t, b.ours)
	read := b.get(t, "/v1/webhooks/"+endpoint+"/deliveries/"+id)
	require.Equal(t, http.StatusOK, read.status, read.body)
	d := read.object(t)
	for name, want := range map[string]any{
		"id": id, "webhookId": endpoint, "eventType": "post.created", "status": "PENDING", "attemptCount": 0.0,
		"nextAttemptAt": nil,
		"completedAt":   nil, "attempts": []any{},
	} {
		require.Contains(t, d, name)
		require.Equal(t, want, d[name], name)
	}
	require.Len(t, d, 10)
	data, _ := b.deliveries(t, endpoint, "")
	delete(d, "attempts")
	require.Equal(t, []map[string]any{d}, data)

	b.attempted(t, id, "SUCCEEDED")
	d = b.get(t, "/v1/webhooks/"+strings.ToUpper(endpoint)+"/deliveries/"+strings.ToUpper(id)).object(t)
	require.Equal(t, "SUCCEEDED", d["status"])
	require.InDelta(t, 3, d["attemptCount"], 0)
	require.NotNil(t, d["completedAt"])
	require.Equal(t, []any{
		map[string]any{
			"n": 1.0, "trigger": "AUTOMATIC", "startedAt": "2026-03-01T07:00:00.100Z", "durationMs": 84.0, "statusCode": 503.0,
			"response": `upstream <is> "down"`, "error": "status_5xx",
		},
		map[string]any{
			"n": 2.0, "trigger": "AUTOMATIC", "startedAt": "2026-03-01T07:00:10.000Z", "durationMs": 15000.0, "statusCode": nil,
			"response": nil,
			"error":    "timeout",
		},
		map[string]any{
			"n": 3.0, "trigger": "MANUAL", "startedAt": "2026-03-01T07:00:20.000Z", "durationMs": 7.0, "statusCode": 204.0,
			"response": nil, "error": nil,
		},
	}, d["attempts"])
}

func TestDeliveriesPageByPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint := b.webhook(t, b.ours)
	for i := range 7 {
		b.happens(t, b.ours, []event.Type{event.PostCreated, event.PostFailed}[i%2], event.PostData{})
	}
	b.event(t, b.theirs)
	want := b.column(t, `SELECT id FROM delivery WHERE webhook_id = $1 ORDER BY id DESC`, endpoint)
	require.Len(t, want, 7)
	for limit := 1; limit <= 8; limit++ {
		var seen []string
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		for {
			data, next := b.deliveries(t, endpoint, query.Encode())
			for _, d := range data {
				seen = append(seen, text(t, d, "id"))
			}
			if next == "" {
				break
			}
			require.Len(t, data, limit)
			query.Set("cursor", next)
		}
		require.Equal(t, want, seen, limit)
	}
	b.attempted(t, want[0], "FAILED")
	require.Equal(t, []string{"FAILED"}, b.statuses(t, endpoint, "status=FAILED"))
	require.Len(t, b.statuses(t, endpoint, "status=PENDING"), 6)
	require.Len(t, b.statuses(t, endpoint, "eventType=post.failed"), 3)
	require.Len(t, b.statuses(t, endpoint, "eventType=*"), 7)
	require.Empty(t, b.statuses(t, endpoint, "eventType=post.created&status=SKIPPED"))
}

func TestDeliveriesFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint, _ := b.delivery(t, b.ours)
	other := b.webhook(t, b.ours)
	b.event(t, b.ours)
	path := "/v1/webhooks/" + endpoint + "/deliveries?"
	for query, want := range map[string][]string{
		"limit=0": {"limit"}, "limit=101": {"limit"}, "limit=x": {"limit"}, "limit=-1": {"limit"},
		"status=failed": {"status"}, "status=x": {"status"},
		"eventType=post": {"eventType"}, "limit=0&status=x&eventType=y": {"status", "eventType", "limit"},
	} {
		p := requireProblem(t, b.get(t, path+query), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), query)
	}
	_, cursor := b.deliveries(t, endpoint, "limit=1")
	require.NotEmpty(t, cursor)
	for _, query := range []string{
		"cursor=x", "status=PENDING&cursor=" + cursor, "eventType=post.created&cursor=" + cursor,
	} {
		requireProblem(t, b.get(t, path+query), http.StatusUnprocessableEntity, "INVALID_CURSOR")
	}
	requireProblem(t, b.get(t, "/v1/webhooks/"+other+"/deliveries?cursor="+cursor), http.StatusUnprocessableEntity,
		"INVALID_CURSOR")
	require.Equal(t, http.StatusOK, b.get(t, path+"limit=1&cursor="+cursor).status)
}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint, id := b.delivery(t, b.ours)
	pokes := 0
	b.poked = func() { pokes++ }
	path := "/v1/webhooks/" + endpoint + "/deliveries/" + id
	for i, state := range []string{"PENDING", "SUCCEEDED", "FAILED", "CANCELLED", "SKIPPED"} {
		b.exec(t,
			`UPDATE delivery SET state = $2, lane = NULL, completed_at = CASE WHEN $2 <> 'PENDING' THEN now() END WHERE id = $1`,
			id, state)
		requested := b.post(t, path+"/redeliver", "")
		require.Equal(t, http.StatusAccepted, requested.status, requested.body)
		require.Equal(t, state, requested.object(t)["status"])
		require.Len(t, requested.object(t), 9)
		require.Equal(t, i+1, b.count(t, `outbox WHERE kind = 'redelivery'`), "each call makes one attempt more")
		require.Equal(t, i+1, pokes)
	}
	b.change(t, endpoint, `{"isActive":false}`)
	p := requireProblem(t, b.post(t, path+"/redeliver", ""), http.StatusConflict, "INVALID_STATE")
	require.Equal(t, "DISABLED", p["currentStatus"])
	require.Contains(t, p["detail"], "isActive")
}

// TestDeliveryRequiresItsWebhook checks that a delivery is found only under its own webhook.
func TestDeliveryRequiresItsWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint, id := b.delivery(t, b.ours)
	foreign, theirs := b.delivery(t, b.theirs)
	other := b.webhook(t, b.ours)
	for _, path := range []string{
		other + "/deliveries/" + id, foreign + "/deliveries/" + id, foreign + "/deliveries/" + theirs,
		endpoint + "/deliveries/" + theirs,
		"x/deliveries/" + id, ident.New[ident.Webhook]().String() + "/deliveries/" + id,
	} {
		requireProblem(t, b.get(t, "/v1/webhooks/"+path), http.StatusNotFound, "NOT_FOUND")
		requireProblem(t, b.post(t, "/v1/webhooks/"+path+"/redeliver", ""), http.StatusNotFound, "NOT_FOUND")
	}
	requireProblem(t, b.get(t, "/v1/webhooks/"+foreign+"/deliveries"), http.StatusNotFound, "NOT_FOUND")
	require.Zero(t, b.count(t, `redelivery`))
	require.Equal(t, http.StatusNoContent, b.remove(t, "/v1/webhooks/"+endpoint).status)
	for _, path := range []string{"/deliveries", "/deliveries/" + id} {
		requireProblem(t, b.get(t, "/v1/webhooks/"+endpoint+path), http.StatusNotFound, "NOT_FOUND")
	}
	requireProblem(t, b.post(t, "/v1/webhooks/"+endpoint+"/deliveries/"+id+"/redeliver", ""), http.StatusNotFound,
		"NOT_FOUND")
}
