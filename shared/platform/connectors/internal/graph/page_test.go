package graph_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/platformtest"
)

const publishCall = "POST /v1/42/media_publish"

func gone() platformtest.Response {
	return platformtest.Response{Status: 400, Body: `{"error":{"code":100,"error_subcode":33}}`}
}

// ofPage gives the account the token of a Facebook Page, and that of the person who connected it, if any.
func (b *bundle) ofPage(person string) {
	b.account.Credentials = channel.Credentials{
		AccessToken: "page-token", UserToken: person, Variant: channel.FacebookLogin,
	}
}

// TestPersonTokenReadsContainer checks that the token of the person reads a container that Meta does not show to that of
// the Page.
func TestPersonTokenReadsContainer(t *testing.T) {
	t.Parallel()
	for name, hidden := range map[string]platformtest.Response{"missing": gone(), "forbidden": refusal(10)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"7"}`)}, "GET /v1/7": {hidden, ok(`{"status":"IN_PROGRESS"}`), hidden, ok(`{"status":"FINISHED"}`)},
			})
			b.ofPage("person-token")
			first := b.prepare(t, plan(0), "")
			require.False(t, first.Ready)
			require.True(t, b.prepare(t, plan(0), first.Handle).Ready)
			var tokens []string
			for _, r := range b.script.Requests()[1:] {
				tokens = append(tokens, r.Query.Get("access_token"))
			}
			require.Equal(t, []string{"page-token", "person-token", "page-token", "person-token"}, tokens)
		})
	}
}

// TestUnreadableContainerIsPublished checks that the publish call decides about a container that no token can read, and
// that no other container is made meanwhile.
func TestUnreadableContainerIsPublished(t *testing.T) {
	t.Parallel()
	for _, person := range []string{"", "ended"} {
		b := setup(t, map[string][]platformtest.Response{
			createCall: {ok(`{"id":"7"}`)}, "GET /v1/7": {gone()}, publishCall: {refusal(2), refusal(2), ok(`{"id":"180"}`)},
		})
		b.ofPage(person)
		handle := b.prepare(t, plan(0), "").Handle
		for range 2 {
			require.True(t, b.prepare(t, plan(0), handle).Ready)
			_, err := b.api.Commit(t.Context(), b.account, handle)
			require.Equal(t, graph.CodeNotReady, platformtest.Failure(t, err).Code)
			b.clock.Advance(time.Minute)
		}
		require.True(t, b.prepare(t, plan(0), handle).Ready)
		publication, err := b.api.Commit(t.Context(), b.account, handle)
		require.NoError(t, err)
		require.Equal(t, "180", publication.ExternalID)
	}
}

// TestLostContainerIsGivenUp checks that a container that is finished, but which the publish call does not find, is
// tried again after a wait and then given up.
func TestLostContainerIsGivenUp(t *testing.T) {
	t.Parallel()
	finished := ok(`{"status":"FINISHED"}`)
	const old = 5 * time.Second
	for name, c := range map[string]struct {
		code int
		age  time.Duration
		look platformtest.Response
		want string
	}{
		"the first time":     {2, time.Second, finished, graph.CodeNotReady},
		"the second time":    {2, old, finished, platform.CodePreparationLost},
		"too old":            {3, old, ok(`{"status":"EXPIRED"}`), platform.CodePreparationLost},
		"still in progress":  {2, old, ok(`{"status":"IN_PROGRESS"}`), graph.CodeNotReady},
		"published":          {2, old, ok(`{"status":"PUBLISHED"}`), post.ErrorOutcomeUnknown},
		"unreadable":         {2, old, down(), graph.CodeNotReady},
		"unreadable and old": {3, old, down(), graph.CodeStale},
		"gone, just made":    {3, old, gone(), graph.CodeStale},
		"gone":               {3, time.Minute, gone(), platform.CodePreparationLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{publishCall: {refusal(c.code)}, "GET /v1/7": {c.look}})
			_, err := b.api.Commit(t.Context(), b.account, handleOf(c.age, 0))
			require.Equal(t, c.want, platformtest.Failure(t, err).Code)
		})
	}
	for person, want := range map[string]string{"": graph.CodeStale, "person": platform.CodePreparationLost} {
		b := setup(t, map[string][]platformtest.Response{publishCall: {refusal(3)}, "GET /v1/7": {gone()}})
		b.ofPage(person)
		_, err := b.api.Commit(t.Context(), b.account, handleOf(time.Minute, 0))
		require.Equal(t, want, platformtest.Failure(t, err).Code, "a Page alone may not see it")
	}
	b := setup(t, map[string][]platformtest.Response{publishCall: {refusal(2)}, "GET /v1/7": {finished}})
	b.api.Settle = 3 * time.Second
	_, err := b.api.Commit(t.Context(), b.account, `{"container":"7","made":1799990000,"ready":1799999995}`)
	require.Equal(t, graph.CodeNotReady, platformtest.Failure(t, err).Code, "it settled for three seconds of five")
}

// TestUnreadableItemsAreUsed checks that the creation of the post decides about items that cannot be read.
func TestUnreadableItemsAreUsed(t *testing.T) {
	t.Parallel()
	hidden := []platformtest.Response{gone()}
	b := setup(t, map[string][]platformtest.Response{
		createCall:  {ok(`{"id":"1"}`), ok(`{"id":"2"}`), refusal(2), ok(`{"id":"7"}`)},
		"GET /v1/1": hidden, "GET /v1/2": hidden, "GET /v1/7": hidden,
	})
	b.ofPage("")
	handle := platform.Handle("")
	for range 4 {
		handle = b.prepare(t, plan(2), handle).Handle
	}
	require.Equal(t, "+a +b ?1 ?2 +1,2 ?1 ?2 +1,2 ?7 ?7", b.calls(t))
	require.Contains(t, string(handle), `"container":"7"`)
}

// TestRefusedPublishIsVerified checks that a refusal for the account's sake is final only if the container proves it:
// Meta has published posts and refused the call.
func TestRefusedPublishIsVerified(t *testing.T) {
	t.Parallel()
	const limited = 4
	for name, c := range map[string]struct {
		code  int
		look  platformtest.Response
		class platform.Class
		looks int
	}{
		"restricted, but published":   {5, ok(`{"status":"PUBLISHED"}`), platform.ClassUnknown, 1},
		"restricted, not published":   {5, ok(`{"status":"FINISHED"}`), platform.ClassUser, 1},
		"restricted, failed":          {5, ok(`{"status":"ERROR"}`), platform.ClassUser, 1},
		"restricted, being published": {5, ok(`{"status":"IN_PROGRESS"}`), platform.ClassUnknown, 1},
		"restricted, unreadable":      {5, down(), platform.ClassUnknown, 1},
		"limited, but published":      {limited, ok(`{"status":"PUBLISHED"}`), platform.ClassUnknown, 1},
		"limited, not published":      {limited, ok(`{"status":"FINISHED"}`), platform.ClassRateLimited, 1},
		"limited, unreadable":         {limited, down(), platform.ClassRateLimited, 1},
		"the content":                 {1, platformtest.Response{}, platform.ClassRejected, 0},
		"not ready":                   {2, ok(`{"status":"IN_PROGRESS"}`), platform.ClassTransient, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{publishCall: {refusal(c.code)}, "GET /v1/7": {c.look}})
			_, err := b.api.Commit(t.Context(), b.account, "7")
			require.Equal(t, c.class, platformtest.Failure(t, err).Class)
			require.Len(t, b.script.Requests(), 1+c.looks)
		})
	}
}
