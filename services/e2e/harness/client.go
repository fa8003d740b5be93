package harness

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/shared/domain/channel"
)

// Client returns an API client with the key. Its types are generated from the OpenAPI document: a response with an
// undocumented status is in none of the response's typed fields.
func (s *System) Client(key string) *apiclient.ClientWithResponses {
	s.t.Helper()
	created, err := apiclient.NewClientWithResponses(s.APIURL, apiclient.WithHTTPClient(s.HTTP),
		apiclient.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	require.NoError(s.t, err)
	return created
}

// Response returns the typed field of the expected response. It fails the test if the response was another one.
func Response[T any](t testing.TB, expected *T, body []byte) T {
	t.Helper()
	require.NotNil(t, expected, "unexpected response: %s", body)
	return *expected
}

// Create creates one post and returns it.
func (s *System) Create(typ channel.Type, content, schedule string) apiclient.Post {
	s.t.Helper()
	created, err := s.API.CreatePostsWithResponse(s.t.Context(), nil, apiclient.CreatePostsRequest{
		ChannelIds: &[]string{s.Channels[typ].ID.String()}, Content: &content, Schedule: &schedule,
	})
	require.NoError(s.t, err)
	posts := Response(s.t, created.JSON201, created.Body)
	require.Len(s.t, posts, 1)
	return posts[0]
}

// Get reads a post.
func (s *System) Get(id string) apiclient.Post {
	s.t.Helper()
	got, err := s.API.GetPostWithResponse(s.t.Context(), id, nil)
	require.NoError(s.t, err)
	return Response(s.t, got.JSON200, got.Body)
}

// Publish publishes a post immediately.
func (s *System) Publish(id string) apiclient.Post {
	s.t.Helper()
	published, err := s.API.PublishPostWithResponse(s.t.Context(), id, nil)
	require.NoError(s.t, err)
	return Response(s.t, published.JSON200, published.Body)
}

// RequestApproval submits a draft for approval.
func (s *System) RequestApproval(id string) apiclient.Post {
	s.t.Helper()
	requested, err := s.API.RequestPostApprovalWithResponse(s.t.Context(), id, nil)
	require.NoError(s.t, err)
	return Response(s.t, requested.JSON200, requested.Body)
}

// Approve approves a pending post.
func (s *System) Approve(id, comment string) apiclient.Post {
	s.t.Helper()
	var decision apiclient.DecisionRequest
	if comment != "" {
		decision.Comment.Set(comment)
	}
	approved, err := s.API.ApprovePostWithResponse(s.t.Context(), id, nil, decision)
	require.NoError(s.t, err)
	return Response(s.t, approved.JSON200, approved.Body)
}

// Subscribe registers the receiver for all events.
func (s *System) Subscribe() {
	s.t.Helper()
	created, err := s.API.CreateWebhookWithResponse(s.t.Context(), nil, apiclient.CreateWebhookRequest{
		URL: s.Receiver.URL() + "/hook", Events: []apiclient.EventTypeInput{apiclient.EventTypeInputAsterisk},
	})
	require.NoError(s.t, err)
	s.Receiver.Trust(Response(s.t, created.JSON201, created.Body).Secret)
}

// At formats a publish time for the API.
func At(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
