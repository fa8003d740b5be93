package httpapi_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/apiforms"
)

const hook = `{"url":"https://hooks.example.com/in","events":["post.published","post.failed"]}`

func TestWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := func() []any {
		t.Helper()
		out := b.get(t, "/v1/webhooks").object(t)
		require.Contains(t, out, "nextCursor")
		require.Nil(t, out["nextCursor"])
		data, ok := out["data"].([]any)
		require.True(t, ok)
		return data
	}
	require.Empty(t, list())

	result := b.post(t, "/v1/webhooks", hook)
	require.Equal(t, http.StatusCreated, result.status, result.body)
	created := result.object(t)
	secret, ok := created["secret"].(string)
	require.True(t, ok)
	require.True(t, strings.HasPrefix(secret, "whsec_"))
	delete(created, "secret")
	id, ok := created["id"].(string)
	require.True(t, ok)
	require.Equal(t, "/v1/webhooks/"+id, result.header.Get("Location"))
	for name, want := range map[string]any{
		"url": "https://hooks.example.com/in", "description": nil, "events": []any{"post.published", "post.failed"},
		"isActive":            true,
		"consecutiveFailures": 0.0, "disabledAt": nil, "disabledReason": nil, "previousSecretExpiresAt": nil,
		"channelIds": nil,
	} {
		require.Contains(t, created, name)
		require.Equal(t, want, created[name], name)
	}
	require.Len(t, created, 12)

	read := b.get(t, "/v1/webhooks/"+id)
	require.Equal(t, created, read.object(t), "the secret is not shown again")
	require.Equal(t, []any{created}, list())

	tested := b.post(t, "/v1/webhooks/"+id+"/test", "")
	require.Equal(t, http.StatusAccepted, tested.status, tested.body)
	require.Regexp(t, `^evt_[0-9a-f-]{36}$`, tested.object(t)["eventId"])
	require.Equal(t, "webhook.test", tested.object(t)["type"])
	require.Equal(t, id, tested.object(t)["webhookId"])

	gone := b.do(t, request{method: http.MethodDelete, path: "/v1/webhooks/" + id, key: b.ours.key})
	require.Equal(t, http.StatusNoContent, gone.status)
	require.Empty(t, gone.body)
	requireProblem(t, b.get(t, "/v1/webhooks/"+id), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.do(t, request{method: http.MethodDelete, path: "/v1/webhooks/" + id, key: b.ours.key}),
		http.StatusNotFound, "NOT_FOUND")
	require.Empty(t, list())
}

func TestWebhookFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for body, want := range map[string][]string{
		`{}`:                     {"/url", "/events"},
		`{"url":"","events":[]}`: {"/url", "/events"},
		`{"url":"http://hooks.example.com","events":["*"]}`:                                    {"/url"},
		`{"url":"https://user:pass@hooks.example.com","events":["*"]}`:                         {"/url"},
		`{"url":"https://127.0.0.1/","events":["*"]}`:                                          {"/url"},
		`{"url":"https://[::1]/","events":["*"]}`:                                              {"/url"},
		`{"url":"https://localhost/","events":["*"]}`:                                          {"/url"},
		`{"url":"` + baseURL + `/","events":["*"]}`:                                            {"/url"},
		`{"url":"javascript:alert(1)","events":["*"]}`:                                         {"/url"},
		`{"url":"https://hooks.example.com/` + strings.Repeat("x", 2048) + `","events":["*"]}`: {"/url"},
		`{"url":"https://hooks.example.com","events":["post.exploded"]}`: {
			"/events/0",
		},
		`{"url":"https://hooks.example.com","events":["*","post.failed"]}`: {
			"/events",
		},
		`{"url":"https://hooks.example.com","events":["post.failed","post.failed"]}`: {
			"/events/1",
		},
		`{"url":"https://hooks.example.com","events":"*"}`: {
			"/events",
		},
		`{"url":"http://x","events":["*","x"],"description":"` + strings.Repeat("d", 501) + `","secret":"whsec_x"}`: {
			"/events/1", "/description", "/secret", "/url",
		},
	} {
		p := requireProblem(t, b.post(t, "/v1/webhooks", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), body)
	}
}

// TestRefusedPortNamesAllowedPort checks that a refused port names the allowed one, which the OpenAPI document has too.
func TestRefusedPortNamesAllowedPort(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := text(t, b.post(t, "/v1/webhooks", hook).object(t), "id")
	for _, refused := range []response{
		b.post(t, "/v1/webhooks", `{"url":"https://hooks.example.com:8443/","events":["*"]}`),
		b.write(t, http.MethodPatch, "/v1/webhooks/"+id, `{"url":"https://hooks.example.com:8443/"}`),
	} {
		p := requireProblem(t, refused, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, "/url only port 443 is allowed with https", p["detail"])
	}
	for address, want := range map[string]string{
		"https://example.com:8443/a.png": "only port 443 is allowed with https",
		"http://example.com:8080/a.png":  "only port 80 is allowed with http",
	} {
		p := requireProblem(t, b.post(t, "/v1/media", `{"url":"`+address+`"}`), http.StatusUnprocessableEntity, "IMPORT_FAILED")
		require.Contains(t, p["detail"], want)
	}
	for _, body := range []any{apiforms.CreateWebhook{}, apiforms.UpdateWebhook{}, apiforms.ImportMedia{}} {
		field, _ := reflect.TypeOf(body).FieldByName("URL")
		require.Regexp(t, `port .*443`, field.Tag.Get("doc"), "%T", body)
	}
}

func TestWebhookQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 20 {
		require.Equal(t, http.StatusCreated, b.post(t, "/v1/webhooks", hook).status)
	}
	p := requireProblem(t, b.post(t, "/v1/webhooks", hook), http.StatusForbidden, "QUOTA_EXCEEDED")
	require.Contains(t, p["detail"], "20")
}
