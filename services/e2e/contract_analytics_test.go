package e2e_test

import (
	"slices"
	"testing"
	"time"

	openapi "github.com/oapi-codegen/runtime/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// readsFigures publishes a post, collects its channel's metrics, and reads them.
func readsFigures(t *testing.T, s *harness.System) {
	t.Helper()
	ch := s.Channels[channel.Threads]
	p := s.Create(channel.Threads, "How does this one do?", "now")
	require.Equal(t, apiclient.PostStatusPUBLISHED, settled(t, s, p.ID, soon).Status)
	unread := postFigures(t, s, p.ID)
	require.Empty(t, unread.Data)
	require.True(t, unread.Latest.IsNull())

	s.Admin("insights", "collect", ch.ID.String())
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.False(c, postFigures(t, s, p.ID).Latest.IsNull())
	}, soon, 200*time.Millisecond)
	read := postFigures(t, s, p.ID)
	require.Len(t, read.Data, 1)
	require.Equal(t, apiclient.NullablePostDay(read.Data[0]), read.Latest.MustGet())
	require.False(t, read.Latest.MustGet().Likes.IsNull())
	require.GreaterOrEqual(t, len(channelFigures(t, s, ch.ID.String()).Data), 29)

	responded, err := s.API.GetWorkspaceAnalyticsWithResponse(t.Context(), nil)
	require.NoError(t, err)
	w := harness.Response(t, responded.JSON200, responded.Body)
	require.Positive(t, w.TotalFollowers.MustGet())
	require.Positive(t, w.PostsPublished)
	listed, err := s.API.ListChannelsWithResponse(t.Context(), nil)
	require.NoError(t, err)
	channels := harness.Response(t, listed.JSON200, listed.Body)
	require.Len(t, w.Channels, len(channels))
	for _, one := range channels {
		require.True(t, slices.ContainsFunc(w.Channels,
			func(c apiclient.ChannelStanding) bool { return c.ChannelID == one.ID }), "%s", one.Type)
	}
	refusesFigures(t, s, ch.ID.String())
}

func postFigures(t *testing.T, s *harness.System, id string) apiclient.PostAnalytics {
	t.Helper()
	read, err := s.API.GetPostAnalyticsWithResponse(t.Context(), id, nil)
	require.NoError(t, err)
	return harness.Response(t, read.JSON200, read.Body)
}

func channelFigures(t *testing.T, s *harness.System, id string) apiclient.ChannelAnalytics {
	t.Helper()
	read, err := s.API.GetChannelAnalyticsWithResponse(t.Context(), id, nil)
	require.NoError(t, err)
	return harness.Response(t, read.JSON200, read.Body)
}

// refusesFigures requests metrics that do not exist.
func refusesFigures(t *testing.T, s *harness.System, id string) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.Post]().String()
	noPost, err := s.API.GetPostAnalyticsWithResponse(ctx, unknownID, nil)
	require.NoError(t, err)
	requireProblem(t, noPost.ApplicationProblemJSON404, noPost.Body, apiclient.ProblemCodeNOTFOUND)
	noChannel, err := s.API.GetChannelAnalyticsWithResponse(ctx, unknownID, nil)
	require.NoError(t, err)
	requireProblem(t, noChannel.ApplicationProblemJSON404, noChannel.Body, apiclient.ProblemCodeNOTFOUND)
	long := openapi.Date{Time: time.Now().AddDate(-2, 0, 0)}
	refused, err := s.API.GetChannelAnalyticsWithResponse(ctx, id, &apiclient.GetChannelAnalyticsParams{From: &long})
	require.NoError(t, err)
	p := requireProblem(t, refused.ApplicationProblemJSON422, refused.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Equal(t, "from", (*p.Errors)[0].Pointer)
	outsider, err := s.Client(s.NewKey(credential.PostsWrite)).GetWorkspaceAnalyticsWithResponse(ctx, nil)
	require.NoError(t, err)
	requireProblem(t, outsider.ApplicationProblemJSON403, outsider.Body, apiclient.ProblemCodeINSUFFICIENTSCOPE)
}
