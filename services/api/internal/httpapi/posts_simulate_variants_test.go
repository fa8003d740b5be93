package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

// TestSimulationOfVariants checks that each post of a set is forecast with its own members, and that the created posts get
// them.
func TestSimulationOfVariants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	body := `{"content":"Spring is here","schedule":"` + future + `","variants":[{"channelId":"` + b.ours.channel.String() +
		`"},{"channelId":"` + x.String() + `","content":"` + strings.Repeat("x", 290) + ` https://example.com"}]}`
	found := b.simulate(t, body)
	require.Equal(t, []string{b.ours.channel.String(), x.String()}, []string{found[0].ChannelID, found[1].ChannelID})
	require.Empty(t, found[0].Errors)
	require.Nil(t, found[0].Cost)
	require.Equal(t, []string{"VALIDATION_FAILED /variants/1/content"}, codes(found[1].Errors))
	require.InDelta(t, 0.2, found[1].Cost["amount"], 0)
	body = strings.Replace(body, strings.Repeat("x", 290), "See", 1)
	require.Empty(t, b.simulate(t, body)[1].Errors)
	created := b.post(t, "/v1/posts", body)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	for i, p := range created.list(t) {
		existing := b.simulatePost(t, text(t, p, "id"))
		require.Equal(t, future, *existing.At)
		require.Equal(t, i == 1, existing.Cost != nil)
	}
}
