package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUpdateWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.webhook(t, b.ours)
	before := b.get(t, "/v1/webhooks/"+id).object(t)
	for _, step := range []struct {
		body, member string
		want         any
	}{
		{`{"url":"https://other.example.com/in?a=1"}`, "url", "https://other.example.com/in?a=1"},
		{`{"events":["post.failed","post.published"]}`, "events", []any{"post.failed", "post.published"}},
		{`{"events":["*"]}`, "events", []any{"*"}},
		{`{"description":"Staging"}`, "description", "Staging"},
		{`{"description":null}`, "description", nil},
		{`{"description":"Staging"}`, "description", "Staging"},
		{`{"description":""}`, "description", nil},
		{`{"isActive":true}`, "isActive", true},
	} {
		after := b.change(t, id, step.body)
		require.Equal(t, step.want, after[step.member], step.body)
		require.GreaterOrEqual(t, text(t, after, "updatedAt"), text(t, before, "updatedAt"))
		before[step.member], before["updatedAt"] = after[step.member], after["updatedAt"]
		require.Equal(t, before, after, "nothing else has changed, and no secret is shown")
		require.Equal(t, after, b.get(t, "/v1/webhooks/"+id).object(t))
	}
}

func TestDisableAndEnableWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, delivery := b.delivery(t, b.ours)
	off := b.change(t, id, `{"isActive":false}`)
	require.Equal(t, false, off["isActive"])
	require.Equal(t, "MANUAL", off["disabledReason"])
	require.NotNil(t, off["disabledAt"])
	require.Equal(t, "CANCELLED", b.get(t, "/v1/webhooks/"+id+"/deliveries/"+delivery).object(t)["status"])
	again := b.change(t, id, `{"isActive":false,"description":"still off"}`)
	require.Equal(t, off["disabledAt"], again["disabledAt"])
	b.event(t, b.ours)
	require.Equal(t, []string{"SKIPPED", "CANCELLED"}, b.statuses(t, id, ""))

	pokes := 0
	b.poked = func() { pokes++ }
	on := b.change(t, id, `{"isActive":true}`)
	require.Equal(t, 1, pokes, "the relay looks at its line")
	require.Equal(t, true, on["isActive"])
	require.Nil(t, on["disabledReason"])
	require.Nil(t, on["disabledAt"])

	b.disabled(t, id)
	kept := b.change(t, id, `{"isActive":false}`)
	require.Equal(t, "CONSECUTIVE_FAILURES", kept["disabledReason"], "it was disabled already, for another reason")
	require.InDelta(t, 10, kept["consecutiveFailures"], 0)
	on = b.change(t, id, `{"isActive":true}`)
	require.InDelta(t, 0, on["consecutiveFailures"], 0)
	require.Equal(t, true, on["isActive"])
}

func TestWebhookUpdateFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.webhook(t, b.ours)
	before := b.get(t, "/v1/webhooks/"+id).body
	for body, want := range map[string][]string{
		`{}`:                             {""},
		`{"url":null}`:                   {"/url"},
		`{"url":""}`:                     {"/url"},
		`{"url":"http://a.example.com"}`: {"/url"},
		`{"url":"https://10.0.0.1/"}`:    {"/url"},
		`{"url":"` + baseURL + `/x"}`:    {"/url"},
		`{"events":[]}`:                  {"/events"},
		`{"events":null}`:                {"/events"},
		`{"events":["post.x"]}`:          {"/events/0"},
		`{"events":["*","post.failed"]}`: {"/events"},
		`{"isActive":null}`:              {"/isActive"},
		`{"isActive":"true"}`:            {"/isActive"},
		`{"secret":"whsec_x"}`:           {"/secret"},
		`{"consecutiveFailures":0}`:      {"/consecutiveFailures"},
		`{"isActive":true,"disabledReason":null,"url":"x","description":"` + strings.Repeat("é", 501) + `"}`: {
			"/disabledReason", "/description", "/url",
		},
	} {
		p := requireProblem(t, b.update(t, id, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), body)
	}
	require.Equal(t, before, b.get(t, "/v1/webhooks/"+id).body)
}

func TestRotateSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.post(t, "/v1/webhooks", everything).object(t)
	id, first := text(t, created, "id"), text(t, created, "secret")
	rotate := func(body string) response { return b.post(t, "/v1/webhooks/"+id+"/rotate-secret", body) }

	done := rotate("")
	require.Equal(t, http.StatusOK, done.status, done.body)
	require.Len(t, done.object(t), 13)
	second := text(t, done.object(t), "secret")
	require.True(t, strings.HasPrefix(second, "whsec_"))
	require.NotEqual(t, first, second)
	requireIn(t, done.object(t), "previousSecretExpiresAt", 24*time.Hour)
	require.NotContains(t, b.get(t, "/v1/webhooks/"+id).body, "whsec_")
	require.Equal(t, done.object(t)["previousSecretExpiresAt"],
		b.get(t, "/v1/webhooks/"+id).object(t)["previousSecretExpiresAt"])

	for _, body := range []string{"", `{}`, `{"overlapHours":1}`, `{"force":false}`} {
		p := requireProblem(t, rotate(body), http.StatusConflict, "INVALID_STATE")
		require.Equal(t, "OVERLAP", p["currentStatus"])
		require.Contains(t, p["detail"], "force")
	}
	forced := rotate(`{"overlapHours":168,"force":true}`)
	require.Equal(t, http.StatusOK, forced.status, forced.body)
	requireIn(t, forced.object(t), "previousSecretExpiresAt", 168*time.Hour)
	leaked := rotate(`{"overlapHours":0,"force":true}`)
	require.Equal(t, http.StatusOK, leaked.status, leaked.body)
	require.Nil(t, leaked.object(t)["previousSecretExpiresAt"])
	require.Equal(t, http.StatusOK, rotate(`{"overlapHours":1}`).status, "no overlap is left")
	b.exec(t, `UPDATE webhook SET previous_secret_until = now() - interval '1 second' WHERE id = $1`, id)
	require.Nil(t, b.get(t, "/v1/webhooks/"+id).object(t)["previousSecretExpiresAt"])
	require.Equal(t, http.StatusOK, rotate(`{}`).status, "the overlap is over")
}

// requireIn checks that a property is a time about the given duration ahead.
func requireIn(t *testing.T, object map[string]any, name string, ahead time.Duration) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text(t, object, name))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(ahead), at, time.Minute)
}

func TestRotateFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.webhook(t, b.ours)
	for body, want := range map[string][]string{
		`{"overlapHours":-1}`:                   {"/overlapHours"},
		`{"overlapHours":169}`:                  {"/overlapHours"},
		`{"overlapHours":1.5}`:                  {"/overlapHours"},
		`{"overlapHours":"24"}`:                 {"/overlapHours"},
		`{"overlap":1,"force":1}`:               {"/overlap", "/force"},
		`{"overlapHours":99999999999999999999}`: {"/overlapHours"},
	} {
		p := requireProblem(t, b.post(t, "/v1/webhooks/"+id+"/rotate-secret", body), http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), body)
	}
	require.Nil(t, b.get(t, "/v1/webhooks/"+id).object(t)["previousSecretExpiresAt"])
}

func TestRotateOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, other := b.webhook(t, b.ours), b.webhook(t, b.ours)
	path := "/v1/webhooks/" + id + "/rotate-secret"
	first := b.once(t, "k", path, `{}`)
	requireFresh(t, first, http.StatusOK)
	requireReplay(t, first, b.once(t, "k", path, ` { } `))
	requireReplay(t, first, b.once(t, "k", "/v1/webhooks/"+strings.ToUpper(id)+"/rotate-secret", `{}`))
	bare := b.do(t, request{
		method: http.MethodPost, path: path, key: b.ours.key, header: map[string]string{headerOnce: "k"},
	})
	requireReplay(t, first, bare)
	for _, r := range []struct{ path, body string }{
		{path, `{"force":true}`}, {"/v1/webhooks/" + other + "/rotate-secret", `{}`},
	} {
		requireProblem(t, b.once(t, "k", r.path, r.body), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	}
	require.Nil(t, b.get(t, "/v1/webhooks/"+other).object(t)["previousSecretExpiresAt"],
		"the answer of one is not given for another")
	require.NotContains(t, strings.Join(b.column(t,
		`SELECT encode(body, 'escape') FROM idempotency_key WHERE body IS NOT NULL`), ""), "whsec_")
}
