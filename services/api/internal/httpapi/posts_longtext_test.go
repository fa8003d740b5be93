package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
)

// TestLongTextsRequireSubscription publishes a long draft of an account on X before and after it has a subscription.
func TestLongTextsRequireSubscription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	of := b.channel(t, b.ours.id, channel.Twitter, true)
	know := func(premium bool) {
		t.Helper()
		require.NoError(t, postgres.NewChannels(b.db, b.keyring).SetFacts(t.Context(), of, channel.Facts{Premium: &premium}))
	}
	draft := b.post(t, "/v1/posts", `{"channelIds":["`+of.String()+`"],"content":"`+strings.Repeat("a", 5_000)+`","schedule":"draft"}`)
	require.Equal(t, http.StatusCreated, draft.status, draft.body)
	id := text(t, draft.list(t)[0], "id")
	publish := "/v1/posts/" + id + "/publish"
	p := requireProblem(t, b.post(t, publish, ""), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []string{"/content"}, pointers(t, p))
	edited := b.patch(t, id, `{"options":{"longText":true}}`)
	require.Equal(t, http.StatusOK, edited.status, edited.body)
	know(false)
	p = requireProblem(t, b.post(t, publish, ""), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []string{"/options/longText"}, pointers(t, p))
	know(true)
	require.Equal(t, http.StatusOK, b.post(t, publish, "").status)
}
