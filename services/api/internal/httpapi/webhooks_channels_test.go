package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

func TestWebhookOfChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, gone := b.ours.channel.String(), b.channel(t, b.ours.id, channel.Mastodon, false).String()
	create := func(channels string) response {
		return b.do(t, request{
			method: http.MethodPost, path: "/v1/webhooks", key: b.ours.key, contentType: "application/json",
			body: `{"url":"https://hooks.example.com/in","events":["*"],"channelIds":` + channels + `}`,
		})
	}
	for _, refused := range map[string]struct {
		channels, code string
		status         int
	}{
		"unknown":                {`["` + ident.New[ident.Channel]().String() + `"]`, "NOT_FOUND", http.StatusNotFound},
		"of another workspace":   {`["` + ours + `","` + b.theirs.channel.String() + `"]`, "NOT_FOUND", http.StatusNotFound},
		"none":                   {`[]`, "VALIDATION_FAILED", http.StatusUnprocessableEntity},
		"twice":                  {`["` + ours + `","` + ours + `"]`, "VALIDATION_FAILED", http.StatusUnprocessableEntity},
		"not an ID":              {`["x"]`, "VALIDATION_FAILED", http.StatusUnprocessableEntity},
		"not a list":             {`"` + ours + `"`, "VALIDATION_FAILED", http.StatusUnprocessableEntity},
		"a member that is empty": {`[null]`, "VALIDATION_FAILED", http.StatusUnprocessableEntity},
	} {
		requireProblem(t, create(refused.channels), refused.status, refused.code)
	}
	require.Empty(t, b.column(t, `SELECT id FROM webhook`))

	all := create("null")
	require.Equal(t, http.StatusCreated, all.status, all.body)
	require.Nil(t, all.object(t)["channelIds"])
	require.Contains(t, all.object(t), "channelIds")
	some := create(`["` + ours + `","` + gone + `"]`)
	require.Equal(t, http.StatusCreated, some.status, some.body)
	require.Equal(t, []any{ours, gone}, some.object(t)["channelIds"], "also of a channel that is disconnected")

	id := text(t, some.object(t), "id")
	require.Equal(t, []any{ours, gone}, b.change(t, id, `{"description":"kept"}`)["channelIds"])
	requireProblem(t, b.update(t, id, `{"channelIds":["`+b.theirs.channel.String()+`"]}`), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.update(t, id, `{"channelIds":[]}`), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []any{gone}, b.change(t, id, `{"channelIds":["`+gone+`"]}`)["channelIds"])
	require.Nil(t, b.change(t, id, `{"channelIds":null}`)["channelIds"])
	require.Nil(t, b.get(t, "/v1/webhooks/"+id).object(t)["channelIds"])
}
