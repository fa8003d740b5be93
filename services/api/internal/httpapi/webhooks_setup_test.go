package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const everything = `{"url":"https://hooks.example.com/in","events":["*"]}`

// webhook registers an endpoint for all events and returns its id.
func (b *bundle) webhook(t testing.TB, of tenant) string {
	t.Helper()
	created := b.do(t, request{
		method: http.MethodPost, path: "/v1/webhooks", key: of.key, contentType: "application/json", body: everything,
	})
	require.Equal(t, http.StatusCreated, created.status, created.body)
	return text(t, created.object(t), "id")
}

// change updates our webhook and returns it.
func (b *bundle) change(t testing.TB, id, body string) map[string]any {
	t.Helper()
	changed := b.update(t, id, body)
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	return changed.object(t)
}

func (b *bundle) update(t testing.TB, id, body string) response {
	t.Helper()
	return b.do(t, request{
		method: http.MethodPatch, path: "/v1/webhooks/" + id, key: b.ours.key, contentType: "application/json", body: body,
	})
}

// happens emits an event in a workspace and fans it out.
func (b *bundle) happens(t testing.TB, of tenant, typ event.Type, data any) event.Event {
	t.Helper()
	e, err := event.New(of.id, typ, time.Now().UTC().Truncate(time.Millisecond), data)
	require.NoError(t, err)
	events := postgres.NewEvents(b.db)
	require.NoError(t, events.Insert(t.Context(), e, ident.Webhook{}))
	_, _, err = events.FanOut(t.Context(), 1000)
	require.NoError(t, err)
	return e
}

// event emits an event and returns its public id.
func (b *bundle) event(t testing.TB, of tenant) string {
	t.Helper()
	return event.ExternalID(b.happens(t, of, event.PostCreated, event.PostData{Status: "DRAFT"}).ID)
}

// delivery creates an endpoint with a pending delivery.
func (b *bundle) delivery(t testing.TB, of tenant) (endpoint, id string) {
	t.Helper()
	endpoint = b.webhook(t, of)
	b.event(t, of)
	return endpoint, b.column(t, `SELECT id FROM delivery WHERE webhook_id = $1`, endpoint)[0]
}

// replay creates an endpoint with a replay.
func (b *bundle) replay(t testing.TB, of tenant) (endpoint, id string) {
	t.Helper()
	endpoint = b.webhook(t, of)
	started := b.do(t, request{
		method: http.MethodPost, path: "/v1/webhooks/" + endpoint + "/replay", key: of.key, contentType: "application/json",
		body: lastHour(),
	})
	require.Equal(t, http.StatusAccepted, started.status, started.body)
	return endpoint, text(t, started.object(t), "id")
}

// lastHour returns the body of a replay request.
func lastHour() string { return `{"since":"` + ago(time.Hour) + `"}` }

func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format("2006-01-02T15:04:05.000Z") }

// attempted inserts attempts of a delivery like a worker.
func (b *bundle) attempted(t testing.TB, id, state string) {
	t.Helper()
	b.exec(t,
		`INSERT INTO delivery_attempt (delivery_id, n, trigger, started_at, duration_ms, status_code, response, error_class) VALUES
		($1, 1, 'AUTOMATIC', '2026-03-01T09:00:00.1+02', 84, 503, 'upstream <is> "down"', 'status_5xx'),
		($1, 2, 'AUTOMATIC', '2026-03-01T09:00:10+02', 15000, NULL, NULL, 'timeout'),
		($1, 3, 'MANUAL', '2026-03-01T09:00:20+02', 7, 204, NULL, NULL)`, id)
	b.exec(t, `UPDATE delivery SET attempts = 3, state = $2, lane = NULL, completed_at = now() WHERE id = $1`, id, state)
}

// disabled disables a webhook like its last allowed failure.
func (b *bundle) disabled(t testing.TB, id string) {
	t.Helper()
	b.exec(t,
		`UPDATE webhook SET is_active = false, consecutive_failures = 10, disabled_at = now(), disabled_reason = 'CONSECUTIVE_FAILURES' WHERE id = $1`, id)
}
