package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

// TestPublishAfter creates, changes and removes what a post waits for.
func TestPublishAfter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(rest string) response {
		return b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"Hello","schedule":"`+year+`-03-01T09:00:00Z"`+rest+`}`)
	}
	first := create("").list(t)[0]
	require.Nil(t, first["publishAfter"])
	id := text(t, first, "id")
	second := create(`,"publishAfter":{"postId":"` + id + `","delaySeconds":600}`).list(t)[0]
	require.Equal(t, map[string]any{"postId": id, "delaySeconds": 600., "onFailure": "hold"}, second["publishAfter"])
	own := text(t, second, "id")
	require.Equal(t, second, b.get(t, "/v1/posts/"+own).object(t))
	changed := b.patch(t, own, `{"publishAfter":{"postId":"`+id+`","onFailure":"cancel"}}`).object(t)
	require.Equal(t, map[string]any{"postId": id, "delaySeconds": 0., "onFailure": "cancel"}, changed["publishAfter"])
	require.Nil(t, b.patch(t, own, `{"publishAfter":null}`).object(t)["publishAfter"])
	require.Nil(t, create(`,"publishAfter":null`).list(t)[0]["publishAfter"])

	unknown := ident.New[ident.Post]().String()
	for body, pointer := range map[string]string{
		`{}`:                           "/publishAfter/postId",
		`{"postId":"` + unknown + `"}`: "/publishAfter/postId",
		`{"postId":"` + id + `","channelId":"` + b.ours.channel.String() + `"}`: "/publishAfter/channelId",
		`{"postId":"` + id + `","delaySeconds":2592001}`:                        "/publishAfter/delaySeconds",
		`{"postId":"` + id + `","onFailure":"retry"}`:                           "/publishAfter/onFailure",
		`{"channelId":"` + b.ours.channel.String() + `"}`:                       "/publishAfter/channelId",
	} {
		for _, got := range []response{create(`,"publishAfter":` + body), b.patch(t, own, `{"publishAfter":`+body+`}`)} {
			p := requireProblem(t, got, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			require.Equal(t, []string{pointer}, pointers(t, p), body)
		}
	}
	self := requireProblem(t, b.patch(t, own, `{"publishAfter":{"postId":"`+own+`"}}`), http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	require.Contains(t, messageOf(t, self, "/publishAfter/postId"), "closes a circle")
}
