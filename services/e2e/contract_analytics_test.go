package e2e_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
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
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, p.ID, soon).Status)
	unread := postFigures(t, s, p.ID)
	require.Empty(t, unread.Data)
	require.Nil(t, unread.Latest)

	s.Admin("insights", "collect", ch.ID.String())
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.NotNil(c, postFigures(t, s, p.ID).Latest)
	}, soon, 200*time.Millisecond)
	read := postFigures(t, s, p.ID)
	require.Len(t, read.Data, 1)
	require.Equal(t, read.Data[0], *read.Latest)
	require.NotNil(t, read.Latest.Likes)
	require.GreaterOrEqual(t, len(channelFigures(t, s, ch.ID.String()).Data), 29)

	w, err := s.API.Analytics.GetWorkspace(t.Context(), fencepost.GetWorkspaceAnalyticsParams{})
	require.NoError(t, err)
	require.NotNil(t, w.TotalFollowers)
	require.Positive(t, *w.TotalFollowers)
	require.Positive(t, w.PostsPublished)
	channels, err := s.API.Channels.List(t.Context(), fencepost.ListChannelsParams{})
	require.NoError(t, err)
	require.Len(t, w.Channels, len(channels))
	for _, one := range channels {
		require.True(t, slices.ContainsFunc(w.Channels,
			func(c fencepost.ChannelStanding) bool { return c.ChannelID == one.ID }), "%s", one.Type)
	}
	refusesFigures(t, s, ch.ID.String())
}

func postFigures(t *testing.T, s *harness.System, id string) fencepost.PostAnalytics {
	t.Helper()
	return harness.Result(s.API.Analytics.GetPost(t.Context(), id, fencepost.GetPostAnalyticsParams{}))(t)
}

func channelFigures(t *testing.T, s *harness.System, id string) fencepost.ChannelAnalytics {
	t.Helper()
	return harness.Result(s.API.Analytics.GetChannel(t.Context(), id, fencepost.GetChannelAnalyticsParams{}))(t)
}

// refusesFigures requests metrics that do not exist.
func refusesFigures(t *testing.T, s *harness.System, id string) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.Post]().String()
	requireProblem(t, harness.Failure(s.API.Analytics.GetPost(ctx, unknownID, fencepost.GetPostAnalyticsParams{})),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	requireProblem(t, harness.Failure(s.API.Analytics.GetChannel(ctx, unknownID, fencepost.GetChannelAnalyticsParams{})),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	long := time.Now().AddDate(-2, 0, 0).Format(time.DateOnly)
	p := requireProblem(t, harness.Failure(s.API.Analytics.GetChannel(ctx, id, fencepost.GetChannelAnalyticsParams{From: long})),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Equal(t, "from", p.Errors[0].Pointer)
	requireProblem(t, harness.Failure(s.Client(s.NewKey(credential.PostsWrite)).Analytics.GetWorkspace(ctx, fencepost.GetWorkspaceAnalyticsParams{})),
		http.StatusForbidden, fencepost.ProblemCodeInsufficientScope)
}
