package harness

import (
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/shared/domain/channel"
)

// Client returns the SDK's client with the key. Each call makes one try, so that a test sees every response. A response
// that the OpenAPI document does not describe fails its call.
func (s *System) Client(key string) *fencepost.Client {
	s.t.Helper()
	sender := *s.HTTP
	sender.Transport = documented{next: sender.Transport}
	created, err := fencepost.New(fencepost.Options{
		URL: s.APIURL, APIKey: key, Timeout: sender.Timeout, MaxAttempts: 1, HTTPClient: &sender,
	})
	require.NoError(s.t, err)
	return created
}

// Failure returns the error of a call whose result does not matter.
func Failure[T any](_ T, err error) error { return err }

// Status returns the status of the response to a call: the given one for a success, since an operation has one
// documented success; 0 without a response.
func Status(err error, success int) int {
	var failed *fencepost.Error
	switch {
	case err == nil:
		return success
	case errors.As(err, &failed):
		return failed.Status
	default:
		return 0
	}
}

// All returns the items of all pages of a list.
func All[T any](items iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// Create creates one post and returns it.
func (s *System) Create(typ channel.Type, content, schedule string) fencepost.Post {
	s.t.Helper()
	posts, err := s.API.Posts.Create(s.t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{s.Channels[typ].ID.String()}, Content: content, Schedule: schedule,
	})
	return only(s.t, posts, err)
}

// only returns the post of a request for one channel.
func only(t testing.TB, posts []fencepost.Post, err error) fencepost.Post {
	t.Helper()
	require.NoError(t, err)
	require.Len(t, posts, 1)
	return posts[0]
}

// Get reads a post.
func (s *System) Get(id string) fencepost.Post {
	s.t.Helper()
	return Result(s.API.Posts.Get(s.t.Context(), id))(s.t)
}

// Result returns a function that fails the test if the call has failed, and returns its result otherwise.
func Result[T any](got *T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T {
		require.NoError(t, err)
		return *got
	}
}

// Publish publishes a post immediately.
func (s *System) Publish(id string) fencepost.Post {
	s.t.Helper()
	return Result(s.API.Posts.Publish(s.t.Context(), id))(s.t)
}

// RequestApproval submits a draft for approval.
func (s *System) RequestApproval(id string) fencepost.Post {
	s.t.Helper()
	return Result(s.API.Posts.RequestApproval(s.t.Context(), id))(s.t)
}

// Approve approves a pending post.
func (s *System) Approve(id, comment string) fencepost.Post {
	s.t.Helper()
	return Result(s.API.Posts.Approve(s.t.Context(), id, fencepost.DecisionRequest{Comment: comment}))(s.t)
}

// Subscribe registers the receiver for all events.
func (s *System) Subscribe() {
	s.t.Helper()
	created, err := s.API.Webhooks.Create(s.t.Context(), fencepost.CreateWebhookRequest{
		URL: s.Receiver.URL() + "/hook", Events: []fencepost.EventType{fencepost.EventTypeAll},
	})
	require.NoError(s.t, err)
	s.Receiver.Trust(created.Secret)
}

// At formats a publish time for the API.
func At(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// Send sends a request that the SDK would refuse itself or that it has no method for, with a key, and returns the
// response.
func (s *System) Send(key, method, path, body string) (status int, response []byte) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.APIURL+path, strings.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	got, err := s.HTTP.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = got.Body.Close() }()
	response, err = io.ReadAll(got.Body)
	require.NoError(s.t, err)
	return got.StatusCode, response
}
